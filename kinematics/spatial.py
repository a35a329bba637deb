"""Spatial algebra: motions, forces and inertias of rigid bodies as 6-vectors and 6x6 matrices.

Every 6-vector here is linear first: [vx vy vz wx wy wz] for motions, [fx fy fz nx ny nz] for
forces, as the rows of `/ik/jacobian` and in Pinocchio. Featherstone's books have them angular
first; `swap_order` goes from either to the other. `T_a_b` is the pose of b in a, and `X_a_b`
takes motions from coordinates of b to those of a (Featherstone 2008, chapter 2; Lynch and Park
2017, chapter 3). A joint's S is constant in the frame of the link it carries.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from kinematics.arrays import FloatArray
from kinematics.model import FIXED, PRISMATIC

LINEAR: Final = slice(0, 3)
ANGULAR: Final = slice(3, 6)


def swap_order(values: FloatArray, *axes: int) -> FloatArray:
    """Return linear-first values angular first, and the other way round.

    Args:
        values: what has 6 rows.
        axes: along which to swap: (0,) unless given, which is right for vectors and
            Jacobians; 0 and 1 for a matrix that takes 6-vectors to 6-vectors.
    """
    for axis in axes or (0,):
        values = np.roll(values, 3, axis=axis)
    return values


def skew(vector: FloatArray) -> FloatArray:
    """Return the matrix (3, 3) that takes b to `vector` x b."""
    x, y, z = vector
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def inverse_transform(T: FloatArray) -> FloatArray:
    """Return T_b_a (4, 4) of T_a_b."""
    inverse = np.eye(4)
    inverse[:3, :3] = T[:3, :3].T
    inverse[:3, 3] = -T[:3, :3].T @ T[:3, 3]
    return inverse


def motion_transform(T: FloatArray) -> FloatArray:
    """Return X_a_b (6, 6), which takes motions from b to a, of T_a_b."""
    R = T[:3, :3]
    X = np.zeros((6, 6))
    X[LINEAR, LINEAR] = X[ANGULAR, ANGULAR] = R
    X[LINEAR, ANGULAR] = skew(T[:3, 3]) @ R
    return X


def force_transform(T: FloatArray) -> FloatArray:
    """Return the matrix (6, 6) that takes forces from b to a, of T_a_b: X_b_a transposed."""
    R = T[:3, :3]
    X = np.zeros((6, 6))
    X[LINEAR, LINEAR] = X[ANGULAR, ANGULAR] = R
    X[ANGULAR, LINEAR] = skew(T[:3, 3]) @ R
    return X


def motion_cross(motion: FloatArray) -> FloatArray:
    """Return the matrix (6, 6) that takes a motion m to `motion` x m, its rate in that frame."""
    cross = np.zeros((6, 6))
    cross[LINEAR, LINEAR] = cross[ANGULAR, ANGULAR] = skew(motion[ANGULAR])
    cross[LINEAR, ANGULAR] = skew(motion[LINEAR])
    return cross


def force_cross(motion: FloatArray) -> FloatArray:
    """Return the same for forces (6, 6): what keeps the power of a force on a motion."""
    return -motion_cross(motion).T


def motion_subspace(kind: int, axis: FloatArray) -> FloatArray:
    """Return S (6, 1) of a joint, (6, 0) of a fixed one.

    Args:
        kind: `model.FIXED`, `REVOLUTE` or `PRISMATIC`.
        axis: unit for one that turns; for one that slides, metres for one of its value.
    """
    if kind == FIXED:
        return np.zeros((6, 0))
    S = np.zeros((6, 1))
    S[LINEAR if kind == PRISMATIC else ANGULAR, 0] = axis
    return S


def cardinal(S: FloatArray) -> tuple[int, float] | None:
    """Return the only row of S (6, 1) that is not 0 and what is there; None if there are more."""
    (rows,) = np.nonzero(S[:, 0])
    return (int(rows[0]), float(S[rows[0], 0])) if len(rows) == 1 else None


def helical_subspace(axis: FloatArray, pitch: float) -> FloatArray:
    """Return S (6, 1) of a joint that goes `pitch` metres along its unit axis a radian."""
    return np.concatenate([pitch * axis, axis])[:, None]


def twist_matrix(motion: FloatArray) -> FloatArray:
    """Return a motion as the matrix (4, 4) that is T^-1 times the rate of T."""
    matrix = np.zeros((4, 4))
    matrix[:3, :3] = skew(motion[ANGULAR])
    matrix[:3, 3] = motion[LINEAR]
    return matrix


def joint_transform(T_parent_joint: FloatArray, S: FloatArray, q: float) -> FloatArray:
    """Return T_parent_child (4, 4) of a joint at q: its origin, then the exponential of S q.

    Args:
        T_parent_joint: the joint's origin.
        S: (6, 1); any motion: what slides, turns, or does both (Lynch and Park, 3.88).
        q: rad or m.
    """
    v, w = S[LINEAR, 0], S[ANGULAR, 0]
    T = np.eye(4)
    rate = math.sqrt(float(w @ w))
    if rate == 0.0:
        T[:3, 3] = v * q
        return T_parent_joint @ T
    angle = rate * q
    W = skew(w / rate)
    W2 = W @ W
    T[:3, :3] += math.sin(angle) * W + 2.0 * math.sin(angle / 2.0) ** 2 * W2
    along = angle * np.eye(3) + 2.0 * math.sin(angle / 2.0) ** 2 * W
    T[:3, 3] = (along + (angle - math.sin(angle)) * W2) @ v / rate
    return T_parent_joint @ T


def joint_transform_derivatives(
    T_parent_joint: FloatArray, S: FloatArray, q: float
) -> tuple[FloatArray, FloatArray]:
    """Return the first and second derivative of `joint_transform` by q, (4, 4) each.

    T is an exponential, so each derivative is one more factor: the twist of S.
    """
    twist = twist_matrix(S[:, 0])
    first = joint_transform(T_parent_joint, S, q) @ twist
    return first, first @ twist


def joint_motion_transform(T_parent_joint: FloatArray, S: FloatArray, q: float) -> FloatArray:
    """Return X_child_parent (6, 6) of a joint at q: what takes its parent's motion to its child."""
    return motion_transform(inverse_transform(joint_transform(T_parent_joint, S, q)))


