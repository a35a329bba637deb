"""How a search goes: what it says of a target out of reach, in slices, from one seed or another."""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest

from kinematics import places, starting
from kinematics.chain import chain_between
from kinematics.inverse import IkSearch
from kinematics.model import Model, build_model
from kinematics.problem import IkProblem, IkResult
from kinematics.reach import reach_of
from kinematics.search_state import SPARE_STATES
from kinematics.setting import KEPT_SETTINGS, Setting
from kinematics.stepping import ACTIVE_SET_ROUNDS
from tests.support.random_robots import configuration, joint, planar_arm, serial_robot, six_axis_arm
from tests.support.solving import goal_at, problem, solve

ARM = build_model(six_axis_arm())
TIP = "7"
HARD = [-0.7, 1.2, -2.8, 2.9, -1.1, 2.2]


def hard_problem(**options: Any) -> IkProblem:
    """Return a problem that needs restarts."""
    return problem(ARM, TIP, goal_at(ARM, HARD, TIP), seed=np.full(6, 2.9), **options)


@pytest.mark.parametrize("distance", [2.0 + 1e-4, 2.5, 5.0, 1e3, 1e150])
def test_out_of_reach_the_best_effort_is_as_near_as_can_be(distance: float) -> None:
    model = build_model(planar_arm(2))
    goal = np.eye(4)
    goal[:3, 3] = [distance * math.cos(0.7), distance * math.sin(0.7), 0.0]
    for seed in ([0.1, 0.3], [2.0, -2.0], [0.0, 0.0]):
        result = solve(problem(model, "3", goal, parts="position", seed=seed))
        assert result.status == "unreachable"
        assert result.reason == (
            f"the target is {distance:.6g} m from the chain's first joint; "
            "at most 2 m can be reached"
        )
        assert result.position_error is not None
        assert result.position_error - (distance - 2.0) <= max(1e-3, 1e-9 * distance)
        assert result.restarts == 1


def test_out_of_reach_no_joint_gets_nearer_by_itself() -> None:
    """The best effort is as near as it gets from there to where the reach ends."""
    chain = chain_between(ARM, ARM.root, ARM.link_index(TIP))
    reach = reach_of(chain, chain.tool(np.zeros(3)), ARM.lower, ARM.upper)
    choices = random.Random(6)
    for _ in range(30):
        seed = configuration(ARM, choices)
        goal = goal_at(ARM, configuration(ARM, choices), TIP)
        direction = goal[:3, 3] - reach.center
        direction /= np.linalg.norm(direction)
        goal[:3, 3] = reach.center + 4.0 * direction
        result = solve(problem(ARM, TIP, goal, parts="position", seed=seed))
        assert result.status == "unreachable"
        shell = reach.center + reach.farthest * direction
        error = math.dist(goal_at(ARM, result.q, TIP)[:3, 3], shell)
        for i in range(6):
            for step in (-0.01, 0.01):
                moved = result.q.copy()
                moved[i] = min(max(moved[i] + step, ARM.lower[i]), ARM.upper[i])
                assert math.dist(goal_at(ARM, moved, TIP)[:3, 3], shell) > error - 2e-3


def test_too_near_is_out_of_reach_too() -> None:
    model = build_model(
        serial_robot(joint("a"), joint("b", xyz=(2.0, 0, 0)), joint("tip", "fixed", (0.5, 0, 0)))
    )
    goal = np.eye(4)
    goal[:3, 3] = [0.2, 0.1, 0.0]
    result = solve(problem(model, "3", goal, parts="position", seed=[0.4, 0.5]))
    assert result.status == "unreachable"
    assert result.position_error == pytest.approx(1.5 - math.hypot(0.2, 0.1), abs=1e-3)


def test_the_centre_of_what_is_out_of_reach_has_no_direction() -> None:
    model = build_model(
        serial_robot(joint("a"), joint("b", xyz=(2.0, 0, 0)), joint("tip", "fixed", (0.5, 0, 0)))
    )
    result = solve(problem(model, "3", np.eye(4), parts="position", seed=[0.4, 0.5]))
    assert result.status == "unreachable"
    assert result.position_error is not None
    assert (
        1.5 <= result.position_error < math.dist(goal_at(model, [0.4, 0.5], "3")[:3, 3], (0,) * 3)
    )


