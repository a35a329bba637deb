"""Joint states and poses are read as they are meant, or refused with a reason."""

from __future__ import annotations

import math
from typing import Any

import pytest

from gateway.robot_messages import (
    NO_JOINT_STATE,
    STAMP_BYTES,
    MessageError,
    read_joint_state,
    read_pose,
)

POSE: dict[str, Any] = {
    "position": {"x": 1, "y": -2.5, "z": 1e300},
    "orientation": {"x": 0.0, "y": 0.6, "z": 0.0, "w": 0.8},
}


def test_a_joint_state_is_its_names_positions_and_stamp() -> None:
    stamp = {"sec": 2**63 - 1, "nanosec": 999_999_999, "more": [None, 0.1]}
    state = read_joint_state(
        {"header": {"stamp": stamp, "frame_id": "x"}, "name": ["a", "é"], "position": [1, -0.5]}
        | {"velocity": "unused", "effort": None}
    )
    assert state.fields() == {"name": ("a", "é"), "position": (1.0, -0.5), "stamp": stamp}


@pytest.mark.parametrize("message", [{}, {"header": {}}, {"name": [], "position": []}])
def test_what_is_absent_is_empty_or_zero(message: object) -> None:
    fields = read_joint_state(message).fields()
    assert fields == {"name": (), "position": (), "stamp": {"sec": 0, "nanosec": 0}}
    assert fields == NO_JOINT_STATE.fields()


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        (None, "the message is null; an object expected"),
        ([], "the message is an array of 0"),
        ({"name": "a", "position": [1]}, "'name' is 'a'; an array of strings"),
        ({"name": [1], "position": [1]}, "'name' is an array of 1; an array of strings"),
        ({"name": ["a"], "position": 1}, "'position' is the number 1; an array of numbers"),
        ({"name": ["a"]}, "1 names and 0 positions"),
        ({"name": ["a"], "position": [1, 2]}, "1 names and 2 positions"),
        ({"name": ["b", "a", "a"], "position": [0, 1, 2]}, "'name' has 'a' more than once"),
        ({"name": ["a"], "position": [None]}, "'position' is null; a finite number"),
        ({"name": ["a"], "position": [True]}, "'position' is true; a finite number"),
        ({"name": ["a"], "position": ["1"]}, "'position' is '1'; a finite number"),
        ({"name": ["a"], "position": [math.inf]}, "a finite number"),
        ({"header": 5}, "'header' is the number 5; an object"),
        ({"header": {"stamp": 1.5}}, "'header.stamp' is the number 1.5; an object"),
        ({"header": {"stamp": {"sec": "x" * STAMP_BYTES}}}, "'header.stamp' takes 266 bytes"),
    ],
)
def test_a_malformed_joint_state_is_refused_with_a_reason(message: object, sentence: str) -> None:
    with pytest.raises(MessageError, match=sentence.replace(".", r"\.")):
        read_joint_state(message)


def test_a_pose_is_read_with_its_quaternion_normalised() -> None:
    assert read_pose(POSE) == (1.0, -2.5, 1e300, 0.0, 0.6, 0.0, 0.8)
    off = POSE | {"orientation": {"x": 0, "y": 0, "z": 0, "w": -1.0009}}
    assert read_pose(off)[3:] == (0.0, 0.0, 0.0, -1.0)


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        (3, "the message is the number 3"),
        ({"position": POSE["position"]}, "'orientation' is nothing"),
        ({"orientation": POSE["orientation"]}, "'position' is nothing"),
        (POSE | {"position": {"x": 1, "y": 2}}, "'position.z' is nothing"),
        (POSE | {"position": {"x": 1, "y": 2, "z": False}}, "'position.z' is false"),
        (POSE | {"orientation": {"x": 0, "y": 0, "z": 0, "w": 0}}, "has norm 0; a unit"),
        (POSE | {"orientation": {"x": 0, "y": 0, "z": 0, "w": 1.0011}}, "has norm 1.0011"),
    ],
)
def test_a_malformed_pose_is_refused_with_a_reason(message: object, sentence: str) -> None:
    with pytest.raises(MessageError, match=sentence.replace(".", r"\.")):
        read_pose(message)
