"""A robot's bodies at one configuration: where they are, and how each value of q moves them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinematics.arrays import FloatArray, overflowing
from kinematics.errors import KinematicsError
from kinematics.forward import refuse_overflow
from kinematics.multibody import Multibody, root_transforms
from kinematics.orderings import BASE
from kinematics.spatial import ANGULAR, LINEAR, inverse_transform, motion_transform, move_inertia


class Posture:
    """A robot's bodies at q, in the root's frame.

    Attributes:
        frames: (links, 4, 4) T_root_link of every link, in the model's order.
        S: (6, nv) the motion that each value gives.
        inertias: (n, 6, 6) of the bodies.
        carries: (nv, n) 1 where a value moves a body.
        own: (nv,) the body of each value's joint.
    """

    def __init__(self, multibody: Multibody, q: FloatArray) -> None:
        """Place the bodies.

        Raises:
            KinematicsError: `invalid_request`; q is of another length, or beyond all measure.
        """
        check_length(multibody, q, "q")
        model = multibody.model
        self.frames = root_transforms(model, multibody.to_model(q))
        refuse_overflow(self.frames, "a pose")
        transforms = [self.frames[model.link_index(name)] for name in multibody.body_names]
        moved = [
            motion_transform(T) @ S for T, S in zip(transforms, multibody.subspaces, strict=True)
        ]
        self.multibody = multibody
        self.S = np.hstack([np.zeros((6, 0)), *moved])
        weighed = zip(transforms, multibody.inertias, strict=True)
        self.inertias = np.array([move_inertia(T, own) for T, own in weighed]).reshape(-1, 6, 6)
        self.own = np.flatnonzero(multibody.v_index >= 0)
        self.carries = multibody.ancestor_matrix[self.own]


@overflowing
def link_jacobians(posture: Posture, links: Sequence[int], reference: str = "base") -> FloatArray:
    """Return the Jacobians (m, 6, nv) of the origins of m links, linear rows first.

    Args:
        posture: the robot.
        links: indices in the model's links.
        reference: along whose axes the rows are: "base" for the root's, or "link".

    Raises:
        KinematicsError: `invalid_request`; a result is beyond all measure.
    """
    multibody = posture.multibody
    names = multibody.model.link_names
    jacobians = np.zeros((len(links), 6, multibody.nv))
    for jacobian, link in zip(jacobians, links, strict=True):
        body = multibody.body_of(names[link])
        if body == BASE:
            continue
        T = posture.frames[link]
        columns = posture.S * posture.carries[:, body]
        # S is the motion of what is at the root's origin now; the link's origin is elsewhere.
        columns[LINEAR] += np.cross(columns[ANGULAR], T[:3, 3], axis=0)
        jacobian[:] = columns
        if reference == "link":
            jacobian[LINEAR] = T[:3, :3].T @ columns[LINEAR]
            jacobian[ANGULAR] = T[:3, :3].T @ columns[ANGULAR]
    refuse_overflow(jacobians, "a Jacobian")
    return jacobians


def body_transforms(posture: Posture) -> FloatArray:
    """Return X_body_parent (n, 6, 6): what takes the motion of each body's carrier to it."""
    multibody = posture.multibody
    model = multibody.model
    links = [model.link_index(name) for name in multibody.body_names]
    found = np.zeros((len(links), 6, 6))
    for body, link in enumerate(links):
        parent = int(multibody.parent[body])
        carrier = posture.frames[model.root if parent == BASE else links[parent]]
        found[body] = motion_transform(inverse_transform(posture.frames[link]) @ carrier)
    return found


def check_length(multibody: Multibody, values: FloatArray, name: str) -> None:
    """Refuse values that are not one for each of `Multibody.value_names`.

    Raises:
        KinematicsError: `invalid_request`.
    """
    if np.shape(values) != (multibody.nv,):
        raise KinematicsError(
            "invalid_request",
            f"{name} has the shape {np.shape(values)}; ({multibody.nv},) expected",
        )
