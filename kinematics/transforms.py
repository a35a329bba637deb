"""Rigid transforms as twelve numbers: a rotation matrix, row-major, then a translation.

As in `rotations`, each lies in a flat array from `at` on.
"""

from __future__ import annotations

from kinematics.arrays import FloatArray
from kinematics.compiling import kernel


@kernel
def compose(a: FloatArray, at: int, b: FloatArray, b_at: int, out: FloatArray, o: int) -> None:
    """Write T_a T_b; `out` may be none of the two."""
    x, y, z = b[b_at + 9], b[b_at + 10], b[b_at + 11]
    for row in range(3):
        i = at + 3 * row
        a0, a1, a2 = a[i], a[i + 1], a[i + 2]
        j = o + 3 * row
        out[j] = a0 * b[b_at] + a1 * b[b_at + 3] + a2 * b[b_at + 6]
        out[j + 1] = a0 * b[b_at + 1] + a1 * b[b_at + 4] + a2 * b[b_at + 7]
        out[j + 2] = a0 * b[b_at + 2] + a1 * b[b_at + 5] + a2 * b[b_at + 8]
        out[o + 9 + row] = a0 * x + a1 * y + a2 * z + a[at + 9 + row]


@kernel
def compose_inverse(
    a: FloatArray, at: int, b: FloatArray, b_at: int, out: FloatArray, o: int
) -> None:
    """Write T_a^-1 T_b: b seen from a; `out` may be none of the two."""
    x = b[b_at + 9] - a[at + 9]
    y = b[b_at + 10] - a[at + 10]
    z = b[b_at + 11] - a[at + 11]
    for row in range(3):  # row of the transpose: a column of a
        a0, a1, a2 = a[at + row], a[at + 3 + row], a[at + 6 + row]
        j = o + 3 * row
        out[j] = a0 * b[b_at] + a1 * b[b_at + 3] + a2 * b[b_at + 6]
        out[j + 1] = a0 * b[b_at + 1] + a1 * b[b_at + 4] + a2 * b[b_at + 7]
        out[j + 2] = a0 * b[b_at + 2] + a1 * b[b_at + 5] + a2 * b[b_at + 8]
        out[o + 9 + row] = a0 * x + a1 * y + a2 * z
