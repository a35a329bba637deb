"""The kernels of one step of a search: the error, its Jacobian, and a damped move within limits.

Lengths are divided by the chain's own size, and a prismatic joint moves in units of it:
a robot of a millimetre and one of a kilometre are the same problem.
"""

from __future__ import annotations

import math

from kinematics.arrays import FloatArray, IntArray
from kinematics.compiling import inlined_kernel, kernel
from kinematics.kernels import walk_chain
from kinematics.places import (
    AXES,
    COLUMNS,
    ERROR,
    FIXED_PLACES,
    GOAL,
    LENGTH,
    LOWER,
    ORIENTATION_ERROR,
    POSITION_ERROR,
    RIGHT,
    STEPS,
    SYSTEM,
    TIP,
    TOOL,
    TRAVEL,
    TRIAL,
    UNIT,
    UPPER,
    WORK,
    Y,
)
from kinematics.rotations import rotation_vector

LARGEST_STEP = 1.0  # rad: beyond it the linear model means nothing; travel is linear anyway
ACTIVE_SET_ROUNDS = 8  # joints put on their limits in one step, at most so many times


@kernel
def evaluate(
    chain: FloatArray,
    kind: IntArray,
    parts: int,
    s: FloatArray,
    q: int,
    axes: int,
    tip: int,
    error: int,
) -> float:
    """Write where the chain is and the error's rows; return the cost, its squared norm.

    `parts` is 1 for a target position, 2 for an orientation, 3 for both; `q`, `axes`, `tip`
    and `error` are places in the numbers `s`.
    """
    walk_chain(chain, kind, s, TOOL, q, axes, tip, WORK)
    cost = 0.0
    row = error
    if parts != 2:
        size = s[LENGTH]
        x, y, z = s[GOAL + 9] - s[tip + 9], s[GOAL + 10] - s[tip + 10], s[GOAL + 11] - s[tip + 11]
        s[row], s[row + 1], s[row + 2] = x / size, y / size, z / size
        squared = x * x + y * y + z * z
        s[POSITION_ERROR] = math.sqrt(squared)
        cost = squared / (size * size)
        row += 3
    if parts != 1:
        for i in range(3):  # R_goal R_tip^T: the rotation still to do, along the base's axes
            for j in range(3):
                s[WORK + 3 * i + j] = (
                    s[GOAL + 3 * i] * s[tip + 3 * j]
                    + s[GOAL + 3 * i + 1] * s[tip + 3 * j + 1]
                    + s[GOAL + 3 * i + 2] * s[tip + 3 * j + 2]
                )
        angle = rotation_vector(s, WORK, s, WORK + 9)
        s[row], s[row + 1], s[row + 2] = s[WORK + 9], s[WORK + 10], s[WORK + 11]
        s[ORIENTATION_ERROR] = angle
        cost += angle * angle
    return cost


@kernel
def columns_of(kind: IntArray, parts: int, s: FloatArray) -> None:
    """Write the Jacobian's columns one after the other, in scaled units.

    Where the way is longer than the chain's size, it is the unit of a prismatic joint: then
    those that travel do what only they can, and those that turn need not turn in vain.
    """
    count = len(kind)
    axes, columns = FIXED_PLACES + AXES * count, FIXED_PLACES + COLUMNS * count
    rows = 6 if parts == 3 else 3
    size, travel = s[LENGTH], 1.0
    if parts != 2:
        x, y, z = s[ERROR], s[ERROR + 1], s[ERROR + 2]
        travel = max(1.0, math.sqrt(x * x + y * y + z * z))
    s[TRAVEL] = travel
    for i in range(count):
        a = axes + 6 * i
        x, y, z = s[a], s[a + 1], s[a + 2]
        at = columns + rows * i
        if parts != 2:
            if kind[i] == 2:
                s[at], s[at + 1], s[at + 2] = x * travel, y * travel, z * travel
            else:
                dx = (s[TIP + 9] - s[a + 3]) / size
                dy = (s[TIP + 10] - s[a + 4]) / size
                dz = (s[TIP + 11] - s[a + 5]) / size
                s[at] = y * dz - z * dy
                s[at + 1] = z * dx - x * dz
                s[at + 2] = x * dy - y * dx
            at += 3
        if parts != 1:
            if kind[i] == 2:
                x, y, z = 0.0, 0.0, 0.0
            s[at], s[at + 1], s[at + 2] = x, y, z


