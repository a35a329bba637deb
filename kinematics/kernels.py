"""Kernels of forward kinematics: all links of a tree, and one chain with its Jacobian."""

from __future__ import annotations

import math

from kinematics.arrays import FloatArray, IntArray
from kinematics.compiling import kernel
from kinematics.rotations import quaternion_from_matrix, rotation_vector
from kinematics.transforms import compose, compose_inverse


@kernel
def link_frames(
    tree: IntArray,
    joints: FloatArray,
    q: FloatArray,
    first: int,
    frames: FloatArray,
    work: FloatArray,
) -> None:
    """Write the transform of every link in the root's frame.

    Args:
        tree: (4 j,) each joint's parent and child link, kind, and index in q, parent first.
        joints: (15 j,) each joint's constant transform, then its axis.
        q: the joint values, from `first` on.
        first: where they begin.
        frames: (12 links,) written; the root's own must be there already.
        work: (24,).
    """
    for joint in range(len(tree) // 4):
        base, out = 12 * tree[4 * joint], 12 * tree[4 * joint + 1]
        kind, origin = tree[4 * joint + 2], 15 * joint
        if kind == 0:
            compose(frames, base, joints, origin, frames, out)
            continue
        value = q[first + tree[4 * joint + 3]]
        x, y, z = joints[origin + 12], joints[origin + 13], joints[origin + 14]
        s, c = 0.0, 1.0
        if kind == 1:  # Rodrigues: I + sin K + (1 - cos) K K
            s, c = math.sin(value), math.cos(value)
            work[9], work[10], work[11] = 0.0, 0.0, 0.0
        else:
            work[9], work[10], work[11] = value * x, value * y, value * z
        v = 1.0 - c
        work[0], work[1], work[2] = c + v * x * x, v * x * y - s * z, v * x * z + s * y
        work[3], work[4], work[5] = v * x * y + s * z, c + v * y * y, v * y * z - s * x
        work[6], work[7], work[8] = v * x * z - s * y, v * y * z + s * x, c + v * z * z
        compose(joints, origin, work, 0, work, 12)
        compose(frames, base, work, 12, frames, out)


@kernel
def link_poses(
    frames: FloatArray, base: int, links: IntArray, out: FloatArray, first: int, work: FloatArray
) -> None:
    """Write x y z qx qy qz qw of each of `links` in the frame of `base`, from `first` on."""
    for row in range(len(links)):
        at = first + 7 * row
        compose_inverse(frames, 12 * base, frames, 12 * links[row], work, 0)
        out[at] = work[9]
        out[at + 1] = work[10]
        out[at + 2] = work[11]
        quaternion_from_matrix(work, 0, out, at + 3)


@kernel
def many_link_poses(
    tree: IntArray,
    joints: FloatArray,
    q: FloatArray,
    size: int,
    count: int,
    base: int,
    links: IntArray,
    frames: FloatArray,
    work: FloatArray,
    out: FloatArray,
) -> None:
    """Write the poses of `links` for each of `count` configurations of `size` values in `q`."""
    for i in range(count):
        link_frames(tree, joints, q, size * i, frames, work)
        link_poses(frames, base, links, out, 7 * len(links) * i, work)


@kernel
def walk_chain(
    chain: FloatArray,
    kind: IntArray,
    s: FloatArray,
    tool: int,
    q: int,
    axes: int,
    tip: int,
    work: int,
) -> None:
    """Write where a chain's joints and its tool are, in the chain's base.

    Args:
        chain: (13 k,) the transform from joint i-1, after its motion, to joint i, each joint's
            frame turned so that its axis is z; then k times the travel for one of q, m.
        kind: (k,) 1 revolute, 2 prismatic.
        s: the numbers that the others are places in.
        tool: 12 places, read: from the last joint to the point whose pose is asked for.
        q: k places, read.
        axes: 6 k places, written: each joint's axis, then its origin.
        tip: 12 places, written: the tool's pose.
        work: 24 places.
    """
    here, there = work, work + 12
    s[here], s[here + 1], s[here + 2] = 1.0, 0.0, 0.0
    s[here + 3], s[here + 4], s[here + 5] = 0.0, 1.0, 0.0
    s[here + 6], s[here + 7], s[here + 8] = 0.0, 0.0, 1.0
    s[here + 9], s[here + 10], s[here + 11] = 0.0, 0.0, 0.0
    count = len(kind)
    for i in range(count):
        compose(s, here, chain, 12 * i, s, there)
        here, there = there, here
        x, y, z = s[here + 2], s[here + 5], s[here + 8]
        a = axes + 6 * i
        s[a], s[a + 1], s[a + 2] = x, y, z
        s[a + 3], s[a + 4], s[a + 5] = s[here + 9], s[here + 10], s[here + 11]
        if kind[i] == 2:
            travel = s[q + i] * chain[12 * count + i]
            s[here + 9] += travel * x
            s[here + 10] += travel * y
            s[here + 11] += travel * z
        else:
            sine, cosine = math.sin(s[q + i]), math.cos(s[q + i])
            for row in range(3):
                j = here + 3 * row
                a0, a1 = s[j], s[j + 1]
                s[j] = cosine * a0 + sine * a1
                s[j + 1] = cosine * a1 - sine * a0
    compose(s, here, s, tool, s, tip)


@kernel
def chain_jacobian(
    chain: FloatArray, kind: IntArray, s: FloatArray, axes: int, tip: int, out: FloatArray
) -> None:
    """Write the geometric Jacobian (6 k,), row-major, of the tool of a chain that was walked."""
    count = len(kind)
    for i in range(count):
        a = axes + 6 * i
        x, y, z = s[a], s[a + 1], s[a + 2]
        if kind[i] == 2:
            stretch = chain[12 * count + i]
            out[i] = x * stretch
            out[count + i] = y * stretch
            out[2 * count + i] = z * stretch
            out[3 * count + i] = 0.0
            out[4 * count + i] = 0.0
            out[5 * count + i] = 0.0
        else:
            dx, dy, dz = s[tip + 9] - s[a + 3], s[tip + 10] - s[a + 4], s[tip + 11] - s[a + 5]
            out[i] = y * dz - z * dy
            out[count + i] = z * dx - x * dz
            out[2 * count + i] = x * dy - y * dx
            out[3 * count + i] = x
            out[4 * count + i] = y
            out[5 * count + i] = z


@kernel
def length_of(x: float, y: float, z: float) -> float:
    """Return a vector's length, also where its square is beyond what a number holds."""
    squared = x * x + y * y + z * z
    if squared < math.inf:
        return math.sqrt(squared)
    largest = max(abs(x), abs(y), abs(z))
    x, y, z = x / largest, y / largest, z / largest
    return largest * math.sqrt(x * x + y * y + z * z)


@kernel
def pose_errors(
    frames: FloatArray,
    base: int,
    link: int,
    point: FloatArray,
    point_at: int,
    goal: FloatArray,
    goal_at: int,
    out: FloatArray,
    work: FloatArray,
) -> None:
    """Write how far a point of a link is from a goal in the base's frame: m, then rad.

    `frames` are those of `link_frames`: what forward kinematics itself answers is judged.
    """
    compose_inverse(frames, 12 * base, frames, 12 * link, work, 0)
    for row in range(3):
        at = work[9 + row]
        for j in range(3):
            at += work[3 * row + j] * point[point_at + j]
        work[12 + row] = goal[goal_at + 9 + row] - at
    out[0] = length_of(work[12], work[13], work[14])
    for i in range(3):
        for j in range(3):
            work[12 + 3 * i + j] = (
                goal[goal_at + 3 * i] * work[3 * j]
                + goal[goal_at + 3 * i + 1] * work[3 * j + 1]
                + goal[goal_at + 3 * i + 2] * work[3 * j + 2]
            )
    out[1] = rotation_vector(work, 12, work, 0)
