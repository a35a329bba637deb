"""The kernel of inverse kinematics: a damped least-squares search that can be interrupted.

Levenberg-Marquardt on the pose error, as a linear system of the error's size, with limits
kept by an active set and restarts at random configurations. A search goes on exactly where
it was stopped, however it is sliced.

What it proposes is judged, with the very numbers that are returned, by the forward
kinematics of the whole robot, before it says so.
"""

from __future__ import annotations

import math

from kinematics.arrays import FloatArray, IntArray
from kinematics.compiling import kernel
from kinematics.kernels import link_frames, pose_errors
from kinematics.places import (
    ASKED,
    ATTEMPTS,
    AXES,
    BASE,
    BEST,
    BEST_COST,
    CHECKPOINT,
    COST,
    DAMPING,
    ERROR,
    FIXED_PLACES,
    FRESH,
    ITERATIONS,
    LINK,
    LOWER,
    ORIENTATION_ERROR,
    ORIENTATION_TOLERANCE,
    PARTS,
    PLACES,
    POINT,
    POSITION_ERROR,
    POSITION_TOLERANCE,
    PROGRESS,
    SEED,
    SINCE,
    TIP,
    TRIAL,
    TRIAL_AXES,
    TRIAL_ERROR,
    TRIAL_TIP,
    UPPER,
)
from kinematics.starting import TURN, draw
from kinematics.stepping import columns_of, evaluate, step_within_limits

# What `search` returns
RUNNING = 0  # the iterations were used up
SOLVED = 1  # `full` is a solution; the errors are those of its judgement
EXHAUSTED = 2  # as many attempts as were allowed have failed

# The rule; found by measuring (scripts/bench), see docs/design.md
DAMPING_START = 0.02
DAMPING_GROWTH = 8.0
DAMPING_SHRINK = 0.5
DAMPING_MOST = 1e6
DAMPED_COST = 16.0  # damping grows with the cost up to this; more is way for a rail to go
DAMPING_FLOOR = 1e-13  # of the system's diagonal, absolute: keeps it solvable where cost is 0
PATIENCE = 4  # iterations in which an attempt has to get on
MOST_TURNS = 1e15  # from value to seed: an angle of more says nothing of a fraction of a turn
TOLERANCE_SHARE = 0.8  # of a tolerance is aimed at: the answer is judged by other arithmetic


@kernel
def fits(s: FloatArray, parts: int, share: float) -> bool:
    """Whether the errors of the parts that count are within a share of the tolerances."""
    return (parts == 2 or s[POSITION_ERROR] <= share * s[POSITION_TOLERANCE]) and (
        parts == 1 or s[ORIENTATION_ERROR] <= share * s[ORIENTATION_TOLERANCE]
    )


@kernel
def nearest_turn(value: float, seed: float, lower: float, upper: float) -> float:
    """Return the value, whole turns away, that is nearest to the seed and within the limits."""
    nearest = value
    away = (seed - value) / TURN
    if abs(away) > MOST_TURNS:
        return value
    turns = math.floor(away + 0.5)
    for k in range(3):
        turned = value + (turns - 1.0 + k) * TURN
        if lower <= turned <= upper and abs(turned - seed) < abs(nearest - seed):
            nearest = turned
    return nearest


@kernel
def judge(
    tree: IntArray,
    joints: FloatArray,
    frames: FloatArray,
    work: FloatArray,
    kind: IntArray,
    places: IntArray,
    full: FloatArray,
    s: FloatArray,
    integers: IntArray,
    q: int,
) -> None:
    """Put a chain's configuration into the whole robot's, and write its errors.

    Each turning joint gets the turn nearest to the seed first. `places` says where in
    `full` a joint of the chain belongs; `q` is the place of the first in `s`.
    """
    count = len(kind)
    lower, upper = FIXED_PLACES + LOWER * count, FIXED_PLACES + UPPER * count
    for i in range(count):
        value, seed = s[q + i], s[FIXED_PLACES + SEED * count + i]
        if kind[i] == 1 and abs(value - seed) > 0.5 * TURN:
            value = nearest_turn(value, seed, s[lower + i], s[upper + i])
        full[places[i]] = value
    link_frames(tree, joints, full, 0, frames, work)
    pose_errors(frames, integers[BASE], integers[LINK], s, POINT, s, ASKED, s, work)


