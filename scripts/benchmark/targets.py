"""Targets to solve for, how an answer is judged, and what a run comes to in numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from scripts.benchmark.arms import Array, Chain

MODES: Final = ("uniform", "limits", "near", "unreachable")
ON_LIMIT: Final = 0.4  # the share of joints that stand on a limit, in mode "limits"
NEAR: Final = 0.1  # rad or m: how far a near seed is off, at most, in each joint
BEYOND: Final = 3.0  # an unreachable target is so many times farther off than a reachable one
TOLERANCE: Final = 1e-6  # m and rad
LIMIT_SLACK: Final = 1e-6  # a limit overstepped by less is told apart from one that is ignored


@dataclass(frozen=True, slots=True)
class Target:
    """A pose to reach, T_base_tip, and where to start."""

    T: Array
    seed: Array


@dataclass(frozen=True, slots=True)
class Judgement:
    """What an answer is worth."""

    posed: bool  # within the tolerance of the pose, in both parts
    overstep: float  # rad or m: how far the worst joint is beyond its limit; 0 within

    @property
    def solved(self) -> bool:
        """Within the tolerance and, to the last bit, within the limits."""
        return self.posed and self.overstep <= 0.0

    @property
    def nearly(self) -> bool:
        """Solved, if limits may be overstepped by a hair."""
        return self.posed and self.overstep <= LIMIT_SLACK


@dataclass(frozen=True, slots=True)
class Sample:
    """One solve."""

    cpu: float  # s
    wall: float  # s
    solved: bool
    nearly: bool
    distance: float  # to the seed, rad and m alike; nan if not solved


def targets(chain: Chain, mode: str, count: int) -> list[Target]:
    """Return the same targets for every solver, and in every run."""
    rng = np.random.RandomState(1)
    lower, upper = chain.lower, chain.upper
    made = []
    for _ in range(count):
        q = rng.uniform(lower, upper)
        if mode == "limits":
            held = rng.rand(len(q)) < ON_LIMIT
            q = np.where(held, np.where(rng.rand(len(q)) < 0.5, lower, upper), q)
        seed = rng.uniform(lower, upper)
        if mode == "near":
            seed = np.clip(q + rng.uniform(-NEAR, NEAR, len(q)), lower, upper)
        T = chain.pose(q)
        if mode == "unreachable":
            T[:3, 3] *= BEYOND * reach(chain) / max(float(np.linalg.norm(T[:3, 3])), 1e-3)
        made.append(Target(T, seed))
    return made


def reach(chain: Chain) -> float:
    """Return a length that no tip can be farther away than, m."""
    fixed = sum(float(np.linalg.norm(step.T_origin[:3, 3])) for step in chain.steps)
    travel = sum(max(abs(s.lower), abs(s.upper)) for s in chain.steps if not s.revolute)
    return fixed + travel + float(np.linalg.norm(chain.T_tail[:3, 3]))


def judge(chain: Chain, T_target: Array, q: Array | None) -> Judgement:
    """Judge an answer by forward kinematics of its own, and by the limits."""
    if q is None or not np.isfinite(q).all():
        return Judgement(posed=False, overstep=math.inf)
    T = chain.pose(q)
    position = float(np.linalg.norm(T[:3, 3] - T_target[:3, 3]))
    posed = position <= TOLERANCE and angle_between(T[:3, :3], T_target[:3, :3]) <= TOLERANCE
    over = [
        max(step.lower - value, value - step.upper)
        for step, value in zip(chain.steps, q, strict=True)
        if step.bounded
    ]
    return Judgement(posed, max(0.0, *over, 0.0))


def angle_between(R: Array, S: Array) -> float:
    """Return the angle of R^T S, rad; exact for tiny angles, where arccos of a trace is not."""
    half_chord = float(np.linalg.norm(R - S)) / (2.0 * math.sqrt(2.0))
    return 2.0 * math.asin(min(1.0, half_chord))


def percentile(values: list[float], percent: float) -> float:
    """Return the smallest value that so many percent of all are not above (nearest rank)."""
    if not values:
        return math.nan
    ordered = sorted(values)
    return ordered[max(0, math.ceil(percent / 100.0 * len(ordered)) - 1)]


def summary(samples: list[Sample]) -> dict[str, float]:
    """Return the figures of a run: percent, microseconds, and rad and m alike."""
    cpu = [sample.cpu * 1e6 for sample in samples]
    wall = [sample.wall * 1e6 for sample in samples]
    distances = [sample.distance for sample in samples if sample.solved]
    count = len(samples)
    return {
        "count": count,
        "solved_percent": 100.0 * sum(sample.solved for sample in samples) / count,
        "nearly_percent": 100.0 * sum(sample.nearly for sample in samples) / count,
        "cpu_mean_us": sum(cpu) / count,
        "cpu_median_us": percentile(cpu, 50),
        "cpu_p99_us": percentile(cpu, 99),
        "wall_mean_us": sum(wall) / count,
        "wall_median_us": percentile(wall, 50),
        "wall_p99_us": percentile(wall, 99),
        "distance_mean": sum(distances) / len(distances) if distances else math.nan,
    }
