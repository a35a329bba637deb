"""Every wrong argument of every `/ik/*` call: the code, and a sentence that names the field."""

from __future__ import annotations

from typing import Any

import pytest

from kinematics import requests
from kinematics.batches import BATCHES
from kinematics.model_services import MODEL_SERVICES
from kinematics.requests import MAX_SOLUTIONS
from tests.support.calls import call, load, refusal

ROBOT = """<robot name="two">
<link name="base"/><link name="upper"/><link name="fore"/><link name="tip"/><link name="side"/>
<joint name="j1" type="revolute"><parent link="base"/><child link="upper"/>
  <axis xyz="0 0 1"/><limit lower="-2" upper="2"/></joint>
<joint name="j2" type="revolute"><parent link="upper"/><child link="fore"/>
  <origin xyz="1 0 0"/><axis xyz="0 0 1"/><limit lower="-2" upper="2"/></joint>
<joint name="weld" type="fixed"><parent link="fore"/><child link="tip"/>
  <origin xyz="1 0 0"/></joint>
<joint name="j3" type="continuous"><parent link="base"/><child link="side"/></joint>
</robot>"""
LOADED = load(ROBOT)
HERE: dict[str, Any] = {"position": {"x": 0, "y": 1, "z": 0}}

NUMBERS = 'an object {"x":…,"y":…,"z":…} expected'
STATES: list[tuple[object, str, str]] = [
    (None, "invalid_request", "'{}' is null; an object expected"),
    ([], "invalid_request", "'{}' is an array of 0; an object expected"),
    (
        {"name": "j1"},
        "invalid_request",
        "'{}.name' is the string 'j1'; an array of strings expected",
    ),
    ({"name": [1], "position": [1]}, "invalid_request", "'{}.name[0]' is 1; a string expected"),
    (
        {"name": ["j1"], "position": {}},
        "invalid_request",
        "'{}.position' is an object; an array of numbers expected",
    ),
    (
        {"name": ["j1"], "position": ["1"]},
        "invalid_request",
        "'{}.position[0]' is the string '1'; a number expected",
    ),
    (
        {"name": ["j1"], "position": [True]},
        "invalid_request",
        "'{}.position[0]' is true; a number expected",
    ),
    (
        {"name": ["j1"], "position": [None]},
        "invalid_request",
        "'{}.position[0]' is null; a number expected",
    ),
    (
        {"name": ["j1", "j2"], "position": [1]},
        "invalid_request",
        "'{}' has 2 names and 1 positions; one position for each name expected",
    ),
    (
        {"name": ["j1"]},
        "invalid_request",
        "'{}' has 1 names and 0 positions; one position for each name expected",
    ),
    (
        {"position": [1]},
        "invalid_request",
        "'{}' has 0 names and 1 positions; one position for each name expected",
    ),
    (
        {"name": ["j1", "j1"], "position": [1, 2]},
        "invalid_request",
        "'{}.name' has 'j1' twice; once expected",
    ),
    (
        {"name": ["weld", "weld"], "position": [1, 2]},
        "invalid_request",
        "'{}.name' has 'weld' twice; once expected",
    ),
    (
        {"name": ["j1", "well"], "position": [1, 2]},
        "unknown_joint",
        "no joint is named 'well'; did you mean 'weld'?",
    ),
    (
        {"name": [""], "position": [1]},
        "unknown_joint",
        "no joint is named ''; the robot has 4; /ik/robot_info lists them",
    ),
]
LINKS: list[tuple[object, str, str]] = [
    (None, "invalid_request", "'{}' is null; a string expected"),
    (7, "invalid_request", "'{}' is 7; a string expected"),
    (["tip"], "invalid_request", "'{}' is an array of 1; a string expected"),
    ("tipp", "unknown_link", "no link is named 'tipp'; did you mean 'tip'?"),
    ("Tip", "unknown_link", "no link is named 'Tip'; did you mean 'tip'?"),
    ("", "unknown_link", "no link is named ''; the robot has 5; /ik/robot_info lists them"),
]
POINTS: list[tuple[object, str, str]] = [
    (None, "invalid_request", f"'{{}}' is null; {NUMBERS}"),
    ([0, 0, 0], "invalid_request", f"'{{}}' is an array of 3; {NUMBERS}"),
    ({"x": 0, "y": 0}, "invalid_request", "'{}.z' is missing; a number expected"),
    ({"x": 0, "y": "0", "z": 0}, "invalid_request", "'{}.y' is the string '0'; a number expected"),
]
STRING = "'{}' is 5; a string expected"
OTHER: list[tuple[str, str, object, str, str]] = [
    ("forward_kinematics", "links", None, "invalid_request", "'{}' is null; an array of strings expected"),
    ("forward_kinematics", "links", "tip", "invalid_request", "'{}' is the string 'tip'; an array of strings expected"),
    ("forward_kinematics", "links", ["tip", 3], "invalid_request", "'{}[1]' is 3; a string expected"),
    ("forward_kinematics", "links", ["tip", "top"], "unknown_link", "no link is named 'top'; did you mean 'tip'?"),
    ("jacobian", "base_link", "tip", "invalid_request", "'base_link' is 'tip', which is not above 'fore'; the link itself or one of its ancestors expected"),
    ("jacobian", "reference", None, "invalid_request", "'{}' is null; \"base\" or \"link\" expected"),
    ("jacobian", "reference", "world", "invalid_request", "'{}' is the string 'world'; \"base\" or \"link\" expected"),
    ("jacobian", "reference", [], "invalid_request", "'{}' is an array of 0; \"base\" or \"link\" expected"),
    ("jacobian", "reference", {}, "invalid_request", "'{}' is an object; \"base\" or \"link\" expected"),
    ("solve_robot", "target", None, "invalid_request", "'{}' is null; an object expected"),
    ("solve_robot", "target", {}, "invalid_request", "'target' has neither 'position' nor 'orientation'; one expected"),
    ("solve_robot", "target", {"pose": 1}, "invalid_request", "'target' has neither 'position' nor 'orientation'; one expected"),
    ("solve_robot", "target", {"position": None}, "invalid_request", f"'target.position' is null; {NUMBERS}"),
    ("solve_robot", "target", {"position": {"x": 1}}, "invalid_request", "'target.position.y' is missing; a number expected"),
    ("solve_robot", "target", {"orientation": [0, 0, 0, 1]}, "invalid_request", "'target.orientation' is an array of 4; an object {\"x\":…,\"y\":…,\"z\":…,\"w\":…} expected"),
    ("solve_robot", "target", {"orientation": {"x": 0, "y": 0, "z": 0}}, "invalid_request", "'target.orientation.w' is missing; a number expected"),
    ("solve_robot", "target", {"orientation": {"x": 0, "y": 0, "z": 0, "w": 0}}, "invalid_request", "'target.orientation' has norm 0; a unit quaternion expected (within 0.001 of 1)"),
    ("solve_robot", "base_link", "tip", "invalid_request", "'base_link' is 'tip', which is not above 'fore'; the link itself or one of its ancestors expected"),
    ("solve_robot", "joints", None, "invalid_request", "'{}' is null; an array of strings expected"),
    ("solve_robot", "joints", ["j1", None], "invalid_request", "'{}[1]' is null; a string expected"),
    ("solve_robot", "joints", ["j1", "j1"], "invalid_request", "'joints' has 'j1' twice; once expected"),
    ("solve_robot", "joints", ["wild"], "unknown_joint", "no joint is named 'wild'; did you mean 'weld'?"),
    ("solve_robot", "joints", ["j3"], "invalid_request", "'joints' names 'j3', which is not between 'base' and 'fore'"),
    ("solve_robot", "joints", ["weld"], "invalid_request", "'joints' names 'weld', which is not between 'base' and 'fore'"),
    ("solve_robot", "tolerance", None, "invalid_request", "'{}' is null; an object expected"),
    ("solve_robot", "tolerance", 1e-3, "invalid_request", "'{}' is 0.001; an object expected"),
    ("solve_robot", "tolerance", {"position": 0}, "invalid_request", "'tolerance.position' is 0; a number above 0 expected"),
    ("solve_robot", "tolerance", {"orientation": -1e-9}, "invalid_request", "'tolerance.orientation' is -1e-9; a number above 0 expected"),
    ("solve_robot", "tolerance", {"position": None}, "invalid_request", "'tolerance.position' is null; a number above 0 expected"),
    ("solve_robot", "timeout", None, "invalid_request", "'{}' is null; a number from 0 to 10 expected"),
    ("solve_robot", "timeout", -0.1, "invalid_request", "'{}' is -0.1; a number from 0 to 10 expected"),
    ("solve_robot", "timeout", 10.001, "invalid_request", "'{}' is 10.001; a number from 0 to 10 expected"),
    ("solve_robot", "timeout", "1", "invalid_request", "'{}' is the string '1'; a number from 0 to 10 expected"),
    ("solve_robot", "random_seed", 1.0, "invalid_request", "'{}' is 1.0; an integer from -9223372036854775808 to 18446744073709551615 expected"),
    ("solve_robot", "random_seed", True, "invalid_request", "'{}' is true; an integer from -9223372036854775808 to 18446744073709551615 expected"),
    ("solve_robot", "solutions", 0, "invalid_request", "'{}' is 0; an integer from 1 to 64 expected"),
    ("solve_robot", "solutions", 65, "invalid_request", "'{}' is 65; an integer from 1 to 64 expected"),
    ("solve_robot", "solutions", 2.5, "invalid_request", "'{}' is 2.5; an integer from 1 to 64 expected"),
]  # fmt: skip
READY: dict[str, dict[str, Any]] = {
    "robot_info": {},
    "forward_kinematics": {},
    "jacobian": {"link": "fore"},
    "solve_robot": {"link": "fore", "target": HERE},
}


