"""The kernel that measures a chain: see `kinematics.reach`."""

from __future__ import annotations

import math

from kinematics.arrays import FloatArray, IntArray
from kinematics.compiling import kernel
from kinematics.kernels import length_of
from kinematics.transforms import compose


@kernel
def measure(
    chain: FloatArray,
    kind: IntArray,
    tool: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    out: FloatArray,
) -> None:
    """Write the centre (3,) of a chain's reach, its rigid lengths' sum, the longest, the slack.

    Args:
        chain, kind: see `walk_chain`.
        tool, lower, upper: see `kinematics.reach`.
        out: (30,) written from the sixth on too: from the last turning joint to what is reached
            so far, prismatic joints at rest, twice.
    """
    here, there, count = 6, 18, len(kind)
    for i in range(30):
        out[i] = 0.0
    out[here], out[here + 4], out[here + 8] = 1.0, 1.0, 1.0
    turns = 0  # joints that do
    for i in range(count + 1):
        if i < count:
            compose(out, here, chain, 12 * i, out, there)
        else:
            compose(out, here, tool, 0, out, there)
        x, y, z = out[there + 9], out[there + 10], out[there + 11]
        here, there = there, here
        if i < count and kind[i] == 2:
            stretch = chain[12 * count + i]
            rest = (0.5 * lower[i] + 0.5 * upper[i]) * stretch
            for row in range(3):
                out[here + 9 + row] += out[here + 3 * row + 2] * rest
            out[5] += (0.5 * upper[i] - 0.5 * lower[i]) * stretch
            continue
        if i < count and lower[i] == upper[i]:  # held: as rigid as a fixed joint
            sine, cosine = math.sin(lower[i]), math.cos(lower[i])
            for row in range(3):
                j = here + 3 * row
                a, b = out[j], out[j + 1]
                out[j], out[j + 1] = cosine * a + sine * b, cosine * b - sine * a
            continue
        if turns == 0:  # where nothing turns, the point itself is the centre
            out[0], out[1], out[2] = x, y, z
        else:
            length = length_of(x, y, z)
            out[3] += length
            out[4] = max(out[4], length)
        turns += 1
        for j in range(12):
            out[here + j] = 1.0 if j < 9 and j % 4 == 0 else 0.0
