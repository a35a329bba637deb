"""Rotations: matrices (row-major, nine numbers), unit quaternions (x y z w), rotation vectors.

All functions work in a window of a longer flat array that begins at `at`, so that no
kernel has to make an array.
"""

from __future__ import annotations

import math

from kinematics.arrays import FloatArray
from kinematics.compiling import kernel


@kernel
def quaternion_from_matrix(matrix: FloatArray, at: int, out: FloatArray, out_at: int) -> None:
    """Write the unit quaternion with w >= 0 of a rotation matrix.

    The largest of the four components is found first and the others divided by it, so that
    no angle is badly conditioned, half a turn included (Shepperd 1978). The result is
    normalised: products of many matrices drift.
    """
    m00, m01, m02 = matrix[at], matrix[at + 1], matrix[at + 2]
    m10, m11, m12 = matrix[at + 3], matrix[at + 4], matrix[at + 5]
    m20, m21, m22 = matrix[at + 6], matrix[at + 7], matrix[at + 8]
    trace = m00 + m11 + m22
    if trace >= m00 and trace >= m11 and trace >= m22:
        x, y, z, w = m21 - m12, m02 - m20, m10 - m01, 1.0 + trace
    elif m00 >= m11 and m00 >= m22:
        x, y, z, w = 1.0 + m00 - m11 - m22, m01 + m10, m02 + m20, m21 - m12
    elif m11 >= m22:
        x, y, z, w = m01 + m10, 1.0 + m11 - m00 - m22, m12 + m21, m02 - m20
    else:
        x, y, z, w = m02 + m20, m12 + m21, 1.0 + m22 - m00 - m11, m10 - m01
    norm = math.sqrt(x * x + y * y + z * z + w * w)
    if w < 0.0:
        norm = -norm
    out[out_at] = x / norm
    out[out_at + 1] = y / norm
    out[out_at + 2] = z / norm
    out[out_at + 3] = w / norm


@kernel
def matrix_from_quaternion(quaternion: FloatArray, q_at: int, out: FloatArray, at: int) -> None:
    """Write the rotation matrix of a unit quaternion."""
    x, y = quaternion[q_at], quaternion[q_at + 1]
    z, w = quaternion[q_at + 2], quaternion[q_at + 3]
    out[at] = 1.0 - 2.0 * (y * y + z * z)
    out[at + 1] = 2.0 * (x * y - z * w)
    out[at + 2] = 2.0 * (x * z + y * w)
    out[at + 3] = 2.0 * (x * y + z * w)
    out[at + 4] = 1.0 - 2.0 * (x * x + z * z)
    out[at + 5] = 2.0 * (y * z - x * w)
    out[at + 6] = 2.0 * (x * z - y * w)
    out[at + 7] = 2.0 * (y * z + x * w)
    out[at + 8] = 1.0 - 2.0 * (x * x + y * y)


@kernel
def rotation_vector(matrix: FloatArray, at: int, out: FloatArray, out_at: int) -> float:
    """Write the rotation vector of a matrix; return its norm, the angle in [0, pi].

    The angle is taken from both parts of the quaternion: half of it by its sine and its
    cosine, one of which is well conditioned at any angle. The usual arc cosine of the
    trace loses half of the digits near 0 and near pi.

    `out` needs four places: the quaternion is made there.
    """
    quaternion_from_matrix(matrix, at, out, out_at)
    x, y, z, w = out[out_at], out[out_at + 1], out[out_at + 2], out[out_at + 3]
    sine = math.sqrt(x * x + y * y + z * z)
    if sine == 0.0:
        return 0.0
    angle = 2.0 * math.atan2(sine, w)
    out[out_at] = x * (angle / sine)
    out[out_at + 1] = y * (angle / sine)
    out[out_at + 2] = z * (angle / sine)
    return angle
