"""The reach is a bound: no configuration within the limits is outside it."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinematics.arrays import FloatArray
from kinematics.chain import chain_between
from kinematics.model import Model, build_model
from kinematics.reach import Reach, reach_of
from tests.support.random_robots import (
    configuration,
    deepest_link,
    joint,
    planar_arm,
    random_robots,
    serial_robot,
)
from tests.support.solving import goal_at
from urdf import Robot


def reach(model: Model, link: str, point: FloatArray, held: dict[int, float]) -> Reach:
    chain = chain_between(model, model.root, model.link_index(link))
    lower, upper = model.lower[chain.joints].copy(), model.upper[chain.joints].copy()
    for i, value in held.items():
        lower[i] = upper[i] = value
    return reach_of(chain, chain.tool(point), lower, upper)


@given(random_robots(2, 9, extreme=False), st.integers(0, 1000), st.booleans())
def test_no_configuration_is_outside(robot: Robot, seed: int, holding: bool) -> None:
    model = build_model(robot)
    link = deepest_link(robot)
    choices = random.Random(seed)
    point = np.array([choices.uniform(-1, 1) for _ in range(3)])
    chain = chain_between(model, model.root, model.link_index(link))
    first = configuration(model, choices)
    held = {i: float(first[chain.joints[i]]) for i in range(chain.size) if holding and i % 2}
    bound = reach(model, link, point, held)
    for _ in range(10):
        q = configuration(model, choices)
        for i, value in held.items():
            q[chain.joints[i]] = value
        T = goal_at(model, q, link)
        at = T[:3, :3] @ point + T[:3, 3]
        assert bound.misses(at, 0.0) == ""


def test_a_planar_arm_reaches_from_the_difference_to_the_sum_of_its_links() -> None:
    robot = serial_robot(
        joint("a"), joint("b", xyz=(2.0, 0.0, 0.0)), joint("tip", "fixed", (0.5, 0.0, 0.0))
    )
    bound = reach(build_model(robot), "3", np.zeros(3), {})
    assert bound.center.tolist() == [0.0, 0.0, 0.0]
    assert bound.nearest == pytest.approx(1.5)
    assert bound.farthest == pytest.approx(2.5)
    assert bound.misses(np.array([2.5 + 1e-9, 0, 0]), 1e-6) == ""
    assert bound.misses(np.array([0, 1.5 - 1e-9, 0]), 1e-6) == ""
    assert bound.misses(np.array([3.0, 0, 0]), 1e-6) == (
        "the target is 3 m from the chain's first joint; at most 2.5 m can be reached"
    )
    assert bound.misses(np.array([0, 0, 1.0]), 1e-6) == (
        "the target is 1 m from the chain's first joint; nothing nearer than 1.5 m can be reached"
    )


def test_a_joint_that_is_held_is_rigid() -> None:
    model = build_model(planar_arm(3))
    bound = reach(model, "4", np.zeros(3), {1: math.pi / 2})
    # Links 1 and 2 make a right angle: sqrt 2 from the first joint to the third.
    assert bound.farthest == pytest.approx(math.sqrt(2.0) + 1.0)
    assert bound.nearest == pytest.approx(math.sqrt(2.0) - 1.0)


def test_a_gantry_reaches_half_its_ranges_around_their_middle() -> None:
    slides = [
        joint("x", "prismatic", axis=(1, 0, 0), limits=(0, 10)),
        joint("y", "prismatic", axis=(0, 2, 0), limits=(-1, 1)),
    ]
    bound = reach(build_model(serial_robot(*slides)), "2", np.zeros(3), {})
    assert bound.center.tolist() == [5.0, 0.0, 0.0]
    assert (bound.nearest, bound.farthest) == (0.0, 7.0)


def test_nothing_that_moves_reaches_one_place() -> None:
    bound = reach(build_model(serial_robot(joint("a", "fixed", (1, 2, 3)))), "1", np.ones(3), {})
    assert bound.center.tolist() == [2.0, 3.0, 4.0]
    assert bound.farthest == 0.0
    assert bound.misses(np.array([2.0, 3.0, 4.0]), 0.0) == ""
    assert bound.misses(np.array([2.0, 3.0, 4.1]), 1e-6)


def test_beyond_what_numbers_hold_nothing_is_proved() -> None:
    model = build_model(planar_arm(2))
    bound = reach(model, "3", np.full(3, 1.7e308), {})
    assert bound.misses(np.array([5.0, 0.0, 0.0]), 1e-6) == ""