def cases() -> list[Any]:
    """Return every wrong value of every field of every service."""
    found: list[tuple[str, str, object, str, str]] = list(OTHER)
    for service, field in (
        ("forward_kinematics", "joint_state"),
        ("jacobian", "joint_state"),
        ("solve_robot", "seed"),
    ):
        found += [(service, field, *case) for case in STATES]
        found += [(service, "base_link", *case) for case in LINKS]
    for service in ("jacobian", "solve_robot"):
        found += [(service, "link", *case) for case in LINKS]
        found += [(service, "point", *case) for case in POINTS]
    found += [(service, "description_param", 5, "invalid_request", STRING) for service in READY]
    return [pytest.param(*case, id=f"{case[0]} {case[1]} {i}") for i, case in enumerate(found)]


@pytest.mark.parametrize(("service", "field", "value", "code", "sentence"), cases())
def test_a_wrong_value(service: str, field: str, value: object, code: str, sentence: str) -> None:
    args = READY[service] | {field: value}
    assert refusal(service, args, LOADED) == (code, sentence.replace("{}", field, 1))


@pytest.mark.parametrize(
    ("service", "field", "right"),
    [
        ("jacobian", "link", "a string"),
        ("solve_robot", "link", "a string"),
        ("solve_robot", "target", "an object"),
    ],
)
def test_a_field_that_is_missing(service: str, field: str, right: str) -> None:
    args = {name: value for name, value in READY[service].items() if name != field}
    sentence = f"'{field}' is missing; {right} expected"
    assert refusal(service, args, LOADED) == ("invalid_request", sentence)


