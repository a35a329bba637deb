"""Several solutions: distinct, each one true, closest to the seed first, searched for in bounds."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import numpy.typing as npt
import pytest

from kinematics.inverse import ATTEMPTS_BASE, ATTEMPTS_EACH
from kinematics.model import build_model
from tests.support.random_robots import configuration, joint, planar_arm, serial_robot, six_axis_arm
from tests.support.solving import goal_at, problem, solve

ARM = build_model(six_axis_arm())
TIP = "7"
ELBOW = build_model(planar_arm(2))
TURN = 2.0 * math.pi

Array = npt.NDArray[np.float64]


def differ(one: Array, other: Array) -> bool:
    """Whether some joint differs by more than 0.01 after whole turns; for turning joints."""
    away = np.abs(one - other)
    away -= np.round(away / TURN) * TURN
    return bool((np.abs(away) > 0.01).any())


def attempts_allowed(count: int) -> int:
    return ATTEMPTS_BASE + ATTEMPTS_EACH * count


def test_an_elbow_is_up_or_down() -> None:
    goal = goal_at(ELBOW, [0.3, 1.0], "3")
    result = solve(problem(ELBOW, "3", goal, parts="position", seed=[1.4, -0.9], solutions=4))
    assert result.status == "solved"
    found = [q for q, _, _ in result.solutions]
    assert len(found) == 2
    assert found[0] == pytest.approx([1.3, -1.0], abs=1e-5)  # nearer to the seed
    assert found[1] == pytest.approx([0.3, 1.0], abs=1e-5)
    assert (result.q == found[0]).all()


@pytest.mark.parametrize("count", [2, 8, 64])
def test_as_many_as_asked_for_and_there_are(count: int) -> None:
    choices = random.Random(count)
    for _ in range(2):
        goal = goal_at(ARM, configuration(ARM, choices), TIP)
        start = configuration(ARM, choices)
        result = solve(problem(ARM, TIP, goal, seed=start, solutions=count))
        assert result.status == "solved"
        found = [q for q, _, _ in result.solutions]
        assert 1 <= len(found) <= count
        assert all(differ(one, other) for one, other in itertools.combinations(found, 2))
        away = [math.dist(q, start) for q in found]
        assert away == sorted(away)
        assert result.restarts <= attempts_allowed(count)
        if len(found) < count:
            assert result.restarts == attempts_allowed(count)


def test_a_redundant_arm_has_any_number() -> None:
    model = build_model(planar_arm(5))
    goal = goal_at(model, [0.3, 0.4, 0.5, 0.6, 0.7], "6")
    result = solve(problem(model, "6", goal, seed=np.full(5, 0.2), solutions=64))
    assert len(result.solutions) == 64


def test_the_first_of_several_is_the_one_alone_or_one_nearer_to_the_seed() -> None:
    choices = random.Random(2)
    for _ in range(5):
        goal = goal_at(ARM, configuration(ARM, choices), TIP)
        start = configuration(ARM, choices)
        one = solve(problem(ARM, TIP, goal, seed=start))
        several = solve(problem(ARM, TIP, goal, seed=start, solutions=8))
        assert math.dist(several.q, start) <= math.dist(one.q, start)


def test_a_seed_that_fits_is_the_first() -> None:
    q = np.array([0.3, 0.5, 0.7, 0.2, 0.9, 0.1])
    result = solve(problem(ARM, TIP, goal_at(ARM, q, TIP), seed=q, solutions=3))
    assert result.q.tobytes() == q.tobytes()
    assert len(result.solutions) == 3


def test_a_turn_more_is_no_other_solution() -> None:
    hinge = joint("j", "revolute", limits=(-20.0, 20.0))
    model = build_model(serial_robot(hinge, joint("tip", "fixed", (1.0, 0.0, 0.0))))
    result = solve(problem(model, "2", goal_at(model, [1.0], "2"), seed=[7.0], solutions=5))
    assert [q.tolist() for q, _, _ in result.solutions] == [[pytest.approx(1.0 + TURN, abs=1e-5)]]


def test_two_rails_share_a_way_in_many_ways_and_each_counts_in_metres() -> None:
    rails = [joint(f"r{i}", "prismatic", axis=(1, 0, 0), limits=(0.0, 10.0)) for i in range(2)]
    model = build_model(serial_robot(*rails))
    goal = goal_at(model, [2.0, 3.0], "2")
    result = solve(problem(model, "2", goal, seed=[0.0, 0.0], solutions=10))
    assert len(result.solutions) == 10
    firsts = sorted(float(q[0]) for q, _, _ in result.solutions)
    assert all(b - a > 0.01 for a, b in itertools.pairwise(firsts))


@pytest.mark.parametrize("count", [1, 4])
def test_of_a_pose_that_nothing_gives_there_is_none(count: int) -> None:
    goal = np.eye(4)
    goal[:3, 3] = [1.0, 0.0, 0.25]  # above the plane that the arm moves in
    asked = problem(ELBOW, "3", goal, seed=[0.3, 0.3], solutions=count)
    result = solve(asked, seconds=0.1 if count == 1 else 20.0)
    assert result.status == "no_solution"
    assert result.solutions == []
    if count > 1:
        assert result.restarts == attempts_allowed(count)
        assert result.reason.startswith(f"no solution in {result.restarts} attempts: the closest")


def test_a_solution_alone_where_nothing_can_move() -> None:
    model = build_model(serial_robot(joint("weld", "fixed", (1.0, 0.0, 0.0))))
    result = solve(problem(model, "1", goal_at(model, [], "1"), solutions=3))
    assert result.status == "solved"
    assert len(result.solutions) == 1
