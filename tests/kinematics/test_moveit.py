"""MoveIt's two services: its shapes, its codes, our kinematics."""

from __future__ import annotations

from typing import Any

import numpy as np
import orjson
import pytest

from kinematics.descriptions import Loaded
from kinematics.fields import Object
from tests.support.calls import call, load, response
from tests.support.live import ROOT

ARM = load((ROOT / "docs/examples/arm.urdf").read_text("utf-8"))
JOINTS = {"name": ["waist", "elbow"], "position": [0.4, 0.9]}


def ask(service: str, args: object, loaded: Loaded = ARM) -> dict[str, Any]:
    """Return the values of an answer, which must be `result:true`."""
    answer = response(
        orjson.dumps({"op": "call_service", "service": service, "args": args}), loaded
    )
    assert answer["result"], answer
    values: dict[str, Any] = answer["values"]
    assert values["version"] == 3
    return values


def fk(*links: str, frame: str = "", joints: object = JOINTS) -> dict[str, Any]:
    args = {"header": {"frame_id": frame}, "fk_link_names": links}
    return ask("/compute_fk", args | {"robot_state": {"joint_state": joints}})


def ik(pose: Object | None = None, frame: str = "", **request: object) -> dict[str, Any]:
    stamped = {"header": {"frame_id": frame}, "pose": pose or reached("tool")}
    return ask("/compute_ik", {"ik_request": {"pose_stamped": stamped, **request}})


def reached(link: str, base: str = "base", joints: object = JOINTS) -> dict[str, Any]:
    """Return the pose of a link by /ik/forward_kinematics."""
    args = {"joint_state": joints, "links": [link], "base_link": base}
    poses = call("forward_kinematics", args, ARM)["poses"]
    found: dict[str, Any] = poses[link]
    return found


def test_fk_gives_each_links_pose_in_the_frame_asked_for() -> None:
    values = fk("tool", "forearm", frame="shoulder")
    assert values["fk_link_names"] == ["tool", "forearm"]
    assert values["error_code"]["val"] == 1
    for name, stamped in zip(values["fk_link_names"], values["pose_stamped"], strict=True):
        assert stamped["pose"] == reached(name, "shoulder")
        assert stamped["header"] == {"stamp": {"sec": 0, "nanosec": 0}, "frame_id": "shoulder"}
    (stamped,) = fk("tool")["pose_stamped"]
    assert stamped["header"]["frame_id"] == "base"
    assert fk("tool", joints={})["pose_stamped"][0]["pose"] == reached("tool", joints={})


def test_fk_leaves_out_links_that_are_none_and_says_so() -> None:
    values = fk("tol", "tool")
    assert values["fk_link_names"] == ["tool"]
    assert len(values["pose_stamped"]) == 1
    assert values["error_code"]["val"] == -18
    assert "'tol'" in values["error_code"]["message"]
    assert fk()["error_code"]["val"] == -18
    assert fk("none")["pose_stamped"] == []


@pytest.mark.parametrize(
    ("joints", "frame", "code"),
    [
        ({"name": ["waist"], "position": []}, "", -17),
        ({"name": ["wrist"], "position": [1]}, "", -17),
        ({"name": ["waist"], "position": ["1"]}, "", -17),
        (5, "", -17),
        (JOINTS, "map", -21),
    ],
)
def test_fk_and_ik_have_the_codes_for_states_and_frames(
    joints: object, frame: str, code: int
) -> None:
    values = fk("tool", joints=joints, frame=frame)
    assert (values["error_code"]["val"], values["pose_stamped"]) == (code, [])
    values = ik(frame=frame, robot_state={"joint_state": joints}, ik_link_name="tool")
    assert values["error_code"]["val"] == code
    assert values["solution"]["joint_state"]["name"] == []


@pytest.mark.parametrize("frame", ["base", "/base", "", "forearm"])
def test_ik_reaches_the_pose_in_whatever_frame_it_is(frame: str) -> None:
    """A frame that the arm moves is where the seed has it."""
    seed = {"name": ["shoulder_lift", "elbow"], "position": [0.3, 0.8]}
    pose = reached("tool", frame.strip("/") or "base", seed | {"position": [0.3, 0.9]})
    if frame == "forearm":
        pose = reached("tool", "forearm", seed | {"name": ["shoulder_lift", "wrist_pitch"]})
    values = ik(pose, frame, ik_link_name="tool", robot_state={"joint_state": seed})
    assert values["error_code"] == {"val": 1, "message": "", "source": ""}
    solution = values["solution"]["joint_state"]
    at = reached("tool", joints=solution)
    expected = at_seed(frame, pose, seed)
    assert np.allclose([at["position"][k] for k in "xyz"], expected, atol=1e-6)
    assert len(solution["name"]) == len(solution["position"]) == 6


