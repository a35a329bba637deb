"""The `/ik/*` services as a client sees them: shapes, order of complaints, versions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import orjson
import pytest

from kinematics.descriptions import NOT_SET
from kinematics.services import Solve, begin, failed, limit_exceeded
from tests.support import numpy_kinematics as witness
from tests.support.arm import ARM
from tests.support.calls import call, load, refusal, response
from urdf import parse

ROBOT = """<robot name="two">
<link name="base"><visual><origin xyz="1 2 3"/><geometry><box size="1 2 3"/></geometry></visual></link>
<link name="upper"><visual><geometry><cylinder radius="1" length="2"/></geometry></visual></link>
<link name="fore"><visual><geometry><sphere radius="4"/></geometry></visual></link>
<link name="tip"><visual><geometry><mesh filename="a.stl"/></geometry></visual></link>
<joint name="j1" type="revolute"><parent link="base"/><child link="upper"/>
  <axis xyz="0 0 2"/><limit lower="-2" upper="2"/></joint>
<joint name="j2" type="continuous"><parent link="upper"/><child link="fore"/>
  <origin xyz="1 0 0" rpy="0 0 0.5"/><axis xyz="0 0 1"/></joint>
<joint name="weld" type="fixed"><parent link="fore"/><child link="tip"/>
  <origin xyz="1 0 0"/></joint>
