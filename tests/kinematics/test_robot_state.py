"""The lines for /tf, /tf_static and /xform_world agree with forward kinematics."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinematics.arrays import FloatArray
from kinematics.forward import link_transform
from kinematics.model import Model, build_model
from kinematics.robot_state import LINES
from tests.support.calls import load, response
from tests.support.random_robots import random_robots
from urdf import Robot, parse

STAMP = {"sec": 5, "nanosec": 7}
IDENTITY = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]


def ask(topic: str, model: Model, q: FloatArray, pose: list[float] = IDENTITY) -> list[Any]:
    """Return the transforms that a line carries."""
    args = {"name": list(model.joint_names), "position": q.tolist(), "stamp": STAMP, "pose": pose}
    message = orjson.loads(LINES[f"/robot_state/{topic}"](args, model))
    assert message["op"] == "publish"
    assert message["topic"] == f"/{topic}"
    transforms: list[Any] = message["msg"]["transforms"]
    assert all(entry["header"]["stamp"] == STAMP for entry in transforms)
    return transforms


def matrix(transform: dict[str, Any]) -> FloatArray:
    """Return a transform message as a matrix, having checked its quaternion."""
    x, y, z, w = (transform["rotation"][axis] for axis in "xyzw")
    assert abs(np.linalg.norm([x, y, z, w]) - 1.0) < 1e-12
    assert w >= 0.0
    T = np.eye(4)
    T[:3, 3] = [transform["translation"][axis] for axis in "xyz"]
    T[0, :3] = 1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)
    T[1, :3] = 2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)
    T[2, :3] = 2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)
    return T


@given(robot=random_robots(extreme=False), choices=st.randoms(use_true_random=False))
def test_transforms_multiply_to_the_places_of_the_links(
    robot: Robot, choices: random.Random
) -> None:
    model = build_model(robot)
    q = np.array([choices.uniform(-4.0, 4.0) for _ in model.joint_names])
    entries = ask("tf", model, q)
    ends = [(entry["header"]["frame_id"], entry["child_frame_id"]) for entry in entries]
    assert ends == [(joint.parent, joint.child) for joint in model.robot.joints]
    steps = [matrix(entry["transform"]) for entry in entries]
    parents = {child: (parent, T) for (parent, child), T in zip(ends, steps, strict=True)}
    for i, link in enumerate(model.link_names):
        T, at = np.eye(4), link
        while at in parents:
            at, step = parents[at]
            T = step @ T
        np.testing.assert_allclose(T, link_transform(model, q, model.root, i), atol=1e-9)
    fixed = {joint.child for joint in model.robot.joints if not joint.movable}
    assert ask("tf_static", model, q) == [e for e in entries if e["child_frame_id"] in fixed]


@given(robot=random_robots(extreme=False), choices=st.randoms(use_true_random=False))
def test_world_matrices_are_the_pose_times_the_places(robot: Robot, choices: random.Random) -> None:
    model = build_model(robot)
    q = np.array([choices.uniform(-4.0, 4.0) for _ in model.joint_names])
    # A turn about an axis in the plane of x and y, by its half angle; and a place.
    half, heading = choices.uniform(0.0, 3.1), choices.uniform(-3.0, 3.0)
    pose = [choices.uniform(-5.0, 5.0) for _ in range(3)]
    pose += [math.sin(half) * math.cos(heading), math.sin(half) * math.sin(heading), 0.0]
    pose.append(math.cos(half))
    axis = np.array([math.cos(heading), math.sin(heading), 0.0])
    T_global_root = np.eye(4)
    T_global_root[:3, :3] = rotation_about(axis, 2.0 * half)
    T_global_root[:3, 3] = pose[:3]
    entries = ask("xform_world", model, q, pose)
    assert [entry["child_frame_id"] for entry in entries] == list(model.link_names)
    for i, entry in enumerate(entries):
        assert entry["header"]["frame_id"] == "global_frame"
        T = np.array(entry["matrix"]).reshape(4, 4).T
        expected = T_global_root @ link_transform(model, q, model.root, i)
        np.testing.assert_allclose(T, expected, atol=1e-9)
        assert T[3].tolist() == [0.0, 0.0, 0.0, 1.0]


def rotation_about(axis: FloatArray, angle: float) -> FloatArray:
    """Return a rotation matrix by Rodrigues' formula."""
    K = np.cross(axis, np.eye(3)).T
    return np.asarray(np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * K @ K)


SLIDE = """<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
<joint name="slide" type="prismatic"><parent link="a"/><child link="b"/>
<axis xyz="2 0 0"/><limit lower="0" upper="1"/></joint>
<joint name="bolt" type="fixed"><parent link="b"/><child link="c"/></joint></robot>"""


def state(**fields: object) -> dict[str, object]:
    return {"name": [], "position": [], "stamp": STAMP, "pose": IDENTITY} | fields


def line(service: str, **fields: object) -> bytes:
    return orjson.dumps({"op": "call_service", "service": service, "args": state(**fields)})


def test_names_that_no_movable_joint_has_are_ignored_and_others_are_at_zero() -> None:
    model = build_model(parse(SLIDE))
    args = state(name=["bolt", "nobody", "slide"], position=[1.0, 2.0, 3.0])
    moved, bolt = orjson.loads(LINES["/robot_state/tf"](args, model))["msg"]["transforms"]
    assert moved["transform"]["translation"] == {"x": 6.0, "y": 0.0, "z": 0.0}  # not clamped
    assert bolt["transform"]["translation"] == {"x": 0.0, "y": 0.0, "z": 0.0}
    moved, _ = orjson.loads(LINES["/robot_state/tf"](state(), model))["msg"]["transforms"]
    assert moved["transform"]["translation"]["x"] == 0.0


def test_a_robot_without_joints_has_no_transforms_and_one_place() -> None:
    model = build_model(parse("<robot name='r'><link name='only'/></robot>"))
    assert ask("tf", model, np.zeros(0)) == []
    assert ask("tf_static", model, np.zeros(0)) == []
    (entry,) = ask("xform_world", model, np.zeros(0))
    assert entry["matrix"] == np.eye(4).ravel().tolist()


@pytest.mark.parametrize("topic", ["tf", "xform_world"])
def test_what_would_not_be_finite_is_refused(topic: str) -> None:
    answer = response(line(f"/robot_state/{topic}", name=["slide"], position=[1e308]), load(SLIDE))
    assert answer["values"]["code"] == "invalid_request"
    assert "would not be finite" in answer["status"]


def test_a_description_that_is_none_is_refused_as_for_any_service() -> None:
    answer = response(line("/robot_state/root_link"), load("<robot/>"))
    assert answer["values"]["code"] == "invalid_robot_description"
