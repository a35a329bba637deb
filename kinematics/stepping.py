"""The kernels of one step of a search: the error, its Jacobian, and a damped move within limits.

Lengths are divided by the chain's own size, and a prismatic joint moves in units of it:
a robot of a millimetre and one of a kilometre are the same problem.
"""

from __future__ import annotations

import math

from kinematics.arrays import FloatArray, IntArray
from kinematics.compiling import kernel
from kinematics.kernels import walk_chain
from kinematics.rotations import rotation_vector

# Where `evaluate` leaves the errors in a search's numbers
POSITION_ERROR = 0  # m
ORIENTATION_ERROR = 1  # rad

LARGEST_STEP = 1.0  # rad: beyond it the linear model means nothing; travel is linear anyway
ACTIVE_SET_ROUNDS = 8  # joints put on their limits in one step, at most so many times


@kernel
def evaluate(
    constants: FloatArray,
    kind: IntArray,
    stretch: FloatArray,
    tool: FloatArray,
    goal: FloatArray,
    parts: int,
    size: float,
    q: FloatArray,
    axes: FloatArray,
    tip: FloatArray,
    error: FloatArray,
    work: FloatArray,
    numbers: FloatArray,
) -> float:
    """Write where the chain is and the error's rows; return the cost, its squared norm.

    `parts` is 1 for a target position, 2 for an orientation, 3 for both.
    """
    walk_chain(constants, kind, stretch, tool, q, axes, tip, work)
    cost = 0.0
    row = 0
    if parts != 2:
        x, y, z = goal[9] - tip[9], goal[10] - tip[10], goal[11] - tip[11]
        error[0], error[1], error[2] = x / size, y / size, z / size
        squared = x * x + y * y + z * z
        numbers[POSITION_ERROR] = math.sqrt(squared)
        cost = squared / (size * size)
        row = 3
    if parts != 1:
        for i in range(3):  # R_goal R_tip^T: the rotation still to do, along the base's axes
            for j in range(3):
                work[3 * i + j] = (
                    goal[3 * i] * tip[3 * j]
                    + goal[3 * i + 1] * tip[3 * j + 1]
                    + goal[3 * i + 2] * tip[3 * j + 2]
                )
        angle = rotation_vector(work, 0, work, 9)
        error[row], error[row + 1], error[row + 2] = work[9], work[10], work[11]
        numbers[ORIENTATION_ERROR] = angle
        cost += angle * angle
    return cost


@kernel
def columns_of(
    kind: IntArray,
    axes: FloatArray,
    tip: FloatArray,
    parts: int,
    size: float,
    rows: int,
    columns: FloatArray,
) -> None:
    """Write the Jacobian's columns one after the other, in scaled units."""
    for i in range(len(kind)):
        x, y, z = axes[6 * i], axes[6 * i + 1], axes[6 * i + 2]
        at = rows * i
        if parts != 2:
            if kind[i] == 2:
                columns[at], columns[at + 1], columns[at + 2] = x, y, z
            else:
                dx = (tip[9] - axes[6 * i + 3]) / size
                dy = (tip[10] - axes[6 * i + 4]) / size
                dz = (tip[11] - axes[6 * i + 5]) / size
                columns[at] = y * dz - z * dy
                columns[at + 1] = z * dx - x * dz
                columns[at + 2] = x * dy - y * dx
            at += 3
        if parts != 1:
            if kind[i] == 2:
                x, y, z = 0.0, 0.0, 0.0
            columns[at], columns[at + 1], columns[at + 2] = x, y, z


@kernel
def fill_system(
    columns: FloatArray,
    active: IntArray,
    rows: int,
    damping: float,
    system: FloatArray,
) -> None:
    """Write the lower half of J J^T + damping I over the active columns."""
    for r in range(rows):
        for c in range(r):
            system[rows * r + c] = 0.0
        system[rows * r + r] = damping
    for i in range(len(active)):
        if active[i] == 0:
            continue
        at = rows * i
        for r in range(rows):
            value = columns[at + r]
            for c in range(r + 1):
                system[rows * r + c] += value * columns[at + c]


@kernel
def factor(system: FloatArray, rows: int, least: float) -> None:
    """Turn the lower half of a positive matrix into its Cholesky factor, in place.

    Rounding may leave nothing of a pivot that damping alone holds up: `least` stands in.
    """
    for r in range(rows):
        for c in range(r):
            total = system[rows * r + c]
            for j in range(c):
                total -= system[rows * r + j] * system[rows * c + j]
            system[rows * r + c] = total / system[rows * c + c]
        total = system[rows * r + r]
        for j in range(r):
            total -= system[rows * r + j] * system[rows * r + j]
        system[rows * r + r] = math.sqrt(max(total, least))


@kernel
def solve_factored(system: FloatArray, rows: int, right: FloatArray, y: FloatArray) -> None:
    """Write y with L L^T y = right."""
    for r in range(rows):
        total = right[r]
        for j in range(r):
            total -= system[rows * r + j] * y[j]
        y[r] = total / system[rows * r + r]
    for k in range(rows):
        r = rows - 1 - k
        total = y[r]
        for j in range(r + 1, rows):
            total -= system[rows * j + r] * y[j]
        y[r] = total / system[rows * r + r]


@kernel
def step_within_limits(  # noqa: C901, PLR0912  one idea, and a call would pass all of it on
    kind: IntArray,
    columns: FloatArray,
    active: IntArray,
    rows: int,
    damping: float,
    error: FloatArray,
    unit: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    q: FloatArray,
    trial: FloatArray,
    steps: FloatArray,
    right: FloatArray,
    system: FloatArray,
    y: FloatArray,
) -> None:
    """Write the next configuration to try, exactly within the limits.

    A joint on a limit that the error's gradient pushes it against stays there. Joints that
    the step would carry past a limit are put on it; what that does to the error is taken
    off, and the step of the others is solved again.
    """
    count = len(q)
    for r in range(rows):
        right[r] = error[r]
    for i in range(count):
        slope = 0.0
        for r in range(rows):
            slope += columns[rows * i + r] * error[r]
        trial[i] = q[i]
        stays = (q[i] <= lower[i] and slope <= 0.0) or (q[i] >= upper[i] and slope >= 0.0)
        active[i] = 0 if stays else 1
    for _ in range(ACTIVE_SET_ROUNDS):
        fill_system(columns, active, rows, damping, system)
        factor(system, rows, 0.5 * damping)
        solve_factored(system, rows, right, y)
        largest = 0.0
        for i in range(count):
            if active[i] == 1:
                step = 0.0
                for r in range(rows):
                    step += columns[rows * i + r] * y[r]
                steps[i] = step
                if kind[i] == 1:
                    largest = max(largest, abs(step))
        shorten = LARGEST_STEP / largest if largest > LARGEST_STEP else 1.0
        hit = False
        for i in range(count):
            if active[i] == 0:
                continue
            target = q[i] + shorten * steps[i] * unit[i]
            if lower[i] <= target <= upper[i]:
                trial[i] = target
                continue
            trial[i] = lower[i] if target < lower[i] else upper[i]
            active[i] = 0
            hit = True
            moved = (trial[i] - q[i]) / unit[i]
            for r in range(rows):
                right[r] -= columns[rows * i + r] * moved
        if not hit:
            break
