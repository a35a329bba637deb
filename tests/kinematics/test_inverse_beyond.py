"""Targets as large as numbers get: every error is told as a number, or the request is refused."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest

from kinematics import searching
from kinematics.arrays import floats
from kinematics.inverse import BEYOND_NUMBERS, IkSearch
from kinematics.kernels import length_of
from kinematics.model import Model, build_model
from kinematics.problem import IkProblem, IkResult
from tests.support.random_robots import joint, planar_arm, serial_robot, six_axis_arm
from urdf import Robot

ARM = build_model(six_axis_arm())
UPRIGHT = np.array([0.0, 0.0, 0.0, 1.0])
SECONDS = 0.05
WILD_ROBOTS = 500


def found(model: Model, position: list[float], **options: Any) -> IkResult:
    """Return what is found for the last link's origin and axes."""
    asked: dict[str, Any] = {
        "link": len(model.link_names) - 1,
        "base": 0,
        "point": np.zeros(3),
        "quaternion": None,
        "seed": np.zeros(len(model.joint_names)),
    }
    search = IkSearch(IkProblem(model=model, position=np.array(position), **(asked | options)))
    search.run(SECONDS)
    return search.finish()


@pytest.mark.parametrize("distance", [1e20, 1e154, 1e200, 1.7e308])
@pytest.mark.parametrize("quaternion", [None, UPRIGHT], ids=["position", "pose"])
def test_a_target_beyond_all_reach_is_unreachable_by_so_much(
    distance: float, quaternion: np.ndarray[Any, Any] | None
) -> None:
    model = build_model(planar_arm(3))
    result = found(model, [0.0, distance, 0.0], quaternion=quaternion)
    assert result.status == "unreachable"
    assert result.position_error == pytest.approx(distance, rel=1e-15)
    # The seed is as far, to the last digit that a number has; where the search went is better.
    if quaternion is None:
        assert result.q.sum() == pytest.approx(math.pi / 2, abs=0.1)


@pytest.mark.parametrize(
    "options",
    [
        {"position": [1.7e308, 1.7e308, 0.0]},
        {"position": [1.0, 0.0, 0.0], "point": np.array([1.7e308, -1.7e308, 1.7e308])},
        {"position": [1.7e308, 1.7e308, 0.0], "solutions": 4, "quaternion": UPRIGHT},
    ],
    ids=["target", "point", "several"],
)
def test_an_error_that_is_no_number_is_refused_at_once(options: dict[str, Any]) -> None:
    result = found(ARM, **options)
    assert (result.status, result.reason) == ("invalid_request", BEYOND_NUMBERS)
    assert result.q.tolist() == [0.0] * 6
    assert result.position_error is None
    assert result.orientation_error is None
    assert (result.iterations, result.restarts, result.solutions) == (0, 0, [])


def test_an_orientation_has_no_such_errors() -> None:
    result = found(ARM, [0.0] * 3, quaternion=UPRIGHT, point=np.full(3, 1.7e308))
    assert result.status == "invalid_request"
    search = IkSearch(IkProblem(ARM, 7, 0, np.full(3, 1.7e308), None, UPRIGHT, np.full(6, 0.5)))
    assert search.run(SECONDS)
    assert search.finish().status == "solved"


def test_rails_without_measure_leave_nothing_unproved() -> None:
    limits = (-1.7e308, 1.7e308)
    rails = [
        joint(name, "prismatic", axis=axis, limits=limits)
        for name, axis in (
            ("x", (1.0, 0.0, 0.0)),
            ("y", (0.0, 1.0, 0.0)),
        )
    ]
    result = found(build_model(serial_robot(*rails)), [3.0, 4.0, 5.0])
    assert result.status == "no_solution"
    assert result.position_error == pytest.approx(5.0)
    assert result.q == pytest.approx([3.0, 4.0], abs=1e-6)


