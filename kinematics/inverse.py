"""Inverse kinematics: a search that is run in slices, and answers that are checked.

The kernel in `searching` proposes; nothing is claimed before the forward kinematics of
the whole robot, with the very numbers that are returned, has confirmed it.
"""

from __future__ import annotations

import math
import time
from typing import Final

import numpy as np

from kinematics import kernels, searching
from kinematics.arrays import FloatArray, floats
from kinematics.chain import chain_between
from kinematics.errors import quote
from kinematics.forward import update_frames
from kinematics.model import IDENTITY, PRISMATIC, Model
from kinematics.problem import IkProblem, IkResult
from kinematics.reach import Reach
from kinematics.rotations import matrix_from_quaternion
from kinematics.search_state import UNBOUNDED_ATTEMPTS, SearchState
from kinematics.setting import setting_for

TURN: Final = 2.0 * math.pi
DISTINCT: Final = 0.01  # rad or m, the contract's: solutions nearer than that are one
ATTEMPTS_BASE: Final = 64  # the contract's: several solutions are searched in so many attempts
ATTEMPTS_EACH: Final = 16  # and so many more for each solution asked for


class IkSearch:
    """A search under way; `run` it until it is done or the time is up, then `finish`."""

    def __init__(self, problem: IkProblem) -> None:
        """Judge the seed and prepare the search.

        Raises:
            KinematicsError: `invalid_request`; the base is not above the link.
        """
        self._problem = problem
        model = problem.model
        self._chain = chain_between(model, problem.base, problem.link)
        self._goal = _goal(problem)
        self._parts = (problem.position is not None) + 2 * (problem.quaternion is not None)
        self._point = floats(problem.point)
        self._errors = floats((0.0, 0.0))
        self._seed = seed = _within(problem.seed, model)
        self._found: list[tuple[FloatArray, float, float]] = []
        self._best = (seed, *self._judge(seed))
        self._state: SearchState | None = None
        self._missed = ""
        self._empty = self._empty_range()
        if self._fits(self._best):
            self._keep(*self._best)
        self._done = bool(self._empty) or self._enough()

    def run(self, seconds: float) -> bool:
        """Search on for about so long; return True when there is nothing more to do."""
        if self._done:
            return True
        end = time.perf_counter() + seconds
        if self._state is None:
            self._state = self._start()
        state = self._state
        while not self._done:
            left = end - time.perf_counter()
            if left <= 0:
                break
            outcome = state.advance(left)
            if outcome == searching.CONVERGED:
                self._take(state)
            elif outcome == searching.EXHAUSTED:
                self._done = True
        return self._done

    def finish(self) -> IkResult:
        """Return what was found, or the closest; the search is over then."""
        state, self._state = self._state, None
        iterations = restarts = 0
        if state is not None:
            iterations, restarts = state.iterations, state.failed_attempts
            if not self._found:
                self._best = self._closest(state)
            state.put_back()
        if self._found and not self._empty:
            seed = self._seed
            ordered = sorted(self._found, key=lambda found: float(((found[0] - seed) ** 2).sum()))
            solutions = [(q, *self._shown(p, o)) for q, p, o in ordered]
            q, position, orientation = solutions[0]
            return IkResult("solved", q, position, orientation, iterations, restarts, "", solutions)
        q, p, o = self._best
        status = "unreachable" if self._missed and not self._empty else "no_solution"
        reason = self._reason(p, o, restarts, searched=state is not None)
        return IkResult(status, q, *self._shown(p, o), iterations, restarts, reason)

    # -- judging

    def _judge(self, q: FloatArray) -> tuple[float, float]:
        """Return the errors of a configuration in m and rad, by the whole robot's kinematics."""
        problem, model = self._problem, self._problem.model
        kernels.pose_errors(
            update_frames(model, q),
            problem.base,
            problem.link,
            self._point,
            self._goal,
            self._errors,
            model.work,
        )
        return float(self._errors[0]), float(self._errors[1])

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

    def _empty_range(self) -> str:
        """Return the complaint about a joint on the path that no value fits, or ""."""
        model = self._problem.model
        for i in self._chain.joints:
            if model.lower[i] > model.upper[i]:
                return (
                    f"joint {quote(model.joint_names[i])} has an empty range: "
                    f"lower {model.lower[i]:g} is above upper {model.upper[i]:g}"
                )
        return ""

    # -- searching

    def _start(self) -> SearchState:
        """Prepare the kernel's state, and find out whether the target is within reach."""
        problem, chain = self._problem, self._chain
        seed = self._seed[chain.joints]
        setting = setting_for(problem.model, chain, problem.point, seed, problem.free)
        goal, reach = self._goal, setting.reach
        distance = 0.0
        if problem.position is not None:
            self._missed = reach.misses(problem.position, problem.position_tolerance)
            distance = self._best[1]
            if self._missed:
                goal = _within_reach(goal, reach)
        attempts = UNBOUNDED_ATTEMPTS
        if self._missed:
            attempts = 1
        elif problem.solutions > 1:
            attempts = ATTEMPTS_BASE + ATTEMPTS_EACH * problem.solutions
        state = SearchState.of(setting)
        tolerances = problem.position_tolerance, problem.orientation_tolerance
        state.begin(goal, self._parts, seed, distance, tolerances, problem.random_seed, attempts)
        if not setting.movable:  # the seed has been judged, and nothing else is to be had
            self._done = True
        elif self._found:  # the seed is a solution already; the others are elsewhere
            state.give_up_attempt()
        return state

    def _take(self, state: SearchState) -> None:
        """Judge what the kernel takes for a solution."""
        q = self._seed.copy()
        joints = self._chain.joints
        q[joints] = self._nearest_turns(state.q)
        judged = (q, *self._judge(q))
        if self._fits(judged):
            self._keep(*judged)
            if self._enough():
                self._done = True
                return
        else:
            self._best = min(self._best, judged, key=self._distance)
        state.give_up_attempt()
        self._done = state.exhausted

    def _nearest_turns(self, q: FloatArray) -> FloatArray:
        """Return the same configuration with each turning joint nearest to the seed."""
        joints = self._chain.joints
        seed = self._seed[joints]
        away = np.abs(q - seed)
        if (away <= math.pi).all():
            return q
        model = self._problem.model
        for i in np.flatnonzero(away > math.pi):
            if self._chain.kind[i] == PRISMATIC:
                continue
            lower, upper = model.lower[joints[i]], model.upper[joints[i]]
            turns = round(float(seed[i] - q[i]) / TURN)
            for more in (turns, turns - 1, turns + 1):
                turned = q[i] + more * TURN
                if more and lower <= turned <= upper and abs(turned - seed[i]) < away[i]:
                    q[i] = turned
                    break
        return q

    def _keep(self, q: FloatArray, position: float, orientation: float) -> None:
        """Keep a solution unless it is one that was found before."""
        if not any(self._is_same(q, other) for other, _, _ in self._found):
            self._found.append((q, position, orientation))

    def _is_same(self, q: FloatArray, other: FloatArray) -> bool:
        joints = self._chain.joints
        difference = np.abs(q[joints] - other[joints])
        turning = np.asarray(self._chain.kind) != PRISMATIC
        whole = np.round(difference / TURN) * TURN
        return bool((np.where(turning, np.abs(difference - whole), difference) <= DISTINCT).all())

    def _enough(self) -> bool:
        return len(self._found) >= self._problem.solutions

    def _closest(self, state: SearchState) -> tuple[FloatArray, float, float]:
        """Return the best of the seed and of where the search has been."""
        q = self._seed.copy()
        q[self._chain.joints] = self._nearest_turns(state.closest)
        judged = (q, *self._judge(q))
        return min(self._best, judged, key=self._distance)

    def _distance(self, judged: tuple[FloatArray, float, float]) -> float:
        """Return how far off a configuration is: metres and radians alike, squared."""
        position, orientation = self._shown(*judged[1:])
        return (position or 0.0) ** 2 + (orientation or 0.0) ** 2

    def _reason(self, position: float, orientation: float, restarts: int, *, searched: bool) -> str:
        if self._empty:
            return self._empty
        if self._missed:
            return self._missed
        shown = self._shown(position, orientation)
        off = [
            f"{value:.3g} {unit}"
            for value, unit in zip(shown, ("m", "rad"), strict=True)
            if value is not None
        ]
        what = f"the closest found is off by {' and '.join(off)}"
        if not searched:
            return f"the seed does not fit and no time was given to search: {what}"
        if self._done and not restarts:
            return f"the seed does not fit and no joint may move: {what}"
        if self._done:
            return f"no solution in {restarts} attempts: {what}"
        return f"no solution in the time given ({restarts} restarts): {what}"


