"""Kernels of forward kinematics: all links of a tree, and one chain with its Jacobian."""

from __future__ import annotations

import math

from kinematics.arrays import FloatArray, IntArray
from kinematics.compiling import kernel
from kinematics.rotations import quaternion_from_matrix, rotation_vector
from kinematics.transforms import compose, compose_inverse


@kernel
def link_frames(
    parent: IntArray,
    child: IntArray,
    kind: IntArray,
    q_index: IntArray,
    origin: FloatArray,
    axis: FloatArray,
    q: FloatArray,
    frames: FloatArray,
    work: FloatArray,
) -> None:
    """Write the transform of every link in the root's frame.

    The root's own twelve numbers must be in `frames` already. The others are the columns
    of a `Model`; `work` has 24 places.
    """
    for joint in range(len(parent)):
        base = 12 * parent[joint]
        out = 12 * child[joint]
        if kind[joint] == 0:
            compose(frames, base, origin, 12 * joint, frames, out)
            continue
        value = q[q_index[joint]]
        x, y, z = axis[3 * joint], axis[3 * joint + 1], axis[3 * joint + 2]
        s, c = 0.0, 1.0
        if kind[joint] == 1:  # Rodrigues: I + sin K + (1 - cos) K K
            s, c = math.sin(value), math.cos(value)
            work[9], work[10], work[11] = 0.0, 0.0, 0.0
        else:
            work[9], work[10], work[11] = value * x, value * y, value * z
        v = 1.0 - c
        work[0], work[1], work[2] = c + v * x * x, v * x * y - s * z, v * x * z + s * y
        work[3], work[4], work[5] = v * x * y + s * z, c + v * y * y, v * y * z - s * x
        work[6], work[7], work[8] = v * x * z - s * y, v * y * z + s * x, c + v * z * z
        compose(origin, 12 * joint, work, 0, work, 12)
        compose(frames, base, work, 12, frames, out)


@kernel
def link_poses(
    frames: FloatArray, base: int, links: IntArray, out: FloatArray, work: FloatArray
) -> None:
    """Write x y z qx qy qz qw of each of `links` in the frame of `base`, seven numbers each."""
    for row in range(len(links)):
        compose_inverse(frames, 12 * base, frames, 12 * links[row], work, 0)
        out[7 * row] = work[9]
        out[7 * row + 1] = work[10]
        out[7 * row + 2] = work[11]
        quaternion_from_matrix(work, 0, out, 7 * row + 3)


@kernel
def walk_chain(
    constants: FloatArray,
    kind: IntArray,
    stretch: FloatArray,
    tool: FloatArray,
    q: FloatArray,
    axes: FloatArray,
    tip: FloatArray,
    work: FloatArray,
) -> None:
    """Write where a chain's joints and its tool are, in the chain's base.

    Args:
        constants: (12 k,) the transform from joint i-1, after its motion, to joint i, each
            joint's frame turned so that its axis is z.
        kind: (k,) 1 revolute, 2 prismatic.
        stretch: (k,) metres of travel for one of q, prismatic joints only.
        tool: (12,) from the last joint to the point whose pose is asked for.
        q: (k,).
        axes: out, (6 k,) each joint's axis, then its origin.
        tip: out, (12,) the tool's pose.
        work: (24,).
    """
    here, there = 0, 12
    work[0], work[1], work[2] = 1.0, 0.0, 0.0
    work[3], work[4], work[5] = 0.0, 1.0, 0.0
    work[6], work[7], work[8] = 0.0, 0.0, 1.0
    work[9], work[10], work[11] = 0.0, 0.0, 0.0
    for i in range(len(kind)):
        compose(work, here, constants, 12 * i, work, there)
        here, there = there, here
        x, y, z = work[here + 2], work[here + 5], work[here + 8]
        axes[6 * i], axes[6 * i + 1], axes[6 * i + 2] = x, y, z
        axes[6 * i + 3] = work[here + 9]
        axes[6 * i + 4] = work[here + 10]
        axes[6 * i + 5] = work[here + 11]
        if kind[i] == 2:
            travel = q[i] * stretch[i]
            work[here + 9] += travel * x
            work[here + 10] += travel * y
            work[here + 11] += travel * z
        else:
            s, c = math.sin(q[i]), math.cos(q[i])
            for row in range(3):
                j = here + 3 * row
                a, b = work[j], work[j + 1]
                work[j] = c * a + s * b
                work[j + 1] = c * b - s * a
    compose(work, here, tool, 0, tip, 0)


@kernel
def chain_jacobian(
    kind: IntArray, stretch: FloatArray, axes: FloatArray, tip: FloatArray, out: FloatArray
) -> None:
    """Write the geometric Jacobian (6 k,), row-major, of the tool of a chain that was walked."""
    count = len(kind)
    for i in range(count):
        x, y, z = axes[6 * i], axes[6 * i + 1], axes[6 * i + 2]
        if kind[i] == 2:
            out[i] = x * stretch[i]
            out[count + i] = y * stretch[i]
            out[2 * count + i] = z * stretch[i]
            out[3 * count + i] = 0.0
            out[4 * count + i] = 0.0
            out[5 * count + i] = 0.0
        else:
            dx = tip[9] - axes[6 * i + 3]
            dy = tip[10] - axes[6 * i + 4]
            dz = tip[11] - axes[6 * i + 5]
            out[i] = y * dz - z * dy
            out[count + i] = z * dx - x * dz
            out[2 * count + i] = x * dy - y * dx
            out[3 * count + i] = x
            out[4 * count + i] = y
            out[5 * count + i] = z


@kernel
def pose_errors(
    frames: FloatArray,
    base: int,
    link: int,
    point: FloatArray,
    goal: FloatArray,
    out: FloatArray,
    work: FloatArray,
) -> None:
    """Write how far a point of a link is from a goal in the base's frame: m, then rad.

    `frames` are those of `link_frames`: what forward kinematics itself answers is judged.
    """
    compose_inverse(frames, 12 * base, frames, 12 * link, work, 0)
    squared = 0.0
    for row in range(3):
        at = work[9 + row]
        for j in range(3):
            at += work[3 * row + j] * point[j]
        squared += (goal[9 + row] - at) * (goal[9 + row] - at)
    out[0] = math.sqrt(squared)
    for i in range(3):
        for j in range(3):
            work[12 + 3 * i + j] = (
                goal[3 * i] * work[3 * j]
                + goal[3 * i + 1] * work[3 * j + 1]
                + goal[3 * i + 2] * work[3 * j + 2]
            )
    out[1] = rotation_vector(work, 12, work, 0)