def joint_motion_transform_derivatives(
    T_parent_joint: FloatArray, S: FloatArray, q: float
) -> tuple[FloatArray, FloatArray]:
    """Return the first and second derivative of `joint_motion_transform` by q, (6, 6) each."""
    cross = motion_cross(S[:, 0])
    first = -cross @ joint_motion_transform(T_parent_joint, S, q)
    return first, -cross @ first


def spatial_inertia(mass: float, com: FloatArray, inertia: FloatArray) -> FloatArray:
    """Return the inertia (6, 6) of a body about the origin of its frame.

    Args:
        mass: kg.
        com: (3,) centre of mass, m.
        inertia: (3, 3) about the centre of mass, in the frame's axes, kg m^2.
    """
    c = skew(com)
    matrix = np.zeros((6, 6))
    matrix[LINEAR, LINEAR] = mass * np.eye(3)
    matrix[LINEAR, ANGULAR] = -mass * c
    matrix[ANGULAR, LINEAR] = mass * c
    matrix[ANGULAR, ANGULAR] = inertia - mass * (c @ c)
    return matrix


def inertia_parameters(inertia: FloatArray) -> tuple[float, FloatArray, FloatArray]:
    """Return what `spatial_inertia` took: mass, centre of mass, inertia about it.

    Without mass the centre is the origin.
    """
    mass = float(inertia[0, 0])
    moment = inertia[ANGULAR, LINEAR]
    com = np.array([moment[2, 1], moment[0, 2], moment[1, 0]])
    com = com / mass if mass else np.zeros(3)
    c = skew(com)
    return mass, com, inertia[ANGULAR, ANGULAR] + mass * (c @ c)


def move_inertia(T_a_b: FloatArray, inertia_b: FloatArray) -> FloatArray:
    """Return the inertia in a of a body whose inertia in b is given, (6, 6) both."""
    force = force_transform(T_a_b)
    return force @ inertia_b @ force.T
