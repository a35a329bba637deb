"""What the search kernel works on, and how long it may work at a time."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Any, Final

import numpy as np

from kinematics import places, searching, starting
from kinematics.arrays import FloatArray, IntArray, floats, ints
from kinematics.compiling import COMPILED
from kinematics.model import Model
from kinematics.problem import IkProblem
from kinematics.setting import Setting

FIRST_CHUNK: Final = 40 if COMPILED else 1  # iterations before the time of one is known
FIRST_CHUNK_JOINTS: Final = 8  # of a chain that FIRST_CHUNK is right for
MOST_ITERATIONS: Final = 1000  # of one call, however fast the last ones were
SPARE_STATES: Final = 8  # a setting's; searches under way at once are few but for a flood
UNBOUNDED_ATTEMPTS: Final = 2**62
RANDOM_MODULI: Final = (2147483562, 2147483398)  # the generator's states are from 1 to these
RANDOM_PLACES: Final = (places.RANDOM_1, places.RANDOM_2)
HASH: Final = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9)  # odd, from splitmix64: spread small seeds
HASH_MASK: Final = 2**64 - 1
POSITION: Final = slice(places.POSITION, places.POSITION + 3)
QUATERNION: Final = slice(places.QUATERNION, places.QUATERNION + 4)


class SearchState:
    """The kernel's arguments for one setting; used again for problem after problem.

    Attributes:
        full: (n,) the whole robot's configuration: the seed, then what was judged last.
        out_of_reach: whether the position asked for is, but for rounding.
        attempts: how many may fail before the search is over.
    """

    def __init__(self, model: Model, setting: Setting) -> None:
        chain, k = setting.chain, setting.size
        self._setting = setting
        self._model = model
        self.full = floats(np.zeros(len(model.joint_names)))
        self._numbers = floats(setting.numbers)
        self._integers = ints([0] * (places.PLACES + k))
        self._own: Any = (chain.kind, chain.places, self.full, self._numbers, self._integers)
        self._robot: Any = (model.tree, model.joints, model.frames, model.work)
        self._chunk = max(1, FIRST_CHUNK * FIRST_CHUNK_JOINTS // max(k, FIRST_CHUNK_JOINTS))
        self._seconds_each = 0.0
        self.out_of_reach = False
        self.attempts = UNBOUNDED_ATTEMPTS

    @classmethod
    def of(cls, model: Model, setting: Setting) -> SearchState:
        """Return a state of this setting: a spare one, else a new one."""
        return setting.spare.pop() if setting.spare else cls(model, setting)

    def put_back(self) -> None:
        """Keep the state for another problem of its setting."""
        if len(self._setting.spare) < SPARE_STATES:
            self._setting.spare.append(self)

    def begin(self, problem: IkProblem) -> None:
        """Begin at the seed of a problem of this state's setting."""
        numbers, parts = self._numbers, 0
        if problem.position is not None:
            numbers[POSITION] = floats(problem.position)
            parts = 1
        if problem.quaternion is not None:
            numbers[QUATERNION] = floats(problem.quaternion)
            parts += 2
        numbers[places.POSITION_TOLERANCE] = problem.position_tolerance
        numbers[places.ORIENTATION_TOLERANCE] = problem.orientation_tolerance
        self.full[:] = floats(problem.seed)
        self._integers[: places.PLACES] = _integers(
            problem.random_seed, parts, problem.base, problem.link
        )
        limits, chain = self._model.limits, self._setting.chain.numbers
        self.out_of_reach = bool(starting.begin(*limits, chain, *self._own))
        self.attempts = UNBOUNDED_ATTEMPTS

    @property
    def iterations(self) -> int:
        """How many iterations the search has had."""
        return int(self._integers[places.ITERATIONS])

    @property
    def failed_attempts(self) -> int:
        """How many attempts came to nothing."""
        return int(self._integers[places.ATTEMPTS])

    @property
    def exhausted(self) -> bool:
        """Whether no further attempt is allowed."""
        return self.failed_attempts >= self.attempts

    @property
    def errors(self) -> tuple[float, float]:
        """The errors of what was judged last, m and rad."""
        numbers = self._numbers
        return float(numbers[0]), float(numbers[1])

    def judge(self, place: int) -> tuple[FloatArray, float, float]:
        """Judge the seed or the best: the whole robot's configuration, and its errors."""
        first = places.FIXED_PLACES + place * self._setting.size
        everything: Any = (*self._robot, *self._own, first)
        searching.judge(*everything)
        return np.array(self.full), *self.errors

    def best_place(self) -> int:
        """Return the place of the closest configuration: the best end of an attempt, or q."""
        numbers, fresh = self._numbers, self._integers[places.FRESH] == 1
        current = not fresh and numbers[places.COST] < numbers[places.BEST_COST]
        return places.Q if current else places.BEST

    def advance(self, seconds: float) -> int:
        """Run the kernel for about so long, or until it has something to say."""
        chunk = self._chunk
        if self._seconds_each:
            chunk = max(1, min(MOST_ITERATIONS, int(seconds / self._seconds_each)))
        before, started = self.iterations, time.perf_counter()
        chain = self._setting.chain.numbers
        everything: Any = (*self._robot, chain, *self._own, chunk, self.attempts)
        outcome = searching.search(*everything)
        done = self.iterations - before
        if done:
            self._seconds_each = (time.perf_counter() - started) / done
        return int(outcome)

    def aim_within_reach(self) -> None:
        """Search for what is closest to a target out of reach, in one attempt."""
        starting.aim_within_reach(self._numbers)
        self.attempts = 1

    def give_up_attempt(self) -> None:
        """Go on at a random configuration; the attempt counts as one."""
        self._integers[places.ATTEMPTS] += 1
        starting.draw(self._setting.size, self._numbers, self._integers)


@lru_cache(maxsize=256)
def _integers(random_seed: int, parts: int, base: int, link: int) -> IntArray:
    """Return what a search's integers are at its beginning."""
    integers = [0] * places.PLACES
    for place, factor, modulus in zip(RANDOM_PLACES, HASH, RANDOM_MODULI, strict=True):
        mixed = ((random_seed + 1) * factor) & HASH_MASK
        mixed ^= mixed >> 29
        integers[place] = 1 + mixed % modulus
    integers[places.PARTS] = parts
    integers[places.BASE], integers[places.LINK] = base, link
    return ints(integers)
