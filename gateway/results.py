"""What the services of kinematics answer, as types; for clients."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Pose:
    """Where something is: metres, and a unit quaternion x y z w."""

    position: tuple[float, float, float]
    orientation: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Solution:
    """Joint positions (rad or m) that reach a target, and how well."""

    positions: dict[str, float]
    position_error: float | None  # m; None: no position was asked for
    orientation_error: float | None  # rad
    seconds: float


def joint_state(positions: Mapping[str, float]) -> dict[str, Any]:
    """Return joint name -> position as a `sensor_msgs/JointState`."""
    return {"name": list(positions), "position": list(positions.values())}


def pose(message: Mapping[str, Any]) -> Pose:
    """Read a `geometry_msgs/Pose`."""
    position, orientation = message["position"], message["orientation"]
    x, y, z, w = (orientation[axis] for axis in "xyzw")
    return Pose((position["x"], position["y"], position["z"]), (x, y, z, w))


def solution(values: Mapping[str, Any]) -> Solution:
    """Read what `/ik/solve_robot` answers."""
    state = values["joint_state"]
    return Solution(
        dict(zip(state["name"], state["position"], strict=True)),
        values["position_error"],
        values["orientation_error"],
        values["seconds"],
    )
