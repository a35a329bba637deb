"""Forward kinematics and Jacobians a second time, in plain NumPy, straight from the definitions.

It shares no code with `kinematics` and starts from the description as it was read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from urdf import Joint, Robot

Array = npt.NDArray[np.float64]


def link_transforms(robot: Robot, positions: Mapping[str, float]) -> dict[str, Array]:
    """Return T_root_link (4, 4) of every link; a joint without a position is at 0."""
    below: dict[str, list[Joint]] = {}
    for joint in robot.joints:
        below.setdefault(joint.parent, []).append(joint)
    found = {robot.root_link: np.eye(4)}
    frontier = [robot.root_link]
    while frontier:
        parent = frontier.pop()
        for joint in below.get(parent, []):
            q = positions.get(joint.name, 0.0)
            found[joint.child] = found[parent] @ origin_of(joint) @ motion(joint, q)
            frontier.append(joint.child)
    return found


def relative(robot: Robot, positions: Mapping[str, float], base: str, link: str) -> Array:
    """Return T_base_link (4, 4)."""
    found = link_transforms(robot, positions)
    return np.asarray(np.linalg.inv(found[base]) @ found[link])


def path(robot: Robot, base: str, link: str) -> list[Joint]:
    """Return the movable joints from base down to link."""
    above = {joint.child: joint for joint in robot.joints}
    joints: list[Joint] = []
    while link != base:
        joints.insert(0, above[link])
        link = above[link].parent
    return [joint for joint in joints if joint.type != "fixed"]


def jacobian(
    robot: Robot,
    positions: Mapping[str, float],
    link: str,
    base: str,
    point: Sequence[float] = (0.0, 0.0, 0.0),
) -> Array:
    """Return the geometric Jacobian (6, k) of a point of a link, along the base's axes."""
    found = link_transforms(robot, positions)
    T_base_root = np.linalg.inv(found[base])
    target = (T_base_root @ found[link] @ np.array([*point, 1.0]))[:3]
    columns = []
    for joint in path(robot, base, link):
        T = T_base_root @ found[joint.parent] @ origin_of(joint)
        axis = T[:3, :3] @ np.array(joint.axis)
        if joint.type == "prismatic":
            columns.append(np.concatenate((axis, np.zeros(3))))
        else:
            axis = T[:3, :3] @ unit(joint.axis)
            columns.append(np.concatenate((np.cross(axis, target - T[:3, 3]), axis)))
    return np.array(columns).reshape(-1, 6).T


def origin_of(joint: Joint) -> Array:
    """Return the constant transform from the parent link to the joint."""
    roll, pitch, yaw = joint.origin.rpy
    T = np.eye(4)
    T[:3, :3] = (
        about((0.0, 0.0, 1.0), yaw) @ about((0.0, 1.0, 0.0), pitch) @ about((1.0, 0.0, 0.0), roll)
    )
    T[:3, 3] = joint.origin.xyz
    return T


def motion(joint: Joint, q: float) -> Array:
    """Return what the joint adds at q."""
    T = np.eye(4)
    if joint.type == "prismatic":
        T[:3, 3] = q * np.array(joint.axis)
    elif joint.type != "fixed":
        T[:3, :3] = about(unit(joint.axis), q)
    return T


def unit(axis: Sequence[float]) -> tuple[float, float, float]:
    """Return an axis of any length but 0 as one of length 1."""
    largest = max(abs(a) for a in axis)
    x, y, z = (a / largest for a in axis)
    length = math.sqrt(x * x + y * y + z * z)
    return x / length, y / length, z / length


def about(axis: Sequence[float], angle: float) -> Array:
    """Return the rotation about a unit axis: I + sin K + (1 - cos) K K."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * (K @ K))


def matrix_of(pose: Sequence[float] | Array) -> Array:
    """Return x y z qx qy qz qw as a matrix (4, 4), by turning each axis with the quaternion."""
    position, (x, y, z, w) = pose[:3], pose[3:]
    v = np.array([x, y, z])
    T = np.eye(4)
    for i, e in enumerate(np.eye(3)):
        T[:3, i] = e + 2.0 * np.cross(v, np.cross(v, e) + w * e)
    T[:3, 3] = position
    return T


def errors_between(T: Array, goal: Array) -> tuple[float, float]:
    """Return how far apart two poses are: metres, and the angle between them in radians.

    The angle is taken from the chord between the two rotations: ||A - B|| = 2 sqrt(2) sin(a/2).
    """
    chord = float(np.linalg.norm(T[:3, :3] - goal[:3, :3])) / (2.0 * math.sqrt(2.0))
    return math.dist(T[:3, 3], goal[:3, 3]), 2.0 * math.asin(min(1.0, chord))