@pytest.mark.parametrize("service", list(READY))
@pytest.mark.parametrize(
    ("args", "came"), [(None, "null"), ([1], "an array of 1"), ("x", "the string 'x'"), (5, "5")]
)
def test_arguments_that_are_no_object(service: str, args: object, came: str) -> None:
    sentence = f"'args' is {came}; an object expected"
    assert refusal(service, args, LOADED) == ("invalid_request", sentence)


@pytest.mark.parametrize("service", list(READY))
def test_fields_that_nothing_reads_are_listed_and_do_nothing(service: str) -> None:
    plain = call(service, READY[service], LOADED)
    assert "ignored" not in plain
    values = call(service, READY[service] | {"lnik": 1, "header": {}}, LOADED)
    assert values.pop("ignored") == ["lnik", "header"]
    assert values.keys() == plain.keys()


def test_fields_that_nothing_reads_are_found_in_target_and_tolerance() -> None:
    args = READY["solve_robot"] | {
        "target": HERE | {"frame_id": ""},
        "tolerance": {"angle": 1},
        "robot": 1,
    }
    values = call("solve_robot", args, LOADED)
    assert values["ignored"] == ["robot", "target.frame_id", "tolerance.angle"]


def test_a_fixed_joint_on_the_path_may_be_named_and_changes_nothing() -> None:
    target = {"position": {"x": 1.2, "y": 0.8, "z": 0}}
    args = {"link": "tip", "target": target, "timeout": 5}
    plain = call("solve_robot", args, LOADED)
    named = call("solve_robot", args | {"joints": ["weld", "j2", "j1"]}, LOADED)
    assert named["joint_state"] == plain["joint_state"]


def test_a_flood_of_surplus_fields_is_cut() -> None:
    values = call("robot_info", {f"f{i}": 0 for i in range(5000)}, LOADED)
    assert len(values["ignored"]) == 100


def test_the_known_fields_are_those_that_something_reads() -> None:
    services = {f"/ik/{name}" for name in (*READY, "validate")}
    assert requests.KNOWN_FIELDS.keys() == services | BATCHES.keys() | MODEL_SERVICES.keys()


def test_a_joint_state_of_another_shape_is_noticed() -> None:
    """Joint name to value is what people try first; a message's other fields are known."""
    state: dict[str, object] = {"header": {}, "velocity": [], "effort": []}
    ready = {name: READY[name] for name in ("forward_kinematics", "solve_robot")}
    for service, field in (("forward_kinematics", "joint_state"), ("solve_robot", "seed")):
        assert "ignored" not in call(service, ready[service] | {field: state}, LOADED)
        values = call(service, ready[service] | {field: {"elbow": 1.0, "names": []}}, LOADED)
        assert values["ignored"] == [f"{field}.elbow", f"{field}.names"]


def test_as_many_solutions_as_are_allowed() -> None:
    values = call("solve_robot", READY["solve_robot"] | {"solutions": MAX_SOLUTIONS}, LOADED)
    assert 1 <= len(values["solutions"]) <= MAX_SOLUTIONS