def _goal(problem: IkProblem) -> FloatArray:
    """Return the pose wanted, (12,); a part that is not asked for is at the origin."""
    goal = floats((*IDENTITY[:9], 0.0, 0.0, 0.0))
    if problem.quaternion is not None:
        matrix_from_quaternion(floats(problem.quaternion), goal, 0)
    if problem.position is not None:
        for i in range(3):
            goal[9 + i] = problem.position[i]
    return goal


def _within(q: FloatArray, model: Model) -> FloatArray:
    """Return q moved into the limits; a joint with an empty range stays."""
    moved = np.minimum(np.maximum(q, model.lower), model.upper)
    return np.where(model.lower <= model.upper, moved, q)


def _within_reach(goal: FloatArray, reach: Reach) -> FloatArray:
    """Return the goal moved straight to where the reach begins or ends.

    A search for a target out of reach ends there, with the point as near as it gets: at the
    target itself its error would stay large, and getting on with it hardly be seen.
    """
    offset = np.asarray(goal[9:]) - reach.center
    distance = math.hypot(*offset)
    wanted = min(max(distance, reach.nearest), reach.farthest)
    if distance == 0.0 or not math.isfinite(distance):
        return goal
    return floats([*goal[:9], *(reach.center + offset / distance * wanted)])