@inlined_kernel
def solve_damped(
    rows: int, count: int, damping: float, active: IntArray, first: int, s: FloatArray, columns: int
) -> None:
    """Solve (J J^T + damping I) y = right over the active columns, by Cholesky.

    Inlined, with `rows` a literal, so that every loop over rows has a known length.
    """
    for r in range(rows):
        for c in range(r):
            s[SYSTEM + rows * r + c] = 0.0
        s[SYSTEM + rows * r + r] = damping
    for i in range(count):
        if active[first + i] == 0:
            continue
        at = columns + rows * i
        for r in range(rows):
            value = s[at + r]
            for c in range(r + 1):
                s[SYSTEM + rows * r + c] += value * s[at + c]
    for r in range(rows):
        for c in range(r):
            total = s[SYSTEM + rows * r + c]
            for j in range(c):
                total -= s[SYSTEM + rows * r + j] * s[SYSTEM + rows * c + j]
            s[SYSTEM + rows * r + c] = total * s[SYSTEM + rows * c + c]
        total = s[SYSTEM + rows * r + r]
        for j in range(r):
            total -= s[SYSTEM + rows * r + j] * s[SYSTEM + rows * r + j]
        # The diagonal holds inverses. Rounding may leave nothing of a pivot that damping alone
        # holds up.
        s[SYSTEM + rows * r + r] = 1.0 / math.sqrt(max(total, 0.5 * damping))
    for r in range(rows):
        total = s[RIGHT + r]
        for j in range(r):
            total -= s[SYSTEM + rows * r + j] * s[Y + j]
        s[Y + r] = total * s[SYSTEM + rows * r + r]
    for k in range(rows):
        r = rows - 1 - k
        total = s[Y + r]
        for j in range(r + 1, rows):
            total -= s[SYSTEM + rows * j + r] * s[Y + j]
        s[Y + r] = total * s[SYSTEM + rows * r + r]
    for i in range(count):
        if active[first + i] == 1:
            step = 0.0
            for r in range(rows):
                step += s[columns + rows * i + r] * s[Y + r]
            s[FIXED_PLACES + STEPS * count + i] = step


@kernel
def step_within_limits(
    kind: IntArray, rows: int, damping: float, active: IntArray, first: int, s: FloatArray
) -> None:
    """Write the next configuration to try, exactly within the limits.

    A joint on a limit that the error's gradient pushes it against stays there. Joints that
    the step would carry past a limit are put on it; what that does to the error is taken
    off, and the step of the others is solved again. `active` has a place a joint from
    `first` on.
    """
    count = len(kind)
    q, trial, steps = FIXED_PLACES, FIXED_PLACES + TRIAL * count, FIXED_PLACES + STEPS * count
    lower, upper = FIXED_PLACES + LOWER * count, FIXED_PLACES + UPPER * count
    unit, columns = FIXED_PLACES + UNIT * count, FIXED_PLACES + COLUMNS * count
    for r in range(rows):
        s[RIGHT + r] = s[ERROR + r]
    for i in range(count):
        value = s[q + i]
        s[trial + i] = value
        active[first + i] = 1
        at_lower, at_upper = value <= s[lower + i], value >= s[upper + i]
        if at_lower or at_upper:
            slope = 0.0
            for r in range(rows):
                slope += s[columns + rows * i + r] * s[ERROR + r]
            if (at_lower and slope <= 0.0) or (at_upper and slope >= 0.0):
                active[first + i] = 0
    for _ in range(ACTIVE_SET_ROUNDS):
        if rows == 6:
            solve_damped(6, count, damping, active, first, s, columns)
        else:
            solve_damped(3, count, damping, active, first, s, columns)
        largest = 0.0
        for i in range(count):
            if active[first + i] == 1 and kind[i] == 1:
                largest = max(largest, abs(s[steps + i]))
        shorten = LARGEST_STEP / largest if largest > LARGEST_STEP else 1.0
        hit = False
        for i in range(count):
            if active[first + i] == 0:
                continue
            scale = s[unit + i] * (s[TRAVEL] if kind[i] == 2 else 1.0)
            target = s[q + i] + shorten * s[steps + i] * scale
            if not abs(target) < math.inf:  # the error's square is no number: no step is right
                continue
            if s[lower + i] <= target <= s[upper + i]:
                s[trial + i] = target
                continue
            s[trial + i] = s[lower + i] if target < s[lower + i] else s[upper + i]
            active[first + i] = 0
            hit = True
            moved = (s[trial + i] - s[q + i]) / scale
            for r in range(rows):
                s[RIGHT + r] -= s[columns + rows * i + r] * moved
        if not hit:
            break
