"""The kernels that set a search going: the seed, the goal, and what restarts are drawn from."""

from __future__ import annotations

import math

from kinematics.arrays import FloatArray, IntArray
from kinematics.compiling import kernel
from kinematics.places import (
    ASKED,
    AXES,
    BEST,
    BEST_COST,
    CENTER,
    ERROR,
    FARTHEST,
    FIXED_PLACES,
    FRESH,
    FROM_LOWER,
    FROM_UPPER,
    GOAL,
    LENGTH,
    LOWER,
    NEAREST,
    PARTS,
    POSITION,
    POSITION_ERROR,
    PROGRESS,
    QUATERNION,
    RANDOM_1,
    RANDOM_2,
    SEED,
    TIP,
    UPPER,
)
from kinematics.rotations import matrix_from_quaternion
from kinematics.stepping import evaluate

PROGRESS_ORDINARY = 0.5  # of the cost, or the attempt ends: the next may be luckier
PROGRESS_LAST = 0.98  # where there is no next: the closest is wanted
TURN = 2.0 * math.pi
WINDOW = 10.0  # times the way to go and the chain's length: restarts are no farther off


@kernel
def uniform(integers: IntArray) -> float:
    """Return the next number of a seeded generator, in (0, 1).

    Two multiplicative generators combined (L'Ecuyer 1988): every product fits 63 bits, so
    compiled and interpreted code draw the same numbers.
    """
    first = 40014 * integers[RANDOM_1] % 2147483563
    second = 40692 * integers[RANDOM_2] % 2147483399
    integers[RANDOM_1] = first
    integers[RANDOM_2] = second
    difference = (first - second) % 2147483562
    return float(difference + 1) / 2147483563.0


@kernel
def draw(count: int, s: FloatArray, integers: IntArray) -> None:
    """Write a random configuration, each joint uniformly in its window."""
    lower, upper = FIXED_PLACES + FROM_LOWER * count, FIXED_PLACES + FROM_UPPER * count
    for i in range(count):
        low, high = s[lower + i], s[upper + i]
        value = low + uniform(integers) * (high - low)
        s[FIXED_PLACES + i] = min(max(value, low), high)
    integers[FRESH] = 1


@kernel
def set_windows(chain: FloatArray, kind: IntArray, s: FloatArray, distance: float) -> None:
    """Write the finite ranges, about the seed, that restarts are drawn from.

    A turning joint needs no more than one turn. A prismatic one may have a range without
    measure, of which only what is near matters: `distance` is the way to go, m.
    """
    count = len(kind)
    for i in range(count):
        half = 0.5 * TURN
        if kind[i] == 2:
            half = WINDOW * (distance + s[LENGTH]) / chain[12 * count + i]
        lower, upper = s[FIXED_PLACES + LOWER * count + i], s[FIXED_PLACES + UPPER * count + i]
        seed = s[FIXED_PLACES + SEED * count + i]
        low = max(lower, min(seed - half, upper - 2.0 * half))
        s[FIXED_PLACES + FROM_LOWER * count + i] = low
        s[FIXED_PLACES + FROM_UPPER * count + i] = min(upper, max(low + 2.0 * half, lower))


@kernel
def begin(
    lower: FloatArray,
    upper: FloatArray,
    chain: FloatArray,
    kind: IntArray,
    places: IntArray,
    full: FloatArray,
    s: FloatArray,
    integers: IntArray,
) -> int:
    """Move the seed into the limits, begin there, and look whether the goal is within reach.

    Args:
        lower, upper: (n,) the whole robot's; a joint whose range is empty stays where it is.
        chain, kind, places, full, s, integers: see `search`; `full` holds the seed.

    Returns:
        0, or 1 if the position asked for is, but for rounding, out of reach.
    """
    count = len(kind)
    for i in range(len(full)):
        if lower[i] <= upper[i]:
            full[i] = min(max(full[i], lower[i]), upper[i])
    for i in range(count):
        value = full[places[i]]
        s[FIXED_PLACES + i] = value
        s[FIXED_PLACES + BEST * count + i] = value
        s[FIXED_PLACES + SEED * count + i] = value
    s[BEST_COST] = math.inf
    matrix_from_quaternion(s, QUATERNION, s, ASKED)
    for i in range(12):
        s[GOAL + i] = s[ASKED + i]
    s[PROGRESS] = PROGRESS_ORDINARY
    integers[FRESH] = 1
    evaluate(chain, kind, 1, s, FIXED_PLACES, FIXED_PLACES + AXES * count, TIP, ERROR)
    if integers[PARTS] == 2:
        set_windows(chain, kind, s, 0.0)
        return 0
    set_windows(chain, kind, s, s[POSITION_ERROR])
    squared = 0.0
    for i in range(3):
        squared += (s[POSITION + i] - s[CENTER + i]) * (s[POSITION + i] - s[CENTER + i])
    return 0 if s[NEAREST] <= math.sqrt(squared) <= s[FARTHEST] else 1


@kernel
def aim_within_reach(s: FloatArray) -> None:
    """Move the goal straight to where the reach begins or ends; judge by what was asked.

    A search for a target out of reach ends there, with the point as near as it gets: at the
    target itself its error would stay large, and getting on with it hardly be seen.
    """
    distance = 0.0
    for i in range(3):  # the largest first: the square of a distance may be no number
        distance = max(distance, abs(s[POSITION + i] - s[CENTER + i]))
    if distance == 0.0 or distance == math.inf:
        return
    squared = 0.0
    for i in range(3):
        part = (s[POSITION + i] - s[CENTER + i]) / distance
        squared += part * part
    length = distance * math.sqrt(squared)
    wanted = min(max(length, s[NEAREST]), s[FARTHEST])
    for i in range(3):
        away = (s[POSITION + i] - s[CENTER + i]) / distance / math.sqrt(squared)
        s[GOAL + 9 + i] = s[CENTER + i] + away * wanted
    s[PROGRESS] = PROGRESS_LAST
