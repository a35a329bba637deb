"""Dynamics of a robot whose base is carried by nothing.

As in Pinocchio, q is [x y z qx qy qz qw, joints]: the pose of the root link in the world; v is
[vx vy vz wx wy wz, joints]: the root's motion along its own axes; so is a, as a spatial
acceleration. All is computed along the root's axes, so of the pose only the direction of gravity
matters. An older layout has [x y z qw qx qy qz] and the angular velocity first.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from kinematics.arrays import FloatArray, floats, overflowing
from kinematics.dynamics import GRAVITY, inverse_dynamics_at, mass_matrix_at
from kinematics.errors import KinematicsError
from kinematics.forward import refuse_overflow
from kinematics.multibody import Multibody
from kinematics.posture import Posture
from kinematics.rotations import matrix_from_quaternion
from kinematics.spatial import swap_order

POSE: Final = 7  # numbers of the root's pose
MOTION: Final = 6  # of its motion
NORM_TOLERANCE: Final = 1e-3  # of a quaternion: further off is a mistake, not rounding


class FloatingPosture(Posture):
    """A robot's bodies at q, its base the first of them, with six values of its own.

    Attributes:
        R_world_root: (3, 3).
    """

    def __init__(self, multibody: Multibody, q: FloatArray) -> None:
        """Place the bodies.

        Raises:
            KinematicsError: `invalid_request`; q is of another length, its quaternion is not of
                norm 1, or a pose is beyond all measure.
        """
        _check_length(q, POSE + multibody.nv, "q")
        super().__init__(multibody, q[POSE:])
        self.R_world_root = _rotation(q[3:POSE])
        self.S = np.hstack([np.eye(6), self.S])
        self.inertias = np.concatenate([multibody.base_inertia[None], self.inertias])
        free = np.ones((MOTION, len(self.inertias)))
        below = np.hstack([np.zeros((multibody.nv, 1)), self.carries])
        self.carries = np.vstack([free, below])
        self.own = np.concatenate([np.zeros(MOTION, dtype=np.int64), self.own + 1])


@overflowing
def floating_mass_matrix(multibody: Multibody, q: FloatArray) -> FloatArray:
    """Return M (6 + nv, 6 + nv).

    Raises:
        KinematicsError: `invalid_request`; as `FloatingPosture`, or M is beyond all measure.
    """
    matrix = mass_matrix_at(FloatingPosture(multibody, q))
    refuse_overflow(matrix, "the mass matrix")
    return matrix


@overflowing
def floating_inverse_dynamics(
    multibody: Multibody,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    gravity: tuple[float, float, float] = GRAVITY,
) -> FloatArray:
    """Return the forces (6 + nv,) that give the accelerations `a`: on the base, then the joints'.

    Args:
        multibody: the robot.
        q, v, a: (7 + nv,), (6 + nv,), (6 + nv,).
        gravity: m/s^2 along the world's axes.

    Raises:
        KinematicsError: `invalid_request`; as `FloatingPosture`, or the result is beyond all
            measure.
    """
    _check_length(v, MOTION + multibody.nv, "v")
    _check_length(a, MOTION + multibody.nv, "a")
    posture = FloatingPosture(multibody, q)
    x, y, z = (posture.R_world_root.T @ np.array(gravity)).tolist()
    tau = inverse_dynamics_at(posture, v, a, (x, y, z))
    refuse_overflow(tau, "a force")
    return tau


def q_from_legacy(q: FloatArray) -> FloatArray:
    """Return q with the quaternion's w last, from q with it first."""
    return np.concatenate([q[:3], q[4:POSE], q[3:4], q[POSE:]])


def q_to_legacy(q: FloatArray) -> FloatArray:
    """Return q with the quaternion's w first, from q with it last."""
    return np.concatenate([q[:3], q[6:POSE], q[3:6], q[POSE:]])


def swap_legacy_v(v: FloatArray) -> FloatArray:
    """Return v with the base's angular velocity first, from v with it second; or back."""
    return np.concatenate([swap_order(v[:MOTION]), v[MOTION:]])


def _rotation(quaternion: FloatArray) -> FloatArray:
    norm = float(np.linalg.norm(quaternion))
    if not abs(norm - 1.0) <= NORM_TOLERANCE:
        raise KinematicsError(
            "invalid_request",
            f"the base's quaternion has norm {norm:.6g}; a unit quaternion x y z w expected",
        )
    R = floats([0.0] * 9)
    matrix_from_quaternion(floats(quaternion / norm), 0, R, 0)
    return np.asarray(R).reshape(3, 3)


def _check_length(values: FloatArray, length: int, name: str) -> None:
    if np.shape(values) != (length,):
        raise KinematicsError(
            "invalid_request", f"{name} has the shape {np.shape(values)}; ({length},) expected"
        )
