"""Inverse kinematics: every solver on the same targets, every answer judged the same way."""

from __future__ import annotations

import time
from typing import Any, Final

import numpy as np

from kinematics import searching
from scripts.benchmark import peers
from scripts.benchmark.arms import Arm, Chain
from scripts.benchmark.ours import KernelClock, Ours
from scripts.benchmark.peers import Solver
from scripts.benchmark.targets import MODES, Sample, Target, judge, percentile, summary, targets

WARM_UP: Final = 5  # solves that are not counted: caches fill, compiled code is loaded
SLOW: Final = {"ikpy": 0.02, "Pinocchio, LM loop": 0.3}  # share of the targets that it is given
UNREACHABLE_SHARE: Final = 0.1  # every one takes a peer all of its time


def run(solver: Solver, chain: Chain, given: list[Target]) -> list[Sample]:
    """Solve for targets, one after the other, and judge the answers."""
    samples = []
    for number, target in enumerate([*given[:WARM_UP], *given]):
        wall, cpu = time.perf_counter(), time.process_time()  # of all threads: TRAC-IK has two
        q = solver.solve(target.T, target.seed)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        if number < WARM_UP:
            continue
        judged = judge(chain, target.T, q)
        distance = (
            float(np.linalg.norm(q - target.seed)) if judged.solved and q is not None else np.nan
        )
        samples.append(Sample(cpu, wall, judged.solved, judged.nearly, distance))
    return samples


def measure(arms: list[Arm], count: int) -> list[dict[str, Any]]:
    """Return a row for each arm, mode and solver."""
    rows: list[dict[str, Any]] = []
    for arm in arms:
        solvers: list[tuple[str, Solver | str]] = [(Ours.name, Ours(arm)), *peers.built(arm)]
        for mode in MODES:
            given = targets(arm.chain, mode, count)
            if mode == "unreachable":
                given = given[: max(5, round(count * UNREACHABLE_SHARE))]
            for name, solver in solvers:
                row: dict[str, Any] = {"arm": arm.name, "mode": mode, "solver": name}
                if isinstance(solver, str):
                    rows.append(row | {"absent": solver})
                    continue
                few = given[: max(5, round(len(given) * SLOW.get(name, 1.0)))]
                rows.append(row | summary(run(solver, arm.chain, few)))
            rows.append(
                {"arm": arm.name, "mode": mode, "solver": "kernels"} | kernels_only(arm, given)
            )
    return rows


def kernels_only(arm: Arm, given: list[Target]) -> dict[str, float]:
    """Return how much CPU time the search itself takes, in compiled code."""
    clock, solver = KernelClock(), Ours(arm)
    usual = searching.search
    searching.search = clock
    spent = []
    try:
        for target in given:
            clock.seconds = 0.0
            solver.solve(target.T, target.seed)
            spent.append(clock.seconds * 1e6)
    finally:
        searching.search = usual
    return {
        "count": len(spent),
        "cpu_mean_us": float(np.mean(spent)),
        "cpu_median_us": percentile(spent, 50),
        "cpu_p99_us": percentile(spent, 99),
    }
