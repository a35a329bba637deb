"""What the search kernel works on, and how long it may work at a time."""

from __future__ import annotations

import math
import time
from typing import Any, Final

import numpy as np

from kinematics import searching
from kinematics.arrays import FloatArray, floats, ints
from kinematics.compiling import COMPILED
from kinematics.setting import Setting

FIRST_CHUNK: Final = 40 if COMPILED else 1  # iterations before the time of one is known
FIRST_CHUNK_JOINTS: Final = 8  # of a chain that FIRST_CHUNK is right for
MOST_ITERATIONS: Final = 1000  # of one call, however fast the last ones were
SPARE_STATES: Final = 8  # a setting's; searches under way at once are few but for a flood
UNBOUNDED_ATTEMPTS: Final = 2**62
RANDOM_MODULI: Final = (2147483562, 2147483398)  # the generator's states are from 1 to these
HASH: Final = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9)  # odd, from splitmix64: spread small seeds
HASH_MASK: Final = 2**64 - 1


class SearchState:
    """The kernel's arguments for one setting; used again for problem after problem."""

    def __init__(self, setting: Setting) -> None:
        k = setting.size
        self._setting = setting
        self._q, self._best = floats(np.zeros(k)), floats(np.zeros(k))
        self._goal = floats(np.zeros(12))
        self._windows = floats(np.zeros(k)), floats(np.zeros(k))
        self._numbers = floats(np.zeros(searching.NUMBERS))
        self._integers = ints([0] * searching.INTEGERS)
        chain = setting.chain
        self._arrays: tuple[Any, ...] = (
            *(chain.constants, chain.kind, chain.stretch, setting.tool, self._goal),
            *(floats(setting.lower), floats(setting.upper), *self._windows, floats(setting.unit)),
            *(self._q, self._best),
            *(floats(np.zeros(k)), floats(np.zeros(k)), ints([0] * k)),  # trial, steps, active
            floats(np.zeros(6 * k)),  # columns
            *(
                floats(np.zeros(n)) for n in (6 * k, 12, 6, 6 * k, 12, 6)
            ),  # axes, tip, error; trial's
            *(floats(np.zeros(n)) for n in (24, 6, 36, 6)),  # work, right, system, y
            *(self._numbers, self._integers),
        )
        self._options: tuple[Any, ...] = ()
        self._attempts = 0
        chunk = FIRST_CHUNK * FIRST_CHUNK_JOINTS // max(k, FIRST_CHUNK_JOINTS)
        self._chunk = max(1, chunk)
        self._seconds_each = 0.0

    @classmethod
    def of(cls, setting: Setting) -> SearchState:
        """Return a state of this setting: a spare one, else a new one."""
        return setting.spare.pop() if setting.spare else cls(setting)

    def put_back(self) -> None:
        """Keep the state for another problem of its setting."""
        if len(self._setting.spare) < SPARE_STATES:
            self._setting.spare.append(self)

    def begin(
        self,
        goal: FloatArray,
        parts: int,
        seed: FloatArray,
        distance: float,
        tolerances: tuple[float, float],
        random_seed: int,
        attempts: int,
    ) -> None:
        """Begin at the seed.

        Args:
            goal: (12,) the pose wanted.
            parts: 1 for a position, 2 for an orientation, 3 for both.
            seed: (k,) within the limits.
            distance: m from the point, at the seed, to the goal.
            tolerances: m and rad.
            random_seed: any integer.
            attempts: how many may fail before the search is over.
        """
        self._goal[:] = goal
        self._q[:] = self._best[:] = seed
        for window, ends in zip(self._windows, self._setting.windows(seed, distance), strict=True):
            window[:] = ends
        self._numbers[searching.BEST_COST] = math.inf
        self._numbers[searching.PROGRESS] = (
            searching.PROGRESS_LAST if attempts == 1 else searching.PROGRESS_ORDINARY
        )
        self._integers[:] = _integers(random_seed)
        position, orientation = tolerances
        share = searching.TOLERANCE_SHARE
        self._options = (parts, self._setting.length, share * position, share * orientation)
        self._attempts = attempts

    @property
    def iterations(self) -> int:
        """How many iterations the search has had."""
        return int(self._integers[searching.ITERATIONS])

    @property
    def failed_attempts(self) -> int:
        """How many attempts came to nothing."""
        return int(self._integers[searching.ATTEMPTS])

    @property
    def q(self) -> FloatArray:
        """Where the search is, (k,)."""
        return np.array(self._q)

    @property
    def closest(self) -> FloatArray:
        """The configuration with the smallest cost at the end of an attempt, or now, (k,)."""
        numbers = self._numbers
        begun = self._integers[searching.FRESH] == 0
        current = begun and numbers[searching.COST] < numbers[searching.BEST_COST]
        return np.array(self._q if current else self._best)

    def advance(self, seconds: float) -> int:
        """Run the kernel for about so long, or until it has something to say."""
        chunk = self._chunk
        if self._seconds_each:
            chunk = max(1, min(MOST_ITERATIONS, int(seconds / self._seconds_each)))
        before, started = self.iterations, time.perf_counter()
        everything: Any = (*self._arrays, *self._options, chunk, self._attempts)
        outcome = searching.search(*everything)
        done = self.iterations - before
        if done:
            self._seconds_each = (time.perf_counter() - started) / done
        return int(outcome)

    def give_up_attempt(self) -> None:
        """Go on at a random configuration; the attempt counts as one."""
        integers = self._integers
        integers[searching.ATTEMPTS] += 1
        self._numbers[searching.COST] = math.inf
        searching.draw(*self._windows, self._q, integers)
        integers[searching.FRESH] = 1

    @property
    def exhausted(self) -> bool:
        """Whether no further attempt is allowed."""
        return self.failed_attempts >= self._attempts


def _integers(random_seed: int) -> list[int]:
    integers = [0] * searching.INTEGERS
    integers[searching.FRESH] = 1
    for place, factor, modulus in zip(
        (searching.RANDOM_1, searching.RANDOM_2), HASH, RANDOM_MODULI, strict=True
    ):
        mixed = ((random_seed + 1) * factor) & HASH_MASK
        mixed ^= mixed >> 29
        integers[place] = 1 + mixed % modulus
    return integers
