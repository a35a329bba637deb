"""Forward kinematics: the poses of links, in the frame of any link."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinematics import kernels
from kinematics.arrays import FloatArray, floats, ints, overflowing
from kinematics.errors import KinematicsError
from kinematics.model import Model


def link_poses(model: Model, q: FloatArray, base: int, links: Sequence[int]) -> FloatArray:
    """Return T_base_link of several links.

    Args:
        model: the robot.
        q: (n,) in the order of `model.joint_names`, rad or m; used as it is.
        base: the link in whose frame the poses are given.
        links: m links.

    Returns:
        (m, 7) x y z in metres, then the unit quaternion x y z w with w >= 0.

    Raises:
        KinematicsError: `invalid_request`; a pose would not be finite.
    """
    frames = update_frames(model, q)
    out = floats(np.empty(7 * len(links)))
    kernels.link_poses(frames, base, ints(links), out, 0, model.work)
    poses = np.asarray(out).reshape(-1, 7)
    refuse_overflow(poses, "a pose")
    return poses


def many_link_poses(model: Model, q: FloatArray, base: int, links: Sequence[int]) -> FloatArray:
    """Return T_base_link of k links for each of m configurations.

    Args:
        model: the robot.
        q: (m, n) rows as in `link_poses`.
        base: the link in whose frame the poses are given.
        links: k links.

    Returns:
        (m, k, 7) x y z, then the unit quaternion x y z w with w >= 0.

    Raises:
        KinematicsError: `invalid_request`; a pose would not be finite.
    """
    m, n = q.shape
    out = floats(np.empty(7 * m * len(links)))
    kernels.many_link_poses(
        *(model.tree, model.joints, floats(q.ravel()), n, m, base),
        *(ints(links), model.frames, model.work, out),
    )
    poses = np.asarray(out).reshape(m, len(links), 7)
    refuse_overflow(poses, "a pose")
    return poses


@overflowing
def link_transform(model: Model, q: FloatArray, base: int, link: int) -> FloatArray:
    """Return T_base_link as a matrix (4, 4); not finite where `q` is beyond all measure."""
    frames = np.asarray(update_frames(model, q)).reshape(-1, 12)
    T_root_base, T_root_link = frames[base], frames[link]
    R_base_root = T_root_base[:9].reshape(3, 3).T
    T = np.eye(4)
    T[:3, :3] = R_base_root @ T_root_link[:9].reshape(3, 3)
    T[:3, 3] = R_base_root @ (T_root_link[9:] - T_root_base[9:])
    return T


def refuse_overflow(numbers: FloatArray, what: str) -> None:
    """Refuse a result that JSON cannot carry.

    Raises:
        KinematicsError: `invalid_request`; some number is not finite.
    """
    if not np.isfinite(numbers).all():
        raise KinematicsError(
            "invalid_request", f"{what} would not be finite; smaller joint values expected"
        )


def update_frames(model: Model, q: FloatArray) -> FloatArray:
    """Return the transform of every link in the root's frame, (12 links,): the model's own."""
    kernels.link_frames(model.tree, model.joints, floats(q), 0, model.frames, model.work)
    return model.frames