def test_a_number_of_any_size_in_any_place_is_no_fault() -> None:
    """Robots, targets and seeds of all magnitudes: the answer is finite and within limits."""
    choices = random.Random(11)
    statuses = set()
    for _ in range(WILD_ROBOTS):
        model = build_model(_wild_robot(choices))
        target = np.array(_wild_vector(choices))
        asked = IkProblem(
            model,
            link=len(model.link_names) - 1,
            base=0,
            point=np.array(_wild_vector(choices)) if choices.random() < 0.3 else np.zeros(3),
            position=target if choices.random() < 0.8 else None,
            quaternion=UPRIGHT,
            seed=np.array([_wild(choices) for _ in model.joint_names]),
        )
        search = IkSearch(asked)
        search.run(0.0005)
        result = search.finish()
        statuses.add(result.status)
        assert (model.lower <= result.q).all()
        assert (result.q <= model.upper).all()
        assert math.isfinite(result.q.sum() / 1e4)
        for error in (result.position_error, result.orientation_error):
            assert error is None or math.isfinite(error)
        assert (result.orientation_error is None) == (result.status == "invalid_request")
        assert not {"inf", "nan"} & set(result.reason.split())
    assert statuses >= {"solved", "no_solution", "unreachable"}


def _wild(choices: random.Random) -> float:
    """Return a number of any magnitude, or an ordinary one."""
    size = choices.choice(
        [0.0, 1.0, choices.random(), math.pow(10.0, choices.uniform(-320.0, 308.2))]
    )
    return -size if choices.random() < 0.5 else size


def _wild_vector(choices: random.Random) -> tuple[float, float, float]:
    return _wild(choices), _wild(choices), _wild(choices)


def _wild_robot(choices: random.Random) -> Robot:
    joints = []
    for i in range(choices.randint(1, 4)):
        kind = choices.choice(["revolute", "continuous", "prismatic", "fixed"])
        lower, upper = sorted((_wild(choices), _wild(choices)))
        limits = (lower, upper) if kind in ("revolute", "prismatic") else None
        axis = _wild_vector(choices)
        joints.append(
            joint(
                str(i),
                kind,
                _wild_vector(choices) if choices.random() < 0.5 else (0.0, 0.0, 1.0),
                axis if any(axis) else (0.0, 0.0, 1.0),
                limits,
                _wild_vector(choices),
            )
        )
    return serial_robot(*joints)


@pytest.mark.parametrize("size", [0.0, 1e-150, 1.0, 1e153, 1e154, 1e200, 1e308])
def test_the_length_of_a_vector(size: float) -> None:
    assert length_of(size, 0.0, 0.0) == size
    wanted = math.hypot(0.3 * size, -0.4 * size, 1.2 * size)
    assert length_of(0.3 * size, -0.4 * size, 1.2 * size) == pytest.approx(wanted, rel=4e-16)


@pytest.mark.parametrize("bad", [math.inf, math.nan])
def test_the_length_of_what_is_no_vector_is_no_number(bad: float) -> None:
    for place in range(3):
        parts = floats([1.0, 1e200, 0.0])
        parts[place] = bad
        assert not math.isfinite(length_of(parts[0], parts[1], parts[2]))


@pytest.mark.parametrize("seed", [1e17, -1e200, 1.7e308])
def test_no_turn_is_nearest_to_a_seed_that_tells_no_turns_apart(seed: float) -> None:
    assert searching.nearest_turn(0.5, seed, -math.inf, math.inf) == 0.5


@pytest.mark.parametrize("turns", [1, -3, 10**6, -(10**12)])
def test_the_nearest_turn_to_a_seed(turns: int) -> None:
    seed = turns * math.tau + 0.2
    turned = searching.nearest_turn(0.5, seed, -math.inf, math.inf)
    assert abs(turned - seed) <= math.pi
    assert math.sin(turned) == pytest.approx(math.sin(0.5), abs=4e-16 * abs(seed))
