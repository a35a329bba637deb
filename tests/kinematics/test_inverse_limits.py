"""Limits are kept to the last bit, and turns are counted from the seed."""

from __future__ import annotations

import math
import random

import numpy as np
import orjson
import pytest

from kinematics.model import Model, build_model
from kinematics.problem import IkResult
from tests.support.random_robots import (
    configuration,
    joint,
    planar_arm,
    serial_robot,
    six_axis_arm,
)
from tests.support.solving import goal_at, problem, solve

ARM = build_model(six_axis_arm())
TIP = "7"
TURN = 2.0 * math.pi


def hinge(*limits: float) -> Model:
    """Return a model of one joint and a tip a metre away; continuous without limits."""
    kind = "revolute" if limits else "continuous"
    bounds = (limits[0], limits[1]) if limits else None
    return build_model(
        serial_robot(joint("j", kind, limits=bounds), joint("tip", "fixed", (1.0, 0.0, 0.0)))
    )


def turn_to(model: Model, angle: float, seed: float, seconds: float = 20.0) -> IkResult:
    """Return the answer to where the hinge is at an angle."""
    return solve(problem(model, "2", goal_at(model, [angle], "2"), seed=[seed]), seconds)


def test_a_pose_beyond_the_limits_is_no_solution_and_the_closest_is_the_limit() -> None:
    result = turn_to(hinge(-0.1, 0.1), 1.0, 0.0, seconds=0.05)
    assert result.status == "no_solution"
    assert result.q.tolist() == [0.1]
    assert result.reason.startswith("no solution in the time given (")
    assert "off by 0.87 m and 0.9 rad" in result.reason


def test_every_solution_survives_being_written_down() -> None:
    choices = random.Random(11)
    for _ in range(60):
        q = configuration(ARM, choices)
        asked = problem(ARM, TIP, goal_at(ARM, q, TIP), seed=configuration(ARM, choices))
        result = solve(asked)
        assert result.status == "solved"
        back = np.array(orjson.loads(orjson.dumps(result.q.tolist())))
        assert back.tobytes() == result.q.tobytes()
        again = problem(ARM, TIP, goal_at(ARM, q, TIP), seed=back)
        assert solve(again).iterations == 0


@pytest.mark.parametrize("share", [0.3, 1.0])
def test_targets_with_joints_on_their_limits(share: float) -> None:
    choices = random.Random(str(share))
    for _ in range(30):
        q = configuration(ARM, choices)
        for i in range(6):
            if choices.random() < share:
                q[i] = choices.choice([ARM.lower[i], ARM.upper[i]])
        asked = problem(ARM, TIP, goal_at(ARM, q, TIP), seed=configuration(ARM, choices))
        assert solve(asked).status == "solved"


def test_a_joint_that_rests_on_its_limit_leaves_it() -> None:
    model = build_model(planar_arm(3, bound=1.5))
    seed = np.array([0.2, 1.5, 0.3])
    goal = goal_at(model, [0.6, 0.4, 0.8], "4")
    result = solve(problem(model, "4", goal, seed=seed))
    assert result.status == "solved"
    assert result.restarts == 0


@pytest.mark.parametrize(
    ("seed", "angle"), [(3.1, 3.2), (-3.1, -3.2), (40.0, 40.05), (1e3, 1e3 + 3)]
)
def test_a_continuous_joint_goes_the_short_way(seed: float, angle: float) -> None:
    result = turn_to(hinge(), angle, seed)
    assert result.status == "solved"
    assert result.q[0] == pytest.approx(angle, abs=1e-6)


@pytest.mark.parametrize("seed", [0.0, 1e3, -1e3, 1e6])
def test_continuous_joints_restart_within_a_turn_of_the_seed(seed: float) -> None:
    kinds = six_axis_arm()
    model = build_model(
        serial_robot(
            *(joint(j.name, "continuous", j.origin.xyz, j.axis) for j in kinds.joints[:6]),
            joint("tool", "fixed", (0.0, 0.0, 0.1)),
        )
    )
    choices = random.Random(12)
    for _ in range(15):
        start = seed + configuration(model, choices)
        goal = goal_at(model, configuration(model, choices), TIP)
        result = solve(problem(model, TIP, goal, seed=start))
        assert result.status == "solved"
        assert np.abs(result.q - start).max() <= math.pi + 1e-9


@pytest.mark.parametrize("seed", [0.0, 3.5, 4.0, 6.0, 100.0])
def test_a_range_beyond_half_a_turn_is_not_wrapped(seed: float) -> None:
    result = turn_to(hinge(3.5, 6.0), 5.0, seed)
    assert result.status == "solved"
    assert result.q[0] == pytest.approx(5.0, abs=1e-6)


