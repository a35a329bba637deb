"""The robot as arrays: orders, limits, names that are not there, and read-only for good."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given

from kinematics.errors import KinematicsError
from kinematics.model import FIXED, PRISMATIC, REVOLUTE, build_model
from tests.support.random_robots import joint, random_robot, random_robots, serial_robot
from urdf import Joint, Limit, Link, Robot

BRANCHED = Robot(
    "branched",
    tuple(Link(name) for name in ("tip", "mid", "base", "side")),
    (
        Joint("j3", "revolute", "mid", "tip", axis=(0.0, 3.0, 4.0), limit=Limit(-1.0, 2.0)),
        Joint("weld", "fixed", "base", "mid"),
        Joint("j1", "continuous", "base", "side"),
    ),
    "base",
)


def test_names_are_in_document_order_and_joints_parent_first() -> None:
    model = build_model(BRANCHED)
    assert model.link_names == ("tip", "mid", "base", "side")
    assert model.joint_names == ("j3", "j1")
    assert model.root_link == "base"
    assert model.root == 2
    assert sorted(model.joint_order) == ["j1", "j3", "weld"]
    assert model.joint_order.index("weld") < model.joint_order.index("j3")


def test_the_arrays_say_what_the_description_says() -> None:
    model = build_model(BRANCHED)
    row = {name: i for i, name in enumerate(model.joint_order)}
    kinds = {name: model.joint_kind[i] for name, i in row.items()}
    assert kinds == {"j1": REVOLUTE, "j3": REVOLUTE, "weld": FIXED}
    assert {name: model.joint_q[i] for name, i in row.items()} == {"j1": 1, "j3": 0, "weld": -1}
    assert model.lower.tolist() == [-1.0, -math.inf]
    assert model.upper.tolist() == [2.0, math.inf]
    axis = model.joint_axis[3 * row["j3"] : 3 * row["j3"] + 3]
    assert axis == pytest.approx([0.0, 0.6, 0.8], abs=1e-16)


@given(random_robots())
def test_every_parent_comes_first(robot: Robot) -> None:
    model = build_model(robot)
    seen = {model.root}
    for parent, child in zip(model.joint_parent, model.joint_child, strict=True):
        assert parent in seen
        assert child not in seen
        seen.add(int(child))
    assert len(seen) == len(robot.links)


@pytest.mark.parametrize(
    "axis",
    [(0.0, 0.0, 5e-324), (1e-320, 0.0, -1e-320), (1.7e308, 1.7e308, 1.7e308), (3e-200, 4e-200, 0)],
)
def test_the_axis_of_a_turning_joint_has_length_1_however_it_is_written(
    axis: tuple[float, float, float],
) -> None:
    model = build_model(serial_robot(joint("j", axis=axis)))
    assert math.hypot(*model.joint_axis) == pytest.approx(1.0, abs=4e-16)
    assert np.sign(model.joint_axis).tolist() == np.sign(axis).tolist()


def test_the_axis_of_a_prismatic_joint_stays_as_it_is_written() -> None:
    slide = joint("j", "prismatic", axis=(0.0, 0.0, -2.5), limits=(0.0, 1.0))
    model = build_model(serial_robot(slide))
    assert model.joint_kind.tolist() == [PRISMATIC]
    assert model.joint_axis.tolist() == [0.0, 0.0, -2.5]


def test_indices_are_found_by_name() -> None:
    model = build_model(BRANCHED)
    assert model.link_index("tip") == 0
    assert model.q_index("j1") == 1
    assert model.q_index("weld") is None


def test_a_wrong_name_is_refused_with_the_closest() -> None:
    model = build_model(BRANCHED)
    with pytest.raises(KinematicsError, match="no link is named 'tipp'; did you mean 'tip'") as one:
        model.link_index("tipp")
    assert one.value.code == "unknown_link"
    with pytest.raises(KinematicsError, match="no joint is named 'wold'; did you mean 'w") as other:
        model.q_index("wold")
    assert other.value.code == "unknown_joint"


def test_a_name_like_no_other_is_refused_with_where_to_look() -> None:
    with pytest.raises(KinematicsError) as refused:
        build_model(BRANCHED).link_index("?" * 300)
    sentence = str(refused.value)
    assert sentence.endswith("the robot has 4; /ik/robot_info lists them")
    assert len(sentence) < 200


def test_a_wrong_name_in_a_large_robot_is_refused_at_once() -> None:
    model = build_model(random_robot(random.Random(1), 2500))
    with pytest.raises(KinematicsError, match="the robot has 2500; /ik/robot_info lists them"):
        model.link_index("link 1x")


def test_the_arrays_are_read_only() -> None:
    model = build_model(BRANCHED)
    of_kernels = (model.tree, model.joints, model.frames, model.work)  # their types are fixed
    arrays = [value for value in vars(model).values() if isinstance(value, np.ndarray)]
    shared = [array for array in arrays if not any(array is other for other in of_kernels)]
    assert len(shared) == 9
    assert not any(array.flags.writeable for array in shared)


def test_one_link_is_a_robot() -> None:
    model = build_model(Robot("dot", (Link("dot"),), (), "dot"))
    assert model.joint_names == ()
    assert model.joint_order == ()
    assert model.lower.shape == (0,)