</robot>"""
LOADED = load(ROBOT, version=9)
BROKEN = load("<robot", version=4)
SERVICES = ("robot_info", "forward_kinematics", "jacobian", "solve_robot")


def matrix(pose: dict[str, Any]) -> Any:
    """Return a `geometry_msgs/Pose` as a matrix (4, 4)."""
    position, orientation = pose["position"], pose["orientation"]
    assert list(position) == ["x", "y", "z"]
    assert list(orientation) == ["x", "y", "z", "w"]
    return witness.matrix_of([*position.values(), *orientation.values()])


def state(**positions: float) -> dict[str, Any]:
    return {"name": list(positions), "position": list(positions.values())}


# -- the envelope


def test_the_request_goes_back_as_it_came() -> None:
    line = b'{"op":"call_service","service":"/ik/robot_info","id":{"a":[1,null]},"type":"x"}'
    answer = response(line, LOADED)
    assert list(answer) == ["op", "service", "id", "values", "result", "status"]
    assert answer["op"] == "service_response"
    assert answer["service"] == "/ik/robot_info"
    assert answer["id"] == {"a": [1, None]}
    assert next(iter(answer["values"])) == "version"


def test_without_an_id_there_is_none_and_args_may_be_left_out() -> None:
    answer = response(b'{"op":"call_service","service":"/ik/forward_kinematics"}', LOADED)
    assert "id" not in answer
    assert answer["result"]


# -- which robot


@pytest.mark.parametrize("service", SERVICES)
def test_without_a_description_nothing_is_computed(service: str) -> None:
    assert refusal(service, {}, NOT_SET) == (
        "not_set",
        "the parameter 'robot_description' was never set, or was deleted; "
        "store a robot's URDF in it with /param_server/set_param",
    )
    _, sentence = refusal(service, {"description_param": "left"}, NOT_SET)
    assert "'left' was never set" in sentence


@pytest.mark.parametrize("service", SERVICES)
def test_with_an_invalid_description_nothing_is_computed(service: str) -> None:
    code, sentence = refusal(service, {}, BROKEN)
    assert code == "invalid_robot_description"
    assert sentence == BROKEN.refusal


@pytest.mark.parametrize("loaded", [NOT_SET, BROKEN, LOADED])
def test_arguments_of_the_wrong_kind_are_refused_before_the_description(loaded: Any) -> None:
    assert refusal("jacobian", 5, loaded)[0] == "invalid_request"
    assert refusal("jacobian", {"description_param": 5}, loaded)[0] == "invalid_request"


@pytest.mark.parametrize("loaded", [NOT_SET, BROKEN])
def test_the_description_is_refused_before_other_arguments(loaded: Any) -> None:
    code, _ = refusal("jacobian", {"link": 5, "surplus": 1}, loaded)
    assert code in {"not_set", "invalid_robot_description"}


def test_a_refusal_lists_ignored_fields_too() -> None:
    line = b'{"op":"call_service","service":"/ik/jacobian","args":{"lnik":"tip"}}'
    answer = response(line, LOADED)
    assert answer["status"] == "'link' is missing; a string expected"
    assert answer["values"] == {"version": 9, "code": "invalid_request", "ignored": ["lnik"]}


# -- robot_info


def test_robot_info_is_the_description() -> None:
    zero = {"xyz": [0, 0, 0], "rpy": [0, 0, 0]}
    assert call("robot_info", {}, LOADED) == {
        "version": 9,
        "name": "two",
        "root_link": "base",
        "links": ["base", "upper", "fore", "tip"],
        "joints": [
            {
                "name": "j1",
                "type": "revolute",
                "parent": "base",
                "child": "upper",
                "origin": zero,
                "axis": [0, 0, 2],
                "limit": {"lower": -2, "upper": 2},
            },
            {
                "name": "j2",
                "type": "continuous",
                "parent": "upper",
                "child": "fore",
                "origin": {"xyz": [1, 0, 0], "rpy": [0, 0, 0.5]},
                "axis": [0, 0, 1],
                "limit": None,
            },
            {
                "name": "weld",
                "type": "fixed",
                "parent": "fore",
                "child": "tip",
                "origin": {"xyz": [1, 0, 0], "rpy": [0, 0, 0]},
                "axis": [1, 0, 0],
                "limit": None,
            },
        ],
        "joint_names": ["j1", "j2"],
        "visuals": {
            "base": {
                "origin": {"xyz": [1, 2, 3], "rpy": [0, 0, 0]},
                "shape": {"type": "box", "size": [1, 2, 3]},
            },
            "upper": {
                "origin": zero,
                "shape": {"type": "cylinder", "radius": 1, "length": 2},
            },
            "fore": {"origin": zero, "shape": {"type": "sphere", "radius": 4}},
            "tip": {
                "origin": zero,
                "shape": {"type": "mesh", "filename": "a.stl", "scale": [1, 1, 1]},
            },
        },
    }


# -- validate


@pytest.mark.parametrize("loaded", [NOT_SET, BROKEN, LOADED])
def test_validate_judges_without_looking_at_what_is_set(loaded: Any) -> None:
    assert call("validate", {"robot_description": ARM}, loaded) == {
        "valid": True,
        "error": "",
        "root_link": "a",
        "links": 2,
        "joints": 1,
    }


@pytest.mark.parametrize("value", [None, 5, [], {}, "", "<robot", ARM.replace("revolute", "bent")])
def test_validate_says_what_is_wrong(value: object) -> None:
    judged = call("validate", {"robot_description": value}, LOADED)
    assert judged.pop("error")
    assert judged == {"valid": False, "root_link": "", "links": 0, "joints": 0}


def test_validate_needs_something_to_judge() -> None:
    assert refusal("validate", {"robot_descripton": ARM}, LOADED) == (
        "invalid_request",
        "'robot_description' is missing; a URDF text expected",
    )
    line = b'{"op":"call_service","service":"/ik/validate","args":7}'
    answer = response(line, LOADED)
    assert answer["status"] == "'args' is 7; an object expected"
    assert "version" not in answer["values"]


# -- forward_kinematics


def test_the_poses_of_all_links_in_the_frame_of_any() -> None:
    robot = parse(ROBOT)
    for base in (None, "tip", "upper"):
        args: dict[str, Any] = {"joint_state": state(j2=0.7, j1=7.5)}  # beyond its limit: used
        if base:
            args["base_link"] = base
        values = call("forward_kinematics", args, LOADED)
        assert values["base_link"] == (base or "base")
        assert list(values["poses"]) == ["base", "upper", "fore", "tip"]
        for link, pose in values["poses"].items():
            wanted = witness.relative(robot, {"j1": 7.5, "j2": 0.7}, base or "base", link)
            assert matrix(pose) == pytest.approx(wanted, abs=1e-14)
            assert pose["orientation"]["w"] >= 0


def test_the_links_asked_for_and_joints_that_are_not_named() -> None:
    args = {"links": ["tip", "upper"], "joint_state": state(weld=3.0, j2=math.pi)}
    values = call("forward_kinematics", args, LOADED)
    assert list(values["poses"]) == ["tip", "upper"]
    wanted = witness.relative(parse(ROBOT), {"j2": math.pi}, "base", "tip")
    assert matrix(values["poses"]["tip"]) == pytest.approx(wanted, abs=1e-14)
    assert call("forward_kinematics", {"links": []}, LOADED)["poses"] == {}


def test_other_fields_of_a_joint_state_are_let_through() -> None:
    message = state(j1=1.0) | {"header": {"stamp": 0}, "velocity": [1, 2], "effort": []}
    values = call("forward_kinematics", {"joint_state": message}, LOADED)
    assert "ignored" not in values


def test_a_mimic_element_changes_nothing() -> None:
    loaded = load(ROBOT.replace("<axis xyz=", '<mimic joint="j1" multiplier="-1"/><axis xyz='))
    args = {"joint_state": state(j1=1.0, j2=0.3)}
    plain = call("forward_kinematics", args, LOADED)
    assert call("forward_kinematics", args, loaded)["poses"] == plain["poses"]
    assert call("robot_info", {}, loaded)["joint_names"] == ["j1", "j2"]


def test_a_pose_beyond_all_measure_is_refused() -> None:
    slide = ARM.replace("revolute", "prismatic").replace('xyz="0 0 1"', 'xyz="0 0 1e300"')
    loaded = load(slide)
    args = {"joint_state": state(j=1e300)}
    assert refusal("forward_kinematics", args, loaded) == (
        "invalid_request",
        "a pose would not be finite; smaller joint values expected",
    )


# -- jacobian


@pytest.mark.parametrize("base", ["base", "upper"])
def test_the_jacobian_of_a_point(base: str) -> None:
    robot, q = parse(ROBOT), {"j1": 0.3, "j2": -0.8}
    point = {"x": 0.1, "y": 0.2, "z": -0.3}
    args = {"link": "tip", "base_link": base, "joint_state": state(**q), "point": point}
    values = call("jacobian", args, LOADED)
    assert list(values) == ["version", "joint_names", "jacobian", "pose"]
    assert values["joint_names"] == (["j1", "j2"] if base == "base" else ["j2"])
    wanted = witness.jacobian(robot, q, "tip", base, tuple(point.values()))
    assert np.array(values["jacobian"]) == pytest.approx(wanted, abs=1e-14)
    T = witness.relative(robot, q, base, "tip")
    assert matrix(values["pose"])[:3, :3] == pytest.approx(T[:3, :3], abs=1e-14)
    assert matrix(values["pose"])[:3, 3] == pytest.approx((T @ [0.1, 0.2, -0.3, 1])[:3], abs=1e-14)

    along = call("jacobian", args | {"reference": "link"}, LOADED)
    assert np.array(along["jacobian"][:3]) == pytest.approx(T[:3, :3].T @ wanted[:3], abs=1e-14)
    assert call("jacobian", args | {"reference": "base"}, LOADED) == values


def test_without_joints_on_the_path_there_are_six_empty_rows() -> None:
    values = call("jacobian", {"link": "tip", "base_link": "fore"}, LOADED)
    assert values["joint_names"] == []
    assert values["jacobian"] == [[], [], [], [], [], []]


# -- solve_robot


def target(x: float, y: float) -> dict[str, Any]:
    return {"position": {"x": x, "y": y, "z": 0.0}}


def test_a_solution_is_a_joint_state_of_the_whole_robot() -> None:
    values = call("solve_robot", {"link": "tip", "target": target(1.2, 0.8)}, LOADED)
    assert list(values) == [
        "version",
        "joint_state",
        "position_error",
        "orientation_error",
        "iterations",
        "restarts",
        "seconds",
    ]
    assert values["joint_state"]["name"] == ["j1", "j2"]
    assert values["position_error"] <= 1e-6
    assert values["orientation_error"] is None
    assert values["seconds"] > 0
    back = call("forward_kinematics", {"joint_state": values["joint_state"]}, LOADED)
    position = back["poses"]["tip"]["position"]
    assert math.dist(position.values(), (1.2, 0.8, 0.0)) <= 1e-6


def test_an_orientation_alone() -> None:
    half = 0.5 * (0.3 + 0.5)
    turn = {"x": 0, "y": 0, "z": math.sin(half), "w": math.cos(half)}
    args = {"link": "tip", "target": {"orientation": turn}, "joints": ["j1"]}
    values = call("solve_robot", args, LOADED)
    assert values["joint_state"]["position"] == [pytest.approx(0.3, abs=1e-6), 0.0]
    assert values["position_error"] is None
    minus = {axis: -value for axis, value in turn.items()}
    assert (
        call("solve_robot", args | {"target": {"orientation": minus}}, LOADED)["joint_state"]
        == (values["joint_state"])
    )


def test_what_the_seed_does_not_name_is_at_0_and_it_is_moved_into_the_limits() -> None:
    args = {"link": "upper", "target": {"orientation": {"x": 0, "y": 0, "z": 0, "w": 1}}}
    values = call("solve_robot", args | {"seed": state(j2=4.5, j1=9.0)}, LOADED)
    j1, j2 = values["joint_state"]["position"]
    assert abs(j1) <= 1e-6
    assert j2 == 4.5
    held = call(
        "solve_robot", args | {"tolerance": {"orientation": 7}, "seed": state(j1=9.0)}, LOADED
    )
    assert held["joint_state"]["position"] == [2.0, 0.0]


def test_several_solutions() -> None:
    args = {"link": "tip", "target": target(1.2, 0.8), "solutions": 5, "timeout": 5}
    values = call("solve_robot", args, LOADED)
    assert [list(one) for one in values["solutions"]] == [
        ["joint_state", "position_error", "orientation_error"]
    ] * 2
    assert values["solutions"][0]["joint_state"] == values["joint_state"]


@pytest.mark.parametrize(
    ("args", "code", "sentence"),
    [
        (
            {"target": target(3, 0)},
            "unreachable",
            "the target is 3 m from the chain's first joint; at most 2 m can be reached",
        ),
        (
            {"target": target(1, 1), "timeout": 0},
            "no_solution",
            "the seed does not fit and no time was given to search: the closest found is off by ",
        ),
        (
            {"target": {"position": {"x": 1, "y": 0, "z": 0.5}}, "timeout": 0.01},
            "no_solution",
            "no solution in the time given (",
        ),
    ],
)
def test_no_solution_says_why_and_gives_the_closest(
    args: dict[str, Any], code: str, sentence: str
) -> None:
    line = orjson.dumps({"service": "/ik/solve_robot", "args": {"link": "tip"} | args})
    answer = response(line, LOADED)
    assert not answer["result"]
    assert answer["values"]["code"] == code
    assert answer["status"].startswith(sentence)
    assert answer["values"]["version"] == 9
    assert answer["values"]["joint_state"]["name"] == ["j1", "j2"]
    assert answer["values"]["position_error"] > 1e-6
    assert "solutions" not in answer["values"]


def test_an_empty_range_on_the_path_says_so() -> None:
    loaded = load(ARM.replace('lower="-2" upper="2"', 'lower="2" upper="-2"'))
    args = {"link": "b", "target": target(0, 0)}
    assert refusal("solve_robot", args, loaded) == (
        "no_solution",
        "joint 'j' has an empty range: lower 2 is above upper -2",
    )


def test_the_time_asked_for_is_counted_in_slices_of_solving() -> None:
    args = {"link": "tip", "target": {"position": {"x": 1, "y": 0, "z": 0.5}}, "timeout": 0.01}
    started = begin(orjson.dumps({"service": "/ik/solve_robot", "args": args}), LOADED)
    assert isinstance(started, Solve)
    now = iter(range(100))
    slices = 1
    while not started.run(0.0005, lambda: next(now) * 0.002):  # a clock of 2 ms a look
        slices += 1
    assert slices == 5
    assert started.seconds == pytest.approx(0.01)


# -- answers in place of an answer


def test_an_answer_too_long_for_a_line() -> None:
    line = b'{"op":"call_service","service":"/ik/robot_info","id":"x"}'
    outcome, answer = limit_exceeded(line, LOADED, 5000, 4096)
    decoded = orjson.loads(answer)
    assert decoded["id"] == "x"
    assert decoded["values"] == {"version": 9, "code": "limit_exceeded"}
    assert decoded["status"] == (
        "the answer has 5000 bytes; at most 4096 fit a line (--max-line-bytes)"
    )
    assert outcome > 0


def test_a_fault_of_our_own() -> None:
    line = b'{"op":"call_service","service":"/ik/robot_info","id":7}'
    _, answer = failed(line, LOADED, ZeroDivisionError("secret"))
    decoded = orjson.loads(answer)
    assert decoded["values"] == {"version": 9, "code": "worker_failed"}
    assert decoded["status"] == (
        "the worker failed on this request (ZeroDivisionError); the log has more"
    )