def test_an_angle_a_turn_away_is_found_where_the_range_has_it() -> None:
    result = turn_to(hinge(3.5, 6.0), 5.0 - TURN, 4.0)
    assert result.status == "solved"
    assert result.q[0] == pytest.approx(5.0, abs=1e-6)


@pytest.mark.parametrize(
    ("seed", "nearest"),
    [(0.0, 1.0), (5.0, 1.0 + TURN), (-9.0, 1.0 - 2 * TURN), (19.0, 1 + 3 * TURN)],
)
def test_where_a_range_has_several_turns_the_nearest_to_the_seed_is_given(
    seed: float, nearest: float
) -> None:
    result = turn_to(hinge(-12.0, 20.0), 1.0, seed)
    assert result.status == "solved"
    assert result.q[0] == pytest.approx(nearest, abs=1e-6)


@pytest.mark.parametrize("seed", [-6.0, 0.0, 6.0, 9.4])
def test_the_nearest_turn_that_the_limits_allow(seed: float) -> None:
    """Against every turn there is, tried one by one."""
    lower, upper = -6.5, 9.5
    model = hinge(lower, upper)
    for angle in np.linspace(-3.0, 3.0, 13):
        result = turn_to(model, angle, seed)
        assert result.status == "solved"
        turns = [angle + k * TURN for k in range(-3, 4) if lower <= angle + k * TURN <= upper]
        least = min(abs(turn - seed) for turn in turns)
        assert abs(result.q[0] - seed) == pytest.approx(least, abs=1e-5)


def test_a_prismatic_joint_has_no_turns() -> None:
    model = build_model(serial_robot(joint("s", "prismatic", limits=(0.0, 10.0))))
    result = solve(problem(model, "1", goal_at(model, [9.5], "1"), seed=[5.0]))
    assert result.q[0] == pytest.approx(9.5, abs=1e-6)


@pytest.mark.parametrize("seed", [-100.0, 0.0, 100.0])
def test_a_seed_outside_the_limits_is_moved_into_them(seed: float) -> None:
    result = turn_to(hinge(0.5, 4.5), 1.0, seed)
    assert result.status == "solved"
    assert result.q[0] == pytest.approx(1.0, abs=1e-6)


def test_limits_that_nothing_is_between_are_no_solution() -> None:
    result = turn_to(hinge(1.0, -1.0), 0.0, 0.5)
    assert result.status == "no_solution"
    assert result.reason == "joint 'j' has an empty range: lower 1 is above upper -1"
    assert result.q.tolist() == [0.5]


def test_an_empty_range_off_the_path_stays_at_the_seed() -> None:
    model = build_model(
        serial_robot(
            joint("bad", "revolute", limits=(1.0, -1.0)), joint("good", xyz=(1.0, 0.0, 0.0))
        )
    )
    goal = goal_at(model, [0.3, 0.7], "2", "1")
    result = solve(problem(model, "2", goal, base="1", seed=[0.3, 0.0]))
    assert result.status == "solved"
    assert result.q[0] == 0.3


def test_a_range_of_one_value_is_that_value() -> None:
    model = build_model(
        serial_robot(
            joint("a", "revolute", limits=(0.25, 0.25)),
            joint("b", xyz=(1.0, 0.0, 0.0)),
            joint("c", xyz=(1.0, 0.0, 0.0)),
            joint("tip", "fixed", (1.0, 0.0, 0.0)),
        )
    )
    goal = goal_at(model, [0.25, 0.5, -0.9], "4")
    result = solve(problem(model, "4", goal))
    assert result.status == "solved"
    assert result.q[0] == 0.25


@pytest.mark.parametrize("ends", [(0.2, 0.2 + 1e-12), (-1e-9, 1e-9), (1e3, 1e3 + 1e-10)])
def test_a_range_of_a_hairs_breadth(ends: tuple[float, float]) -> None:
    middle = 0.5 * (ends[0] + ends[1])
    assert turn_to(hinge(*ends), middle, 0.0).status == "solved"


def test_a_long_chain_that_meets_limit_after_limit() -> None:
    """The answer has every joint all but on its upper limit, the seed each on its lower."""
    bounds = [(-0.3, 0.05 * 1.2**i) for i in range(24)]
    joints = [joint(f"j{i}", "revolute", (0.2, 0, 0), (0, 0, 1), b) for i, b in enumerate(bounds)]
    model = build_model(serial_robot(*joints, joint("tip", "fixed", (0.2, 0, 0))))
    goal = goal_at(model, model.upper * 0.999, "25")
    for parts in ("both", "position"):
        assert solve(problem(model, "25", goal, seed=model.lower, parts=parts)).status == "solved"