def test_a_place_within_reach_that_no_angle_gives_is_no_solution() -> None:
    model = build_model(planar_arm(2))
    goal = np.eye(4)
    goal[:3, 3] = [1.0, 0.0, 0.25]  # above the plane
    result = solve(problem(model, "3", goal, parts="position", seed=[0.3, 0.3]), seconds=0.1)
    assert result.status == "no_solution"
    assert result.position_error == pytest.approx(0.25, abs=1e-3)
    assert result.restarts > 1
    assert f"({result.restarts} restarts)" in result.reason


def test_the_closest_found_is_no_worse_than_the_seed() -> None:
    model = build_model(planar_arm(2))
    for angle in (0.0, 1.0, 2.0):
        seed = [angle, 0.5]
        goal = goal_at(model, seed, "3")
        goal[2, 3] = 1e-3
        result = solve(problem(model, "3", goal, seed=seed), seconds=0.02)
        assert result.status == "no_solution"
        assert result.position_error is not None
        assert result.orientation_error is not None
        assert math.hypot(result.position_error, result.orientation_error) <= 1.000001e-3


def test_no_time_judges_the_seed() -> None:
    asked = hard_problem()
    result = IkSearch(asked).finish()
    assert result.status == "no_solution"
    assert (result.q == asked.seed).all()
    assert (result.iterations, result.restarts) == (0, 0)
    assert result.reason.startswith("the seed does not fit and no time was given to search: ")
    fitting = problem(ARM, TIP, goal_at(ARM, HARD, TIP), seed=HARD)
    assert IkSearch(fitting).finish().status == "solved"


def test_a_slice_is_about_as_long_as_asked_for() -> None:
    model = build_model(planar_arm(2))
    goal = np.eye(4)
    goal[2, 3] = 0.25
    search = IkSearch(problem(model, "3", goal, seed=[0.3, 0.3]))
    search.run(0.01)
    started = time.perf_counter()
    slices = 0
    while time.perf_counter() - started < 0.1:
        assert not search.run(0.0005)
        slices += 1
    assert slices > 20  # of 200; the machine may be busy
    assert search.run(0.0) is False


@pytest.mark.parametrize("random_seed", range(4))
def test_slices_make_no_difference(random_seed: int) -> None:
    whole = solve(hard_problem(random_seed=random_seed), slice_seconds=20.0)
    sliced = solve(hard_problem(random_seed=random_seed), slice_seconds=1e-5)
    assert whole.restarts > 0
    assert same(whole, sliced)


def same(one: IkResult, other: IkResult) -> bool:
    return one.q.tobytes() == other.q.tobytes() and (one.iterations, one.restarts) == (
        other.iterations,
        other.restarts,
    )


def test_searches_at_once_do_not_disturb_each_other() -> None:
    """More of them than spare states are kept for, in turn, and again with states used before."""
    alone = [solve(hard_problem(random_seed=i)) for i in range(SPARE_STATES + 3)]
    for _ in range(2):
        searches = [IkSearch(hard_problem(random_seed=i)) for i in range(len(alone))]
        waiting = list(searches)
        while waiting:
            waiting = [search for search in waiting if not search.run(1e-5)]
        for search, wanted in zip(searches, alone, strict=True):
            assert same(search.finish(), wanted)


def test_the_same_problem_has_the_same_answer_and_another_random_seed_another() -> None:
    first = solve(hard_problem(random_seed=1))
    assert same(first, solve(hard_problem(random_seed=1)))
    others = [solve(hard_problem(random_seed=seed)) for seed in (2, 3, -(2**63), 2**64 - 1)]
    assert any(not same(first, other) for other in others)


OTHER_MODE = """
import json, sys
from tests.kinematics.test_inverse_search import hard_problem
from tests.support.solving import solve
from kinematics.compiling import mode
results = [solve(hard_problem(random_seed=i)) for i in range(4)]
print(json.dumps([mode(), [[r.q.tolist(), r.restarts] for r in results]]))
"""


