"""Forward kinematics a second time, in plain Python: an independent witness for the tests.

It shares no code with the product: no NumPy, one 4x4 matrix per link, each computed straight
from the definition T_parent_child(q) = Trans(xyz) Rz(yaw) Ry(pitch) Rx(roll) Motion(axis, q).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from urdf import Joint, Robot

Matrix = tuple[float, ...]  # 16 numbers, row by row

IDENTITY: Matrix = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)


def poses(robot: Robot, positions: Mapping[str, float]) -> dict[str, Matrix]:
    """Return T_root_link of every link; a joint without a position is at 0.

    It walks the tree by itself, so that the order which the product finds is not relied on.
    """
    found: dict[str, Matrix] = {robot.root_link: IDENTITY}
    below: dict[str, list[Joint]] = {}
    for joint in robot.joints:
        below.setdefault(joint.parent, []).append(joint)
    frontier = [robot.root_link]
    while frontier:
        parent = frontier.pop()
        for joint in below.get(parent, []):
            found[joint.child] = multiply(
                found[parent], joint_transform(joint, positions.get(joint.name, 0.0))
            )
            frontier.append(joint.child)
    return found


def joint_transform(joint: Joint, q: float) -> Matrix:
    """Return T_parent_child at q."""
    x, y, z = joint.origin.xyz
    roll, pitch, yaw = joint.origin.rpy
    turned = multiply(multiply(_about_z(yaw), _about_y(pitch)), _about_x(roll))
    fixed_part = multiply(_translation(x, y, z), turned)
    if joint.type == "fixed":
        return fixed_part
    if joint.type == "prismatic":
        return multiply(fixed_part, _translation(*(q * a for a in joint.axis)))
    return multiply(fixed_part, _about(joint.axis, q))


def multiply(a: Matrix, b: Matrix) -> Matrix:
    """Return the product of two 4x4 matrices."""
    return tuple(
        math.fsum(a[4 * row + k] * b[4 * k + column] for k in range(4))
        for row in range(4)
        for column in range(4)
    )


def agree(got: Matrix, wanted: Matrix, tolerance: float = 1e-9) -> bool:
    """Whether two matrices agree, relative to max(1, |wanted|) in each number."""
    return len(got) == len(wanted) and all(
        abs(g - w) <= tolerance * max(1.0, abs(w)) for g, w in zip(got, wanted, strict=True)
    )


def _translation(x: float, y: float, z: float) -> Matrix:
    return (1.0, 0.0, 0.0, x, 0.0, 1.0, 0.0, y, 0.0, 0.0, 1.0, z, 0.0, 0.0, 0.0, 1.0)


def _about_x(angle: float) -> Matrix:
    c, s = math.cos(angle), math.sin(angle)
    return (1.0, 0.0, 0.0, 0.0, 0.0, c, -s, 0.0, 0.0, s, c, 0.0, 0.0, 0.0, 0.0, 1.0)


def _about_y(angle: float) -> Matrix:
    c, s = math.cos(angle), math.sin(angle)
    return (c, 0.0, s, 0.0, 0.0, 1.0, 0.0, 0.0, -s, 0.0, c, 0.0, 0.0, 0.0, 0.0, 1.0)


def _about_z(angle: float) -> Matrix:
    c, s = math.cos(angle), math.sin(angle)
    return (c, -s, 0.0, 0.0, s, c, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)


def _about(axis: tuple[float, float, float], angle: float) -> Matrix:
    """Rotation about an axis of any length: R = c I + (1-c) u u' + s [u]x (Rodrigues)."""
    largest = max(abs(a) for a in axis)
    # By a power of two first: a huge axis must not overflow, nor a subnormal one lose digits.
    _, exponent = math.frexp(largest)
    scaled = [math.ldexp(a, -exponent) for a in axis]
    length = math.hypot(*scaled)
    x, y, z = (a / length for a in scaled)
    c, s = math.cos(angle), math.sin(angle)
    v = 1.0 - c
    return (
        *(c + v * x * x, v * x * y - s * z, v * x * z + s * y, 0.0),
        *(v * x * y + s * z, c + v * y * y, v * y * z - s * x, 0.0),
        *(v * x * z - s * y, v * y * z + s * x, c + v * z * z, 0.0),
        *(0.0, 0.0, 0.0, 1.0),
    )