def test_joints_that_may_not_move_stay_where_the_seed_has_them() -> None:
    choices = random.Random(13)
    for _ in range(20):
        start = configuration(ARM, choices)
        free = choices.sample(ARM.joint_names, choices.randint(1, 5))
        q = configuration(ARM, choices)
        for i, name in enumerate(ARM.joint_names):
            if name not in free:
                q[i] = start[i]
        goal = goal_at(ARM, q, TIP)
        result = solve(problem(ARM, TIP, goal, seed=start, free=free))  # checks what has moved
        assert result.status == "solved"


def test_without_a_joint_that_may_move_the_seed_is_judged() -> None:
    seed = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    goal = goal_at(ARM, seed, TIP)
    fitting = solve(problem(ARM, TIP, goal, seed=seed, free=[]))
    assert fitting.status == "solved"
    goal[0, 3] += 0.25
    missing = solve(problem(ARM, TIP, goal, seed=seed, free=[]))
    assert missing.q.tolist() == seed
    assert missing.position_error == pytest.approx(0.25)
    assert missing.status == "unreachable"


@pytest.mark.parametrize("kind", ["fixed", "revolute"])
def test_a_chain_of_at_most_one_joint(kind: str) -> None:
    limits = (-1.0, 1.0) if kind == "revolute" else None
    model = build_model(
        serial_robot(joint("j", kind, (0.0, 0.0, 1.0), limits=limits), joint("t", "fixed"))
    )
    seed = np.zeros(len(model.joint_names))
    there = solve(problem(model, "2", goal_at(model, seed, "2"), seed=seed))
    assert there.status == "solved"
    off = goal_at(model, seed, "2")
    off[2, 3] += 0.001
    result = solve(problem(model, "2", off, seed=seed))
    assert result.status == "unreachable"
    assert result.position_error == pytest.approx(0.001)


def test_a_turn_that_no_joint_makes_is_no_solution_at_once() -> None:
    model = build_model(serial_robot(joint("j", "fixed")))
    goal = goal_at(model, [], "1")
    goal[:3, :3] = np.diag([1.0, -1.0, -1.0])
    result = solve(problem(model, "1", goal, parts="orientation"))
    assert result.status == "no_solution"
    assert result.reason == (
        "the seed does not fit and no joint may move: the closest found is off by 3.14 rad"
    )


@pytest.mark.parametrize("travel", [10.0, 1e6])
def test_a_gantry(travel: float) -> None:
    ends = (-travel, travel)
    model = build_model(
        serial_robot(
            joint("x", "prismatic", axis=(1.0, 0.0, 0.0), limits=ends),
            joint("y", "prismatic", axis=(0.0, 1.0, 0.0), limits=ends),
            joint("z", "prismatic", axis=(0.0, 0.0, 1.0), limits=ends),
            *(
                joint(j.name, "revolute", j.origin.xyz, j.axis, (-2.9, 2.9))
                for j in six_axis_arm().joints[3:6]
            ),
        )
    )
    choices = random.Random(14)
    for _ in range(20):
        goal = goal_at(model, configuration(model, choices), "6")
        asked = problem(model, "6", goal, seed=configuration(model, choices))
        assert solve(asked).status == "solved"


@pytest.mark.parametrize("travel", [10.0, 1e6])
def test_an_arm_on_a_long_rail(travel: float) -> None:
    rail = joint("rail", "prismatic", axis=(1.0, 0.0, 0.0), limits=(-travel, travel))
    model = build_model(serial_robot(rail, *six_axis_arm().joints))
    choices = random.Random(15)
    for _ in range(20):
        q = configuration(model, choices)
        goal = goal_at(model, q, "8")
        start = configuration(model, choices)
        assert solve(problem(model, "8", goal, seed=start)).status == "solved"


@pytest.mark.parametrize("end", [1e100, 1.7e308])
def test_limits_as_large_as_a_number_gets(end: float) -> None:
    rail = joint("rail", "prismatic", axis=(1.0, 0.0, 0.0), limits=(-end, end))
    model = build_model(serial_robot(rail, *six_axis_arm().joints))
    choices = random.Random(16)
    for _ in range(5):
        q = np.array([choices.uniform(-2.0, 2.0) for _ in range(7)])
        goal = goal_at(model, q, "8")
        assert solve(problem(model, "8", goal, seed=np.zeros(7))).status == "solved"
