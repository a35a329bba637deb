"""Joints that move toward where they are told to be: a proportional servo within the limits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

GAIN_PER_SECOND: Final = 4.0  # of what is left to go: half of it in 0.17 s
TOP_SPEED: Final = 2.0  # rad/s or m/s, whatever the distance
CLOSE: Final = 1e-6  # rad or m: there


class TrajectoryError(ValueError):
    """A message that is no trajectory for this robot."""


class JointServo:
    """Every movable joint of a robot: where it is, and where it goes."""

    def __init__(self, joints: Sequence[Mapping[str, Any]]) -> None:
        """Begin with every joint at 0, moved into its limits.

        Args:
            joints: `joints` of `/ik/robot_info`.
        """
        self._limits: dict[str, tuple[float, float]] = {}
        for joint in joints:
            if joint["type"] == "fixed":
                continue
            limit = joint["limit"] or {"lower": -math.inf, "upper": math.inf}
            self._limits[joint["name"]] = limit["lower"], limit["upper"]
        self.positions: dict[str, float] = {}
        self.targets: dict[str, float] = {}
        self.reset()

    def reset(self) -> None:
        """Put every joint back where it began."""
        self.positions = {name: self._within(name, 0.0) for name in self._limits}
        self.targets = dict(self.positions)

    def aim(self, trajectory: object) -> None:
        """Take a `trajectory_msgs/JointTrajectory`: its last point is where to go.

        Joints that it does not name stay on their way; beyond a limit means at it.

        Raises:
            TrajectoryError: it is malformed, or names a joint that does not move.
        """
        fields = trajectory if isinstance(trajectory, dict) else {}
        names, points = fields.get("joint_names"), fields.get("points")
        if not (isinstance(names, list) and isinstance(points, list) and points):
            raise TrajectoryError("'joint_names' and at least one of 'points' expected")
        point = points[-1]
        positions = point.get("positions") if isinstance(point, dict) else None
        if not (isinstance(positions, list) and len(positions) == len(names)):
            raise TrajectoryError(f"'positions' of the last point: {len(names)} numbers expected")
        aims: dict[str, float] = {}
        for name, position in zip(names, positions, strict=True):
            if name not in self._limits:
                raise TrajectoryError(f"no movable joint is named {name!r}")
            number = isinstance(position, int | float) and not isinstance(position, bool)
            if not (number and math.isfinite(position)):
                raise TrajectoryError(
                    f"the position of {name!r} is {position!r}; a number expected"
                )
            aims[name] = self._within(name, float(position))
        self.targets |= aims

    def move(self, seconds: float) -> None:
        """Let some time pass."""
        share = 1.0 - math.exp(-GAIN_PER_SECOND * seconds)
        for name, target in self.targets.items():
            left = target - self.positions[name]
            step = min(max(left * share, -TOP_SPEED * seconds), TOP_SPEED * seconds)
            there = abs(left) <= CLOSE
            self.positions[name] = (
                target if there else self._within(name, self.positions[name] + step)
            )

    def _within(self, name: str, position: float) -> float:
        lower, upper = self._limits[name]
        return max(lower, min(position, upper))
