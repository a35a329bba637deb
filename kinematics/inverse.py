"""Inverse kinematics: a search that is run in slices, and answers that are checked."""

from __future__ import annotations

import math
import time
from typing import Final

import numpy as np

from kinematics import places, searching
from kinematics.arrays import FloatArray
from kinematics.chain import chain_between
from kinematics.problem import IkProblem, IkResult
from kinematics.search_state import SearchState
from kinematics.setting import setting_for

TURN: Final = 2.0 * math.pi
DISTINCT: Final = 0.01  # rad or m, the contract's: solutions nearer than that are one
ATTEMPTS_BASE: Final = 64  # the contract's: several solutions are searched in so many attempts
ATTEMPTS_EACH: Final = 16  # and so many more for each solution asked for
BEYOND_NUMBERS: Final = (
    "the position's error would not be finite; smaller numbers expected in 'target', 'point' and "
    "'seed'"
)


class IkSearch:
    """A search under way; `run` it until it is done or the time is up, then `finish`."""

    def __init__(self, problem: IkProblem) -> None:
        """Prepare the search.

        Raises:
            KinematicsError: `invalid_request`; the base is not above the link.
        """
        self._problem = problem
        model = problem.model
        self._chain = chain_between(model, problem.base, problem.link)
        self._setting = setting_for(model, self._chain, problem)
        self._state = state = SearchState.of(model, self._setting)
        state.begin(problem)
        self._found: list[tuple[FloatArray, float, float]] = []
        self._searched = False
        self._missed = ""
        if state.out_of_reach and problem.position is not None:
            self._missed = self._setting.reach.misses(problem.position, problem.position_tolerance)
        beyond_numbers = not math.isfinite(state.errors[0]) and not self._is_told(
            state.judge(places.SEED)
        )
        if self._missed:
            state.aim_within_reach()
        elif problem.solutions > 1:
            state.attempts = ATTEMPTS_BASE + ATTEMPTS_EACH * problem.solutions
        self._done = bool(self._setting.empty) or beyond_numbers

    def run(self, seconds: float) -> bool:
        """Search on for about so long; return True when there is nothing more to do."""
        end = time.perf_counter() + seconds
        state = self._state
        self._searched = True
        left = seconds
        while not self._done and left > 0.0:
            outcome = state.advance(left)
            if outcome == searching.SOLVED:
                self._take(state)
            elif outcome == searching.EXHAUSTED or not self._setting.movable:
                self._done = True
            left = end - time.perf_counter()
        return self._done

    def finish(self) -> IkResult:
        """Return what was found, or the closest; the search is over then."""
        state = self._state
        iterations, restarts = state.iterations, state.failed_attempts
        if not self._found:
            seed = state.judge(places.SEED)
            if not self._fits(seed) or self._setting.empty:
                return self._unsolved(seed, state.judge(state.best_place()), iterations, restarts)
            self._found.append(seed)  # no time was given: the seed alone is judged
        if len(self._found) > 1:
            seed_q = state.judge(places.SEED)[0]
            self._found.sort(key=lambda found: math.dist(found[0], seed_q))
        state.put_back()
        solutions = [(q, *self._shown(p, o)) for q, p, o in self._found]
        return IkResult("solved", *solutions[0], iterations, restarts, "", solutions)

    def _unsolved(
        self,
        seed: tuple[FloatArray, float, float],
        best: tuple[FloatArray, float, float],
        iterations: int,
        restarts: int,
    ) -> IkResult:
        q, p, o = judged = min(best, seed, key=self._distance)
        self._state.put_back()
        if not self._is_told(judged):
            return IkResult("invalid_request", q, None, None, iterations, restarts, BEYOND_NUMBERS)
        status = "unreachable" if self._missed and not self._setting.empty else "no_solution"
        reason = self._reason(p, o, restarts)
        return IkResult(status, q, *self._shown(p, o), iterations, restarts, reason)

    def _take(self, state: SearchState) -> None:
        """Keep a solution, unless it is one that was found before, and go on if more are wanted."""
        q = np.array(state.full)
        if not any(self._is_same(q, other) for other, _, _ in self._found):
            self._found.append((q, *state.errors))
        if len(self._found) >= self._problem.solutions:
            self._done = True
            return
        state.give_up_attempt()
        self._done = state.exhausted or not self._setting.movable

    def _is_same(self, q: FloatArray, other: FloatArray) -> bool:
        joints = self._chain.joints
        difference = np.abs(q[joints] - other[joints])
        whole = np.round(difference / TURN) * TURN
        turned = np.where(self._setting.turning, np.abs(difference - whole), difference)
        return bool((turned <= DISTINCT).all())

    def _fits(self, judged: tuple[FloatArray, float, float]) -> bool:
        problem = self._problem
        _, position, orientation = judged
        return (problem.position is None or position <= problem.position_tolerance) and (
            problem.quaternion is None or orientation <= problem.orientation_tolerance
        )

    def _shown(self, position: float, orientation: float) -> tuple[float | None, float | None]:
        """Return the errors of the parts that were asked for."""
        problem = self._problem
        return (
            None if problem.position is None else position,
            None if problem.quaternion is None else orientation,
        )

    def _is_told(self, judged: tuple[FloatArray, float, float]) -> bool:
        """Whether the errors asked for can be told as numbers."""
        return math.isfinite(self._distance(judged))

    def _distance(self, judged: tuple[FloatArray, float, float]) -> float:
        """Return how far off a configuration is: metres and radians alike."""
        position, orientation = self._shown(*judged[1:])
        return math.hypot(position or 0.0, orientation or 0.0)

    def _reason(self, position: float, orientation: float, restarts: int) -> str:
        if self._setting.empty:
            return self._setting.empty
        if self._missed:
            return self._missed
        shown = zip(self._shown(position, orientation), ("m", "rad"), strict=True)
        off = " and ".join(f"{value:.3g} {unit}" for value, unit in shown if value is not None)
        what = f"the closest found is off by {off}"
        if not self._searched:
            return f"the seed does not fit and no time was given to search: {what}"
        if not self._setting.movable:
            return f"the seed does not fit and no joint may move: {what}"
        if self._done:
            return f"no solution in {restarts} attempts: {what}"
        return f"no solution in the time given ({restarts} restarts): {what}"