@pytest.mark.slow
def test_compiled_and_interpreted_code_give_the_same_answers() -> None:
    """To rounding: a compiler may fuse a multiplication and an addition."""
    found = {}
    for disabled in ("0", "1"):
        environment = os.environ | {"NUMBA_DISABLE_JIT": disabled, "KINEMATICS_KERNELS": ""}
        ran = subprocess.run(
            [sys.executable, "-c", OTHER_MODE],
            env=environment,
            capture_output=True,
            check=True,
            timeout=120,
        )
        mode, answers = json.loads(ran.stdout)
        found[mode] = answers
    assert sorted(found) == ["compiled", "interpreted"]
    for one, other in zip(found["compiled"], found["interpreted"], strict=True):
        assert one[0] == pytest.approx(other[0], abs=1e-5)
        assert one[1] == other[1]


def test_the_generator_is_lecuyers() -> None:
    """Its first numbers from the states (1, 1), computed with integers of any size."""
    integers = [0] * places.PLACES
    integers[places.RANDOM_1] = integers[places.RANDOM_2] = 1
    state = np.array(integers, dtype=np.int64)
    first = second = 1
    for _ in range(1000):
        first = first * 40014 % 2147483563
        second = second * 40692 % 2147483399
        wanted = ((first - second) % 2147483562 + 1) / 2147483563
        assert starting.uniform(state) == wanted
        assert 0.0 < wanted < 1.0


def test_as_many_tools_are_kept_as_a_client_has() -> None:
    model = build_model(planar_arm(2))
    for i in range(KEPT_SETTINGS + 5):
        goal = goal_at(model, [0.3, 0.4], "3")
        point = np.array([0.01 * i, 0.0, 0.0])
        assert solve(problem(model, "3", goal, seed=[0.1, 0.1], point=point)).status == "solved"
    (chain,) = model.chains.values()
    assert len(chain.settings) == KEPT_SETTINGS


def test_joints_held_elsewhere_are_another_setting_and_the_one_in_use_is_kept() -> None:
    model = build_model(planar_arm(3))
    (used,) = _settings(model, held=0.2)
    for i in range(2 * KEPT_SETTINGS):
        assert used in _settings(model, held=0.2)
        assert len(_settings(model, held=0.3 + 0.01 * i)) <= KEPT_SETTINGS


def _settings(model: Model, held: float) -> list[Setting]:
    """Return what is kept after a search with the first joint held."""
    q = [held, 0.4, -0.9]
    goal = goal_at(model, q, "4")
    result = solve(problem(model, "4", goal, seed=[held, 0.3, -1.0], free=["j1", "j2"]))
    assert result.status == "solved"
    assert result.q == pytest.approx(q, abs=1e-5)
    (chain,) = model.chains.values()
    return list(chain.settings.values())


def test_a_step_in_which_one_limit_after_the_other_is_met_ends() -> None:
    """Rails that share a way: each end is met when the one before it no longer helps."""
    way, count = 4e-4, ACTIVE_SET_ROUNDS + 1
    ends: list[float] = []
    share = before = way / count
    for left in range(count, 1, -1):
        ends.append(share - 0.98 * (share - before) if ends else 0.5 * share)
        before, share = share, (way - sum(ends)) / (left - 1)
    x = (1.0, 0.0, 0.0)
    bounds = [(0.0, end) for end in (*ends, 10.0)]
    rails = [joint(f"r{i}", "prismatic", axis=x, limits=bound) for i, bound in enumerate(bounds)]
    model = build_model(serial_robot(*rails))
    goal = goal_at(model, [*ends, way - sum(ends)], str(count))
    result = solve(problem(model, str(count), goal, parts="position", position_tolerance=1e-12))
    assert result.status == "solved"
    assert result.restarts == 0
    assert result.q[:-1].tolist() == ends


def test_a_seed_at_the_edge_of_the_reach_is_the_best_effort_after_one_attempt() -> None:
    model = build_model(planar_arm(2))
    goal = np.eye(4)
    goal[0, 3] = 3.0
    result = solve(problem(model, "3", goal, parts="position", seed=[0.0, 0.0]))
    assert result.status == "unreachable"
    assert result.restarts == 1
    assert result.iterations < 20
    assert result.position_error == pytest.approx(1.0)
