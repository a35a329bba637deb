"""The kernels that fold a path of joints into a chain: see `kinematics.chain`."""

from __future__ import annotations

import math

from kinematics.arrays import FloatArray, IntArray
from kinematics.compiling import kernel
from kinematics.transforms import compose


@kernel
def turn_z_to(x: float, y: float, z: float, out: FloatArray, at: int) -> None:
    """Write a rotation matrix whose z column is a unit axis."""
    if abs(x) < 0.9:  # across: the cross product of x and the axis, else of y and the axis
        norm = math.sqrt(y * y + z * z)
        ax, ay, az = 0.0, -z / norm, y / norm
    else:
        norm = math.sqrt(x * x + z * z)
        ax, ay, az = z / norm, 0.0, -x / norm
    out[at], out[at + 1], out[at + 2] = ax, y * az - z * ay, x
    out[at + 3], out[at + 4], out[at + 5] = ay, z * ax - x * az, y
    out[at + 6], out[at + 7], out[at + 8] = az, x * ay - y * ax, z


@kernel
def fold(
    tree: IntArray, joints: FloatArray, path: IntArray, count: int, out: FloatArray, end: FloatArray
) -> None:
    """Fold the fixed joints of a path away and turn each other joint's frame to its axis.

    Args:
        tree, joints: the whole robot, see `link_frames`.
        path: the path's joints, in the robot's numbers, base first.
        count: how many of them are not fixed: k.
        out: (13 k,) written: the chain, as `walk_chain` takes it.
        end: (36,) written; the first 12 from the last joint's frame, after its motion, to the
            tip link. The others are scratch.
    """
    for i in range(12):
        end[i] = 0.0
    end[0], end[4], end[8] = 1.0, 1.0, 1.0
    done = 0
    for step in range(len(path)):
        joint = path[step]
        compose(end, 0, joints, 15 * joint, end, 12)
        if tree[4 * joint + 2] == 0:
            for i in range(12):
                end[i] = end[12 + i]
            continue
        x, y, z = joints[15 * joint + 12], joints[15 * joint + 13], joints[15 * joint + 14]
        # The largest first: the squares of a tiny or huge axis are no numbers.
        largest = max(abs(x), abs(y), abs(z))
        x, y, z = x / largest, y / largest, z / largest
        norm = math.sqrt(x * x + y * y + z * z)
        turn_z_to(x / norm, y / norm, z / norm, end, 24)
        end[33], end[34], end[35] = 0.0, 0.0, 0.0
        compose(end, 12, end, 24, out, 12 * done)
        out[12 * count + done] = largest * norm if tree[4 * joint + 2] == 2 else 1.0
        for i in range(3):  # a pure rotation: its transpose turns back
            for j in range(3):
                end[3 * i + j] = end[24 + 3 * j + i]
            end[9 + i] = 0.0
        done += 1
