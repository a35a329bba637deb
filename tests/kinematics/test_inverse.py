"""Inverse kinematics finds what is there to be found; every answer is checked by a witness."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import jvrc_description  # type: ignore[import-untyped]
import numpy as np
import pytest
import upkie_description  # type: ignore[import-untyped]

import urdf
from kinematics.errors import KinematicsError
from kinematics.inverse import IkSearch
from kinematics.model import build_model
from tests.support.numpy_kinematics import about, unit
from tests.support.random_robots import (
    configuration,
    deepest_link,
    joint,
    planar_arm,
    random_robot,
    serial_robot,
    six_axis_arm,
)
from tests.support.solving import goal_at, problem, solve
from urdf import Robot

ARM = build_model(six_axis_arm())
TIP = "7"


def packaged(path: str) -> Robot:
    return urdf.parse(Path(path).read_text("utf-8"))


@pytest.mark.parametrize("seed", range(30))
def test_random_robots_from_random_seeds(seed: int) -> None:
    choices = random.Random(seed)
    robot = random_robot(choices, choices.randint(2, 10), branch=0.2)
    model = build_model(robot)
    link = deepest_link(robot)
    for parts in ("both", "position", "orientation"):
        goal = goal_at(model, configuration(model, choices), link)
        start = configuration(model, choices)
        asked = problem(model, link, goal, seed=start, parts=parts, point=np.full(3, 0.1))
        assert solve(asked).status == "solved", parts


@pytest.mark.parametrize(
    ("path", "link", "base"),
    [
        (jvrc_description.urdf_path, "R_WRIST_Y_S", "WAIST_R_S"),
        (jvrc_description.urdf_path, "L_ANKLE_P_S", ""),
        (upkie_description.URDF_PATH, "left_wheel_tire", ""),
    ],
)
def test_robots_as_their_makers_ship_them(path: str, link: str, base: str) -> None:
    model = build_model(packaged(path))
    choices = random.Random(link)
    for _ in range(10):
        goal = goal_at(model, configuration(model, choices), link, base)
        start = configuration(model, choices)
        assert solve(problem(model, link, goal, base=base, seed=start)).status == "solved"


@pytest.mark.parametrize("parts", ["both", "position", "orientation"])
def test_an_arm_from_random_seeds(parts: str) -> None:
    choices = random.Random(parts)
    for _ in range(40):
        goal = goal_at(ARM, configuration(ARM, choices), TIP)
        start = configuration(ARM, choices)
        point = np.array([choices.uniform(-0.3, 0.3) for _ in range(3)])
        assert solve(problem(ARM, TIP, goal, seed=start, parts=parts, point=point)).status == (
            "solved"
        )


@pytest.mark.parametrize("base", ["0", "1", "2", "4", "6", "7"])
def test_any_base_on_the_path(base: str) -> None:
    choices = random.Random(base)
    for _ in range(5):
        goal = goal_at(ARM, configuration(ARM, choices), TIP, base)
        asked = problem(ARM, TIP, goal, base=base, seed=configuration(ARM, choices))
        assert solve(asked).status == "solved"


def test_a_base_that_is_not_above_is_refused() -> None:
    with pytest.raises(KinematicsError, match="'base_link' is '4', which is not above '2'"):
        IkSearch(problem(ARM, "2", np.eye(4), base="4"))


def test_a_seed_that_fits_comes_back_to_the_last_bit() -> None:
    choices = random.Random(1)
    for _ in range(20):
        q = configuration(ARM, choices)
        result = solve(problem(ARM, TIP, goal_at(ARM, q, TIP), seed=q))
        assert result.status == "solved"
        assert result.q.tobytes() == q.tobytes()
        assert (result.iterations, result.restarts) == (0, 0)


def test_a_near_seed_has_a_near_answer() -> None:
    """A stream of small moves, each from the last answer, never changes the branch."""
    centre = np.array([0.3, 0.4, 0.9, -0.5, 0.8, 0.2])
    start = goal_at(ARM, centre, TIP)
    q = centre
    for i in range(200):
        goal = start.copy()
        angle = 2.0 * math.pi * i / 200
        goal[:3, 3] += [0.03 * math.sin(angle), 0.03 * (1.0 - math.cos(angle)), 0.0]
        result = solve(problem(ARM, TIP, goal, seed=q))
        assert result.status == "solved"
        assert result.restarts == 0
        assert np.abs(result.q - q).max() < 0.02
        q = result.q
    assert np.abs(q - centre).max() < 0.01


@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (1.0, 2.0, 3.0)])
@pytest.mark.parametrize("gap", [1e-3, 1e-9, 0.0, -1e-9])
def test_half_a_turn_away(axis: tuple[float, float, float], gap: float) -> None:
    model = build_model(serial_robot(joint("j", axis=axis)))
    goal = np.eye(4)
    goal[:3, :3] = about(unit(axis), math.pi - gap)
    result = solve(problem(model, "1", goal))
    assert result.status == "solved"
    assert abs(result.q[0]) == pytest.approx(math.pi, abs=abs(gap) + 1e-6)
    assert result.restarts == 0


def test_a_tool_half_a_turn_away_is_reached() -> None:
    choices = random.Random(5)
    for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 1.0, 1.0)):
        q = np.array([choices.uniform(-1.0, 1.0) for _ in range(6)])
        goal = goal_at(ARM, q, TIP)
        start = goal.copy()
        start[:3, :3] = about(unit(axis), math.pi) @ start[:3, :3]
        turned = solve(problem(ARM, TIP, start, parts="orientation", seed=q))
        assert turned.status == "solved"
        assert solve(problem(ARM, TIP, goal, seed=turned.q)).status == "solved"


def test_a_seed_stretched_straight_is_left() -> None:
    """Singular at the seed: no step along the arm is seen by the linear model."""
    for parts in ("both", "position"):
        goal = goal_at(ARM, np.zeros(6), TIP)
        goal[2, 3] -= 0.1
        result = solve(problem(ARM, TIP, goal, parts=parts))
        assert result.status == "solved"
        assert np.abs(result.q).max() > 0.1


@pytest.mark.parametrize("count", [1, 2, 3, 6])
def test_a_target_exactly_at_full_stretch(count: int) -> None:
    model = build_model(planar_arm(count))
    goal = np.eye(4)
    goal[:3, 3] = [count * math.cos(0.5), count * math.sin(0.5), 0.0]
    seed = np.linspace(-0.5, 0.9, count)
    result = solve(problem(model, str(count + 1), goal, parts="position", seed=seed))
    assert result.status == "solved"


@pytest.mark.parametrize("size", [1e-3, 1e3])
def test_a_robot_of_a_millimetre_and_one_of_a_kilometre(size: float) -> None:
    model = build_model(six_axis_arm(size))
    choices = random.Random(3)
    for _ in range(20):
        goal = goal_at(model, configuration(model, choices), TIP)
        start = configuration(model, choices)
        assert solve(problem(model, TIP, goal, seed=start)).status == "solved"


@pytest.mark.parametrize("tolerance", [1e-3, 1e-6, 1e-9, 1e-12])
def test_any_tolerance_that_arithmetic_allows(tolerance: float) -> None:
    choices = random.Random(4)
    for _ in range(20):
        goal = goal_at(ARM, configuration(ARM, choices), TIP)
        asked = problem(
            ARM,
            TIP,
            goal,
            seed=configuration(ARM, choices),
            position_tolerance=tolerance,
            orientation_tolerance=tolerance,
        )
        assert solve(asked).status == "solved"


def test_each_tolerance_is_judged_by_itself() -> None:
    goal = goal_at(ARM, [0.1, 0.5, 0.5, 0.1, 0.5, 0.1], TIP)
    loose: dict[str, Any] = {"position_tolerance": 0.01, "orientation_tolerance": 1e-9}
    result = solve(problem(ARM, TIP, goal, seed=[0, 0.4, 0.4, 0, 0.4, 0], **loose))
    assert result.status == "solved"
    assert result.orientation_error is not None
    assert result.orientation_error <= 1e-9
    loose = {"position_tolerance": 1e-9, "orientation_tolerance": 0.01}
    result = solve(problem(ARM, TIP, goal, seed=[0, 0.4, 0.4, 0, 0.4, 0], **loose))
    assert result.status == "solved"
    assert result.position_error is not None
    assert result.position_error <= 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("count", [60, 200])
def test_a_snake(count: int) -> None:
    robot = random_robot(random.Random(8), count + 1, kinds=["revolute"], branch=0.0)
    model = build_model(robot)
    choices = random.Random(count)
    for _ in range(2):
        goal = goal_at(model, configuration(model, choices), f"link {count}")
        asked = problem(model, f"link {count}", goal, seed=configuration(model, choices))
        assert solve(asked).status == "solved"
