"""This project's solver, called as its worker processes call it, but within one process."""

from __future__ import annotations

import time
from typing import Any, Final

import numpy as np

from kinematics import searching
from kinematics.inverse import IkSearch
from kinematics.model import build_model
from kinematics.problem import IkProblem
from scripts.benchmark.arms import Arm, Array

SOLVE_SECONDS: Final = 0.005
SLICE_SECONDS: Final = 0.0005  # a worker looks at the clock, and at other calls, so often


class KernelClock:
    """How much of a solve is spent in compiled code; the rest is Python around it."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._search = searching.search

    def __call__(self, *everything: Any) -> Any:
        """Stand in for the kernel."""
        started = time.thread_time()
        outcome = self._search(*everything)
        self.seconds += time.thread_time() - started
        return outcome


class Ours:
    """An arm's solver: from a pose and a seed to joint values, or None."""

    name = "this project"

    def __init__(self, arm: Arm) -> None:
        self._model = model = build_model(arm.robot)
        self._link = model.link_index(arm.tip)
        self._base = model.link_index(arm.base or model.root_link)
        indices = [model.q_index(step.name) for step in arm.chain.steps]
        self._indices = np.array([index for index in indices if index is not None])
        self._full = np.clip(np.zeros(len(model.joint_names)), model.lower, model.upper)

    def solve(self, T: Array, seed: Array) -> Array | None:
        """Solve for T_base_tip (4, 4) from a seed (n,), within 5 ms."""
        return self.solve_posed(T[:3, 3], quaternion(T), seed)

    def solve_posed(self, position: Array, orientation: Array, seed: Array) -> Array | None:
        """Solve for a pose as a request has it: a position and a unit quaternion x y z w."""
        full = self._full.copy()
        full[self._indices] = seed
        problem = IkProblem(
            self._model, self._link, self._base, np.zeros(3), position, orientation, full
        )
        search = IkSearch(problem)
        left = SOLVE_SECONDS
        while left > 0.0:
            started = time.thread_time()  # others may hold the processor
            if search.run(min(SLICE_SECONDS, left)):
                break
            left -= time.thread_time() - started
        result = search.finish()
        return result.q[self._indices] if result.status == "solved" else None


def quaternion(T: Array) -> Array:
    """Return the unit quaternion x y z w of a transform's rotation (Shepperd 1978)."""
    R = T[:3, :3]
    # Four times the outer product of the quaternion with itself: its longest row is the best.
    products = np.array(
        [
            [1 + R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0], R[2, 1] - R[1, 2]],
            [R[0, 1] + R[1, 0], 1 - R[0, 0] + R[1, 1] - R[2, 2], R[1, 2] + R[2, 1], R[0, 2] - R[2, 0]],
            [R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], 1 - R[0, 0] - R[1, 1] + R[2, 2], R[1, 0] - R[0, 1]],
            [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], 1 + np.trace(R)],
        ]
    )  # fmt: skip
    row: Array = products[int(np.argmax(np.diagonal(products)))]
    return row / np.linalg.norm(row)