def at_seed(frame: str, pose: dict[str, Any], seed: object) -> list[float]:
    """Return the position of a pose in the root's frame."""
    place = reached(frame.strip("/") or "base", joints=seed)
    x, y, z, w = (place["orientation"][k] for k in "xyzw")
    v = np.array([pose["position"][k] for k in "xyz"])
    u = np.array([x, y, z])
    turned = v + 2.0 * np.cross(u, np.cross(u, v) + w * v)
    found: list[float] = (turned + [place["position"][k] for k in "xyz"]).tolist()
    return found


def test_ik_takes_the_link_from_either_place_or_the_group() -> None:
    assert ik(group_name="tool")["error_code"]["val"] == 1
    assert ik(group_name="manipulator", ik_link_name="tool")["error_code"]["val"] == 1
    stamped = {"header": {"frame_id": "base"}, "pose": reached("tool")}
    several = {"ik_link_names": ["tool"], "pose_stamped_vector": [stamped]}
    assert ask("/compute_ik", {"ik_request": several})["error_code"]["val"] == 1


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ({"group_name": "manipulator"}, -15),
        ({}, -15),
        ({"ik_link_name": "tol"}, -18),
        ({"ik_link_names": ["tool"]}, -18),
        ({"ik_link_names": ["tool", "base"], "pose_stamped_vector": [{}, {}]}, -18),
    ],
)
def test_ik_has_the_codes_for_groups_and_links(request_: dict[str, Any], code: int) -> None:
    assert ik(**request_)["error_code"]["val"] == code


def test_ik_tells_what_cannot_be_reached_from_what_took_too_long() -> None:
    far = reached("tool") | {"position": {"x": 5, "y": 0, "z": 0}}
    values = ik(far, ik_link_name="tool")
    assert values["error_code"]["val"] == -31
    assert "can be reached" in values["error_code"]["message"]
    tilted = {
        "position": {"x": 0, "y": 0, "z": 0.5},
        "orientation": {"x": 0, "y": 0, "z": 0, "w": 1},
    }
    fixed = ik(tilted, ik_link_name="upper_arm", timeout={"sec": 0, "nanosec": 5_000_000})
    assert fixed["error_code"]["val"] in (-6, -31)


@pytest.mark.parametrize("names", [("sec", "nanosec"), ("secs", "nsecs")])
def test_timeouts_below_a_second_count(names: tuple[str, str]) -> None:
    from kinematics.moveit import read_ik

    def seconds(whole: int, nano: int) -> float:
        stamped = {"pose": reached("tool")}
        timeout = dict(zip(names, (whole, nano), strict=True))
        request = {"pose_stamped": stamped, "ik_link_name": "tool", "timeout": timeout}
        assert ARM.model is not None
        return read_ik({"ik_request": request}, ARM.model).timeout_seconds

    assert seconds(0, 5_000_000) == pytest.approx(0.005)
    assert seconds(2, 500_000_000) == pytest.approx(2.5)
    assert seconds(60, 0) == 10.0
    assert seconds(0, 0) == seconds(-1, 0) == 0.1


@pytest.mark.parametrize(
    ("service", "args", "sentence"),
    [
        ("/compute_fk", {"fk_link_names": "tool"}, "'fk_link_names' is the string 'tool'"),
        ("/compute_ik", {}, "'ik_request' is missing"),
        ("/compute_ik", {"ik_request": {"ik_link_name": "tool"}}, "'ik_request.pose_stamped' is"),
        (
            "/compute_ik",
            {"ik_request": {"ik_link_name": "tool", "pose_stamped": {"pose": {}}}},
            "'ik_request.pose_stamped.pose.position' is missing",
        ),
        (
            "/compute_ik",
            {"ik_request": {"pose_stamped_vector": 3, "pose_stamped": {}}},
            "'ik_request.pose_stamped_vector' is 3",
        ),
    ],
)
def test_what_is_no_such_message_is_refused(service: str, args: object, sentence: str) -> None:
    line = orjson.dumps({"op": "call_service", "service": service, "args": args})
    answer = response(line, ARM)
    assert answer["values"]["code"] == "invalid_request"
    assert sentence in answer["status"]


def test_what_has_no_effect_is_listed() -> None:
    values = ik(ik_link_name="tool", avoid_collisions=True, constraints={"name": "x"}, attempts=3)
    assert values["ignored"] == [
        f"ik_request.{n}" for n in ("avoid_collisions", "constraints", "attempts")
    ]
    assert "ignored" not in ik(ik_link_name="tool", avoid_collisions=False, constraints={})
    assert ask("/compute_fk", {"fk_link_names": ["tool"], "links": []})["ignored"] == ["links"]
