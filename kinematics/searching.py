"""The kernel of inverse kinematics: a damped least-squares search that can be interrupted.

Levenberg-Marquardt on the pose error, as a linear system of the error's size, with limits
kept by an active set and restarts at random configurations. All state is in two flat
arrays, so a search goes on exactly where it was stopped, however it is sliced.
"""

from __future__ import annotations

from kinematics.arrays import FloatArray, IntArray
from kinematics.compiling import kernel
from kinematics.stepping import (
    ORIENTATION_ERROR,
    POSITION_ERROR,
    columns_of,
    evaluate,
    step_within_limits,
)

# What `search` returns
RUNNING = 0  # the iterations were used up
CONVERGED = 1  # q is within the tolerances
EXHAUSTED = 2  # as many attempts as were allowed have failed

# Places in the state's numbers; the first two are the errors, see `stepping`
COST = 2  # the squared error of q, scaled
DAMPING = 3
CHECKPOINT = 4  # the cost that has to be bettered
BEST_COST = 5
PROGRESS = 6  # the share of the checkpoint that the cost has to come down to
NUMBERS = 7

# Places in the state's integers
FRESH = 0  # q is where an attempt starts
ITERATIONS = 1
ATTEMPTS = 2  # that have failed
SINCE = 3  # iterations since the checkpoint
RANDOM_1 = 4
RANDOM_2 = 5
INTEGERS = 6

# The rule; found by measuring (scripts/bench), see docs/design.md
DAMPING_START = 0.02
DAMPING_GROWTH = 8.0
DAMPING_SHRINK = 0.4
DAMPING_LEAST = 1e-3
DAMPING_MOST = 1e6
DAMPED_COST = 16.0  # damping grows with the cost up to this; more is way for a rail to go
DAMPING_FLOOR = 1e-13  # of the system's diagonal, absolute: keeps it solvable where cost is 0
PATIENCE = 5  # iterations in which an attempt has to get on
PROGRESS_ORDINARY = 0.5  # of the cost, or the attempt ends: the next may be luckier
PROGRESS_LAST = 0.98  # where there is no next: the closest is wanted
TOLERANCE_SHARE = 0.8  # of a tolerance is aimed at: the answer is judged by other arithmetic


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
def draw(lower: FloatArray, upper: FloatArray, q: FloatArray, integers: IntArray) -> None:
    """Write a random configuration, each joint uniformly in its window."""
    for i in range(len(q)):
        value = lower[i] + uniform(integers) * (upper[i] - lower[i])
        q[i] = min(max(value, lower[i]), upper[i])


@kernel
def fits(numbers: FloatArray, parts: int, position: float, orientation: float) -> bool:
    """Whether the errors of the parts that count are within the tolerances."""
    return (parts == 2 or numbers[POSITION_ERROR] <= position) and (
        parts == 1 or numbers[ORIENTATION_ERROR] <= orientation
    )


@kernel
def search(  # noqa: C901, PLR0912  the loop and its state; a call would pass all of it on
    constants: FloatArray,
    kind: IntArray,
    stretch: FloatArray,
    tool: FloatArray,
    goal: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    from_lower: FloatArray,
    from_upper: FloatArray,
    unit: FloatArray,
    q: FloatArray,
    best: FloatArray,
    trial: FloatArray,
    steps: FloatArray,
    active: IntArray,
    columns: FloatArray,
    axes: FloatArray,
    tip: FloatArray,
    error: FloatArray,
    trial_axes: FloatArray,
    trial_tip: FloatArray,
    trial_error: FloatArray,
    work: FloatArray,
    right: FloatArray,
    system: FloatArray,
    y: FloatArray,
    numbers: FloatArray,
    integers: IntArray,
    parts: int,
    size: float,
    position_tolerance: float,
    orientation_tolerance: float,
    budget: int,
    attempts: int,
) -> int:
    """Search on for `budget` iterations, or until there is something to say.

    Args:
        constants, kind, stretch, tool: the chain, see `walk_chain`.
        goal: (12,) the pose wanted of the tool.
        lower, upper: (k,) limits; equal for a joint that is held.
        from_lower, from_upper: (k,) finite windows that restarts are drawn from.
        unit: (k,) of q for one scaled unit: 1 for revolute joints, m for prismatic ones.
        q, best: (k,) where the search is, and the best end of an attempt.
        trial, ..., y: scratch.
        numbers, integers: the rest of the state, by the places above.
        parts: 1 position, 2 orientation, 3 both.
        size: the chain's characteristic length, m.
        position_tolerance, orientation_tolerance: m and rad.
        budget: iterations.
        attempts: how many may fail in all.

    Returns:
        RUNNING, CONVERGED (q is the answer; set FRESH after changing it) or EXHAUSTED.
    """
    rows = 6 if parts == 3 else 3
    count = len(q)
    for _ in range(budget):
        if integers[FRESH] == 1:
            integers[FRESH] = 0
            numbers[COST] = evaluate(
                constants,
                kind,
                stretch,
                tool,
                goal,
                parts,
                size,
                q,
                axes,
                tip,
                error,
                work,
                numbers,
            )
            if fits(numbers, parts, position_tolerance, orientation_tolerance):
                return CONVERGED
            columns_of(kind, axes, tip, parts, size, rows, columns)
            numbers[DAMPING] = DAMPING_START
            numbers[CHECKPOINT] = numbers[COST]
            integers[SINCE] = 0
        cost = numbers[COST]
        damping = numbers[DAMPING] * min(cost, DAMPED_COST) + DAMPING_FLOOR
        step_within_limits(
            kind,
            columns,
            active,
            rows,
            damping,
            error,
            unit,
            lower,
            upper,
            q,
            trial,
            steps,
            right,
            system,
            y,
        )
        new_cost = evaluate(
            constants,
            kind,
            stretch,
            tool,
            goal,
            parts,
            size,
            trial,
            trial_axes,
            trial_tip,
            trial_error,
            work,
            numbers,
        )
        integers[ITERATIONS] += 1
        integers[SINCE] += 1
        if new_cost < cost:
            for i in range(count):
                q[i] = trial[i]
            for i in range(6 * count):
                axes[i] = trial_axes[i]
            for i in range(12):
                tip[i] = trial_tip[i]
            for r in range(rows):
                error[r] = trial_error[r]
            numbers[COST] = new_cost
            numbers[DAMPING] = max(numbers[DAMPING] * DAMPING_SHRINK, DAMPING_LEAST)
            if fits(numbers, parts, position_tolerance, orientation_tolerance):
                return CONVERGED
            columns_of(kind, axes, tip, parts, size, rows, columns)
        else:
            numbers[DAMPING] = min(numbers[DAMPING] * DAMPING_GROWTH, DAMPING_MOST)
        if integers[SINCE] < PATIENCE:
            continue
        if numbers[COST] <= numbers[PROGRESS] * numbers[CHECKPOINT]:
            numbers[CHECKPOINT] = numbers[COST]
            integers[SINCE] = 0
            continue
        if numbers[COST] < numbers[BEST_COST]:
            numbers[BEST_COST] = numbers[COST]
            for i in range(count):
                best[i] = q[i]
        integers[ATTEMPTS] += 1
        if integers[ATTEMPTS] >= attempts:
            return EXHAUSTED
        draw(from_lower, from_upper, q, integers)
        integers[FRESH] = 1
    return RUNNING
