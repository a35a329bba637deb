"""The benchmark's own mathematics: what it judges by, and how it counts. No peer is needed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kinematics.forward import link_poses
from kinematics.model import build_model
from scripts.benchmark import arms, report, targets
from scripts.benchmark.arms import Arm, Array
from scripts.benchmark.ours import Ours, quaternion
from scripts.benchmark.targets import MODES, Sample
from tests.support.live import ROOT

TIP = "tool"


@pytest.fixture(scope="module")
def arm() -> Arm:
    return Arm("example", "", TIP, text=(ROOT / "docs/examples/arm.urdf").read_text("utf-8"))


def test_its_forward_kinematics_are_those_of_the_project(arm: Arm) -> None:
    model = build_model(arm.robot)
    rng = np.random.RandomState(0)
    for _ in range(20):
        q = rng.uniform(arm.chain.lower, arm.chain.upper)
        full = np.zeros(len(model.joint_names))
        for step, value in zip(arm.chain.steps, q, strict=True):
            index = model.q_index(step.name)
            assert index is not None
            full[index] = value
        (pose,) = link_poses(model, full, model.root, [model.link_index(TIP)])
        T = arm.chain.pose(q)
        np.testing.assert_allclose(T[:3, 3], pose[:3], atol=1e-12)
        assert abs(quaternion(T) @ pose[3:]) == pytest.approx(1.0, abs=1e-12)


def test_a_chain_that_does_not_lead_to_the_tip_is_refused(arm: Arm) -> None:
    with pytest.raises(ValueError, match="is not above"):
        arms.chain_of(arm.robot, TIP, arm.robot.root_link)


@pytest.mark.parametrize("axis", [[0, 0, 1], [0, 0, -2], [1, 0, 0], [0.3, -0.4, 0.1]])
def test_an_axis_becomes_the_third_column_of_a_rotation(axis: list[float]) -> None:
    R = arms.turning_z_to(np.array(axis, dtype=float))[:3, :3]
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-15)
    assert np.linalg.det(R) == pytest.approx(1.0)
    np.testing.assert_allclose(R[:, 2], np.array(axis) / np.linalg.norm(axis), atol=1e-15)


@pytest.mark.parametrize("angle", [1e-9, 1e-6, 0.5, 3.0, math.pi])
def test_an_angle_is_told_from_its_rotation(angle: float) -> None:
    R = arms.placement((0, 0, 0), (0.3, -0.2, 1.0))[:3, :3]
    S = R @ arms.moved(revolute=True, value=angle)[:3, :3]
    assert targets.angle_between(R, S) == pytest.approx(angle, rel=1e-6)


def solution(arm: Arm) -> Array:
    return arm.chain.lower * 0.4 + arm.chain.upper * 0.6


def test_a_right_answer_is_solved(arm: Arm) -> None:
    q = solution(arm)
    judged = targets.judge(arm.chain, arm.chain.pose(q), q)
    assert judged.solved
    assert judged.nearly


@pytest.mark.parametrize(
    ("xyz", "rpy"),
    [((2e-6, 0.0, 0.0), (0.0, 0.0, 0.0)), ((0.0, 0.0, 0.0), (0.0, 2e-6, 0.0))],
)
def test_an_answer_off_in_either_part_is_not_solved(
    arm: Arm, xyz: tuple[float, float, float], rpy: tuple[float, float, float]
) -> None:
    q = solution(arm)
    T = arm.chain.pose(q) @ arms.placement(xyz, rpy)
    assert not targets.judge(arm.chain, T, q).nearly


def test_no_answer_and_one_that_is_no_number_are_not_solved(arm: Arm) -> None:
    q = solution(arm)
    assert not targets.judge(arm.chain, arm.chain.pose(q), None).solved
    assert not targets.judge(arm.chain, arm.chain.pose(q), q * np.nan).solved


def test_a_limit_overstepped_by_a_hair_is_told_apart(arm: Arm) -> None:
    bounded = next(i for i, step in enumerate(arm.chain.steps) if step.bounded)
    for beyond, nearly in ((1e-9, True), (1e-3, False)):
        q = solution(arm)
        q[bounded] = arm.chain.upper[bounded] + beyond
        judged = targets.judge(arm.chain, arm.chain.pose(q), q)
        assert judged.overstep == pytest.approx(beyond, rel=1e-5)
        assert (judged.solved, judged.nearly) == (False, nearly)


def test_targets_are_the_same_every_time_and_as_their_kind_says(arm: Arm) -> None:
    for mode in MODES:
        first, second = (targets.targets(arm.chain, mode, 10) for _ in range(2))
        for one, other in zip(first, second, strict=True):
            np.testing.assert_array_equal(one.T, other.T)
            assert (one.seed >= arm.chain.lower).all()
            assert (one.seed <= arm.chain.upper).all()
    farthest = targets.reach(arm.chain)
    for target in targets.targets(arm.chain, "unreachable", 10):
        assert np.linalg.norm(target.T[:3, 3]) > farthest


def test_the_solver_is_run_and_judged(arm: Arm) -> None:
    near = targets.targets(arm.chain, "near", 3)
    for target in near:
        q = Ours(arm).solve(target.T, target.seed)
        assert targets.judge(arm.chain, target.T, q).solved
    (far,) = targets.targets(arm.chain, "unreachable", 1)
    assert Ours(arm).solve(far.T, far.seed) is None


@pytest.mark.parametrize(("percent", "value"), [(50, 2.0), (99, 4.0), (25, 1.0), (1, 1.0)])
def test_percentiles_are_by_nearest_rank(percent: float, value: float) -> None:
    assert targets.percentile([3.0, 1.0, 4.0, 2.0], percent) == value


def test_there_is_no_percentile_of_nothing() -> None:
    assert math.isnan(targets.percentile([], 50))


def test_a_summary_counts_what_failed_but_takes_no_distance_from_it() -> None:
    samples = [
        Sample(cpu=1e-6, wall=2e-6, solved=True, nearly=True, distance=0.5),
        Sample(cpu=3e-6, wall=4e-6, solved=False, nearly=True, distance=math.nan),
    ]
    figures = targets.summary(samples)
    assert (figures["solved_percent"], figures["nearly_percent"]) == (50.0, 100.0)
    assert figures["cpu_mean_us"] == pytest.approx(2.0)
    assert figures["wall_p99_us"] == pytest.approx(4.0)
    assert figures["distance_mean"] == 0.5


def test_tables_show_ratios_and_what_is_absent() -> None:
    sample = Sample(cpu=1e-5, wall=1e-5, solved=True, nearly=True, distance=0.1)
    mine = targets.summary([sample])
    peer = mine | {"cpu_mean_us": 40.0}
    rows = []
    for mode in MODES:
        common = {"arm": "A", "mode": mode}
        rows += [
            common | {"solver": "this project"} | mine,
            common | {"solver": "kernels"} | mine,
            common | {"solver": "peer"} | peer,
            common | {"solver": "other", "absent": "it does not install"},
        ]
    text = report.markdown({"command": "c", "date": "d", "machine": "m", "ik": rows})
    assert "| A | peer | 1 | 100.0 | 40 µs |" in text
    assert "| A | 10 µs | 10 µs | 10 µs | 0.25 / 0.25 | - |" in text
