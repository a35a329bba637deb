"""Poses of links against a second opinion, in any frame, for any angle, in robots of any size."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinematics.errors import KinematicsError
from kinematics.forward import link_poses, link_transform
from kinematics.model import build_model
from tests.support import numpy_kinematics as witness
from tests.support.random_robots import (
    configuration,
    joint,
    named,
    random_robot,
    random_robots,
    serial_robot,
)
from urdf import Link, Robot


@given(random_robots(), st.integers(0, 1000))
def test_every_pose_in_every_frame(robot: Robot, seed: int) -> None:
    model = build_model(robot)
    choices = random.Random(seed)
    q = configuration(model, choices)
    frames = witness.link_transforms(robot, named(model, q))
    everything = range(len(model.link_names))
    base = choices.choice(everything)
    poses = link_poses(model, q, base, everything)
    assert poses.shape == (len(model.link_names), 7)
    T_base_root = np.linalg.inv(frames[model.link_names[base]])
    for name, pose in zip(model.link_names, poses, strict=True):
        wanted = T_base_root @ frames[name]
        size = max(1.0, float(np.abs(wanted[:3, 3]).max()))
        assert witness.matrix_of(pose) == pytest.approx(wanted, abs=1e-12 * size)
        assert pose[6] >= 0.0
        assert math.hypot(*pose[3:]) == pytest.approx(1.0, abs=4e-16)
        transform = link_transform(model, q, base, model.link_index(name))
        assert transform == pytest.approx(wanted, abs=1e-12 * size)


def test_the_links_asked_for_come_in_that_order() -> None:
    model = build_model(random_robot(random.Random(2), 6))
    q = configuration(model, random.Random(2))
    everything = link_poses(model, q, 0, range(6))
    assert (link_poses(model, q, 0, [4, 1, 4]) == everything[[4, 1, 4]]).all()
    assert link_poses(model, q, 0, []).shape == (0, 7)


def test_the_base_itself_is_the_identity() -> None:
    model = build_model(random_robot(random.Random(5), 9))
    q = configuration(model, random.Random(5))
    for base in range(9):
        pose = link_poses(model, q, base, [base])[0]
        assert pose == pytest.approx([0, 0, 0, 0, 0, 0, 1], abs=1e-15)
    root = link_poses(model, q, model.root, [model.root])[0]
    assert root.tolist() == [0, 0, 0, 0, 0, 0, 1]


def test_a_prismatic_joint_does_not_turn() -> None:
    slide = joint("slide", "prismatic", axis=(2.0, 0.0, 0.0), limits=(0.0, 1.0))
    model = build_model(serial_robot(slide))
    assert link_poses(model, np.array([0.3]), 0, [1])[0].tolist() == [0.6, 0, 0, 0, 0, 0, 1]


@pytest.mark.parametrize("turns", [1, 1000, 10**9])
def test_an_angle_of_many_turns_is_used_as_it_is(turns: int) -> None:
    model = build_model(serial_robot(joint("j", axis=(0.0, 1.0, 0.0))))
    angle = 0.25 + 2.0 * math.pi * turns
    pose = link_poses(model, np.array([angle]), 0, [1])[0]
    turned = 2.0 * math.atan2(pose[4], pose[6])
    assert math.cos(turned) == pytest.approx(math.cos(angle), abs=1e-15)
    assert math.sin(turned) == pytest.approx(math.sin(angle), abs=1e-15)


def test_four_thousand_joints_in_a_row() -> None:
    robot = random_robot(random.Random(7), 4001, kinds=["continuous", "revolute"], branch=0.0)
    model = build_model(robot)
    q = np.random.default_rng(7).uniform(-3.0, 3.0, 4000)
    last = model.link_index("link 4000")
    pose = link_poses(model, q, model.root, [last])[0]
    wanted = witness.link_transforms(robot, named(model, q))["link 4000"]
    assert witness.matrix_of(pose) == pytest.approx(wanted, abs=1e-9)


def test_a_pose_that_is_no_number_is_refused() -> None:
    slides = [joint(f"s{i}", "prismatic", axis=(1e10, 0, 0), limits=(0, 1)) for i in range(2)]
    model = build_model(serial_robot(*slides))
    with pytest.raises(KinematicsError, match="a pose would not be finite; smaller joint") as error:
        link_poses(model, np.array([1e300, 0.0]), 0, [2])
    assert error.value.code == "invalid_request"
    link_poses(model, np.array([1e290, 0.0]), 0, [2])  # and the model is as good as before
    assert not np.isfinite(link_transform(model, np.array([1e300, 0.0]), 0, 2)).all()


def test_one_link_alone() -> None:
    model = build_model(Robot("dot", (Link("dot"),), (), "dot"))
    assert link_poses(model, np.zeros(0), 0, [0])[0].tolist() == [0, 0, 0, 0, 0, 0, 1]
