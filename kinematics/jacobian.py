"""The geometric Jacobian of a point of a link."""

from __future__ import annotations

import numpy as np

from kinematics import kernels
from kinematics.arrays import FloatArray, IntArray, floats, overflowing
from kinematics.chain import chain_between
from kinematics.forward import refuse_overflow
from kinematics.model import Model
from kinematics.rotations import quaternion_from_matrix


def jacobian(
    model: Model, q: FloatArray, link: int, base: int, point: FloatArray, reference: str
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the geometric Jacobian of a point, and the point's pose.

    Column i of a revolute joint is (a x (p - o), a): its axis and origin, and the point
    (Siciliano et al., Robotics, 2009, eq. 3.30). That of a prismatic joint is (a, 0), with
    the axis as the description has it: q times its length is the travel.

    Args:
        model: the robot.
        q: (n,) in the order of `model.joint_names`, rad or m.
        link: the link that the point belongs to.
        base: the link itself or one of its ancestors.
        point: (3,) in the link's frame, m.
        reference: "base" for rows along the base's axes, "link" for the link's.

    Returns:
        (k,) indices in q of the columns, base first; (6, k) linear rows, then angular ones;
        (7,) x y z and the quaternion x y z w, w >= 0, of the point with the link's axes.

    Raises:
        KinematicsError: `invalid_request`; the base is not above the link, or a number would
            not be finite.
    """
    chain = chain_between(model, base, link)
    k = chain.size
    tool, tip, at = 0, 12, 24  # places: the tool, its pose, q, then the axes
    axes, work = at + k, at + 7 * k
    given = np.zeros(work + 24)
    given[:tip] = chain.tool(point)
    given[at:axes] = q[chain.joints]
    numbers = floats(given)
    kernels.walk_chain(chain.numbers, chain.kind, numbers, tool, at, axes, tip, work)
    columns = floats(np.empty(6 * k))
    kernels.chain_jacobian(chain.numbers, chain.kind, numbers, axes, tip, columns)
    matrix = np.asarray(columns).reshape(6, k)
    if reference == "link":
        matrix = _turned(np.asarray(numbers[tip : tip + 9]), matrix)
    pose = floats(np.empty(7))
    pose[:3] = numbers[tip + 9 : tip + 12]
    quaternion_from_matrix(numbers, tip, pose, 3)
    pose = np.asarray(pose)
    refuse_overflow(matrix, "the Jacobian")
    refuse_overflow(pose, "the pose")
    return chain.joints, matrix, pose


@overflowing
def _turned(R_base_link: FloatArray, matrix: FloatArray) -> FloatArray:
    """Return a Jacobian (6, k) with its rows along the link's axes instead of the base's."""
    R_link_base = R_base_link.reshape(3, 3).T
    return np.vstack((R_link_base @ matrix[:3], R_link_base @ matrix[3:]))