@kernel
def accept(count: int, rows: int, s: FloatArray) -> None:
    """Go on from the trial: it becomes q, with all that was computed of it."""
    for i in range(count):
        s[FIXED_PLACES + i] = s[FIXED_PLACES + TRIAL * count + i]
    for i in range(6 * count):
        s[FIXED_PLACES + AXES * count + i] = s[FIXED_PLACES + TRIAL_AXES * count + i]
    for i in range(12):
        s[TIP + i] = s[TRIAL_TIP + i]
    for r in range(rows):
        s[ERROR + r] = s[TRIAL_ERROR + r]


@kernel
def keep_best(count: int, s: FloatArray) -> None:
    """Remember where an attempt ended if none ended better."""
    if s[COST] < s[BEST_COST]:
        s[BEST_COST] = s[COST]
        for i in range(count):
            s[FIXED_PLACES + BEST * count + i] = s[FIXED_PLACES + i]


@kernel
def search(
    tree: IntArray,
    joints: FloatArray,
    frames: FloatArray,
    work: FloatArray,
    chain: FloatArray,
    kind: IntArray,
    places: IntArray,
    full: FloatArray,
    s: FloatArray,
    integers: IntArray,
    budget: int,
    attempts: int,
) -> int:
    """Search on for `budget` iterations, or until there is something to say.

    Args:
        tree, joints, frames, work: the whole robot, see `link_frames`.
        chain, kind: the chain, see `walk_chain`.
        places: (k,) of the chain's joints in `full`.
        full: (n,) the robot's configuration; the chain's part is written where it is judged.
        s: the search's numbers, see `stepping`.
        integers: its integers, see above.
        budget: iterations.
        attempts: how many may fail in all.

    Returns:
        RUNNING, SOLVED or EXHAUSTED.
    """
    count = len(kind)
    parts = integers[PARTS]
    rows = 6 if parts == 3 else 3
    q, axes = FIXED_PLACES, FIXED_PLACES + AXES * count
    trial, trial_axes = FIXED_PLACES + TRIAL * count, FIXED_PLACES + TRIAL_AXES * count
    for _ in range(budget):
        moved = True
        if integers[FRESH] == 1:
            integers[FRESH] = 0
            s[COST] = evaluate(chain, kind, parts, s, q, axes, TIP, ERROR)
            s[DAMPING] = DAMPING_START
            s[CHECKPOINT] = s[COST]
            integers[SINCE] = 0
        else:
            damping = s[DAMPING] * min(s[COST], DAMPED_COST) + DAMPING_FLOOR
            step_within_limits(kind, rows, damping, integers, PLACES, s)
            cost = evaluate(chain, kind, parts, s, trial, trial_axes, TRIAL_TIP, TRIAL_ERROR)
            integers[ITERATIONS] += 1
            integers[SINCE] += 1
            moved = cost < s[COST]
            if moved:
                accept(count, rows, s)
                s[COST] = cost
                s[DAMPING] = max(s[DAMPING] * DAMPING_SHRINK, DAMPING_START)
            else:
                s[DAMPING] = min(s[DAMPING] * DAMPING_GROWTH, DAMPING_MOST)
        refused = False
        if moved:
            at_seed = integers[ITERATIONS] == 0  # one that just fits must come back as it is
            if fits(s, parts, 1.0 if at_seed else TOLERANCE_SHARE):
                judge(tree, joints, frames, work, kind, places, full, s, integers, q)
                if fits(s, parts, 1.0):
                    return SOLVED
                refused = not at_seed
            columns_of(kind, parts, s)
        if not refused:
            if integers[SINCE] < PATIENCE:
                continue
            if s[COST] < s[PROGRESS] * s[CHECKPOINT]:
                s[CHECKPOINT] = s[COST]
                integers[SINCE] = 0
                continue
        keep_best(count, s)
        integers[ATTEMPTS] += 1
        if integers[ATTEMPTS] >= attempts:
            return EXHAUSTED
        draw(count, s, integers)
    return RUNNING
