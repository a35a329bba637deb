"""What clients say of a robot's state: joint states and poses, read and checked."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import orjson

from gateway.errors import ABSENT, GatewayError, quote, show

QUATERNION_NORM_TOLERANCE: Final = 1e-3  # further off is a mistake, not rounding
STAMP_BYTES: Final = 256  # every transform repeats it; two integers take 40
ZERO_STAMP: Final[Mapping[str, object]] = {"sec": 0, "nanosec": 0}


class MessageError(GatewayError):
    """A message that is not what its topic carries."""


@dataclass(frozen=True, slots=True)
class JointState:
    """Where the joints are: `sensor_msgs/JointState`, as far as it is used."""

    names: tuple[str, ...] = ()
    positions: tuple[float, ...] = ()  # rad or m, one for each name
    stamp: object = None  # as it came; None before any did

    def fields(self) -> dict[str, object]:
        """Return what a worker is told of it."""
        stamp = ZERO_STAMP if self.stamp is None else self.stamp
        return {"name": self.names, "position": self.positions, "stamp": stamp}


Pose = tuple[float, float, float, float, float, float, float]  # x y z, qx qy qz qw
IDENTITY_POSE: Final[Pose] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
NO_JOINT_STATE: Final = JointState()


def read_joint_state(message: object) -> JointState:
    """Read a `sensor_msgs/JointState`; absent arrays are empty, an absent stamp is zero.

    Raises:
        MessageError: it is malformed.
    """
    state = _object(message, "the message")
    names, positions = state.get("name", []), state.get("position", [])
    if not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
        raise MessageError(f"'name' is {show(names)}; an array of strings expected")
    if not isinstance(positions, list):
        raise MessageError(f"'position' is {show(positions)}; an array of numbers expected")
    if len(names) != len(positions):
        raise MessageError(
            f"{len(names)} names and {len(positions)} positions; one position a name expected"
        )
    if len(set(names)) < len(names):
        ((twice, _),) = Counter(names).most_common(1)
        raise MessageError(f"'name' has {quote(twice)} more than once")
    numbers = tuple(_number(value, "position") for value in positions)
    return JointState(tuple(names), numbers, _stamp(state))


def read_pose(message: object) -> Pose:
    """Read a `geometry_msgs/Pose`, its quaternion normalised.

    Raises:
        MessageError: it is malformed.
    """
    pose = _object(message, "the message")
    position = _object(pose.get("position", ABSENT), "'position'")
    orientation = _object(pose.get("orientation", ABSENT), "'orientation'")
    x, y, z = (_number(position.get(axis, ABSENT), f"position.{axis}") for axis in "xyz")
    quaternion = [_number(orientation.get(axis, ABSENT), f"orientation.{axis}") for axis in "xyzw"]
    norm = math.hypot(*quaternion)
    if abs(norm - 1.0) > QUATERNION_NORM_TOLERANCE:
        raise MessageError(f"'orientation' has norm {norm:.6g}; a unit quaternion expected")
    qx, qy, qz, qw = (part / norm for part in quaternion)
    return x, y, z, qx, qy, qz, qw


def _stamp(state: Mapping[str, object]) -> object:
    header = _object(state.get("header", {}), "'header'")
    stamp = _object(header.get("stamp", ZERO_STAMP), "'header.stamp'")
    size = len(orjson.dumps(stamp))
    if size > STAMP_BYTES:
        raise MessageError(f"'header.stamp' takes {size} bytes; at most {STAMP_BYTES} expected")
    return stamp


def _object(value: object, what: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise MessageError(f"{what} is {show(value)}; an object expected")
    return value


def _number(value: object, what: str) -> float:
    # JSON has no NaN, but an integer of any size, and 1e999.
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise MessageError(f"'{what}' is {show(value)}; a finite number expected")
    return float(value)
