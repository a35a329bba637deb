"""Random robots to compute with: any tree, odd axes, limits of every kind; and common chains."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from kinematics.model import Model
from urdf import Joint, Limit, Link, Origin, Robot

Vector = tuple[float, float, float]

KINDS = ("revolute", "continuous", "prismatic", "fixed")
PLAIN_AXES: tuple[Vector, ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ODD_AXES: tuple[Vector, ...] = (
    (0.0, 0.0, -1.0),
    (1.0, 2.0, 3.0),
    (-0.3, 0.1, 0.02),
    (1e-9, -1e-9, 2e-9),
)
MOST_ANGLE = 20.0  # rad
EXTREME_AXES: tuple[Vector, ...] = ((3e-200, 4e-200, 0.0), (1e200, 0.0, -1e200), (5e-324, 0.0, 0.0))


def origin(choices: random.Random, size: float = 1.0) -> Origin:
    """Return a random constant transform with an offset of up to about `size`."""
    turns = (0.0, math.pi / 2, -math.pi / 2, math.pi, choices.uniform(-4.0, 4.0))
    x, y, z = (choices.choice([0.0, choices.uniform(-size, size)]) for _ in range(3))
    roll, pitch, yaw = (choices.choice(turns) for _ in range(3))
    return Origin((x, y, z), (roll, pitch, yaw))


def limit(choices: random.Random) -> Limit:
    """Return limits: ordinary, one-sided, a hair's breadth, beyond half a turn, not around 0."""
    return choices.choice(
        [
            Limit(-choices.uniform(0.5, 3.0), choices.uniform(0.5, 3.0)),
            Limit(-2.0, 0.0),
            Limit(0.0, 2.0),
            Limit(0.2, 0.2 + 1e-3),
            Limit(-7.0, 9.0),
            Limit(3.5, 6.0),
        ]
    )


def random_robot(
    choices: random.Random,
    links: int,
    *,
    kinds: Sequence[str] = KINDS,
    extreme: bool = True,
    branch: float = 0.3,
) -> Robot:
    """Return a random tree, its joints written in any order.

    Args:
        choices: where every choice comes from.
        links: how many.
        kinds: of joints.
        extreme: whether an axis of a turning joint may be as tiny or huge as a float gets.
        branch: the probability that a link hangs from any earlier one, not from the last.
    """
    joints = []
    for i in range(1, links):
        kind = choices.choice(kinds)
        axes = PLAIN_AXES + ODD_AXES
        if extreme and kind != "prismatic":
            axes += EXTREME_AXES
        parent = choices.randrange(i) if choices.random() < branch else i - 1
        joints.append(
            Joint(
                f"joint {i}",
                kind,
                f"link {parent}",
                f"link {i}",
                origin(choices),
                choices.choice(axes),
                limit(choices) if kind in ("revolute", "prismatic") else None,
            )
        )
    choices.shuffle(joints)
    names = [f"link {i}" for i in range(links)]
    choices.shuffle(names)
    return Robot("random", tuple(Link(name) for name in names), tuple(joints), "link 0")


def random_robots(
    least: int = 1, most: int = 12, *, extreme: bool = True
) -> st.SearchStrategy[Robot]:
    """Return a strategy for random robots of so many links."""
    return st.builds(
        lambda seed, links: random_robot(random.Random(seed), links, extreme=extreme),
        st.integers(0, 2**32),
        st.integers(least, most),
    )


def serial_robot(*joints: Joint) -> Robot:
    """Return a robot of joints one after the other, whatever parents and children they name."""
    names = [str(i) for i in range(len(joints) + 1)]
    placed = tuple(
        Joint(joint.name, joint.type, names[i], names[i + 1], joint.origin, joint.axis, joint.limit)
        for i, joint in enumerate(joints)
    )
    return Robot("serial", tuple(Link(name) for name in names), placed, "0")


def joint(
    name: str,
    kind: str = "continuous",
    xyz: Vector = (0.0, 0.0, 0.0),
    axis: Vector = (0.0, 0.0, 1.0),
    limits: tuple[float, float] | None = None,
    rpy: Vector = (0.0, 0.0, 0.0),
) -> Joint:
    """Return a joint for `serial_robot`."""
    bounds = None if limits is None else Limit(*limits)
    return Joint(name, kind, "", "", Origin(xyz, rpy), axis, bounds)


def six_axis_arm(size: float = 1.0, bound: float = 2.9) -> Robot:
    """Return an arm with a spherical-like wrist and some offsets, its reach about 2 `size`."""
    z, y = (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)
    x = (1.0, 0.0, 0.0)
    ends = (-bound, bound)
    s = size
    return serial_robot(
        joint("pan", "revolute", (0.0, 0.0, 0.3 * s), z, ends),
        joint("shoulder", "revolute", (0.05 * s, 0.0, 0.1 * s), y, ends),
        joint("elbow", "revolute", (0.0, 0.0, 0.7 * s), y, ends),
        joint("roll", "revolute", (0.0, 0.02 * s, 0.3 * s), z, ends),
        joint("bend", "revolute", (0.0, 0.0, 0.3 * s), y, ends),
        joint("flange", "revolute", (0.0, 0.0, 0.1 * s), x, ends),
        joint("tool", "fixed", (0.0, 0.0, 0.1 * s)),
    )


def planar_arm(count: int, length: float = 1.0, bound: float | None = None) -> Robot:
    """Return `count` joints about z with links along x; the last link ends in a fixed tip."""
    kind = "continuous" if bound is None else "revolute"
    limits = None if bound is None else (-bound, bound)
    first = joint("j0", kind, limits=limits)
    others = [joint(f"j{i}", kind, (length, 0.0, 0.0), limits=limits) for i in range(1, count)]
    return serial_robot(first, *others, joint("tip", "fixed", (length, 0.0, 0.0)))


def configuration(model: Model, choices: random.Random) -> npt.NDArray[np.float64]:
    """Return a random configuration within the limits, some joints exactly on one.

    An angle is at most a few turns, whatever the limits: at 1e16 two neighbouring numbers are
    two radians apart, and no pose is reached.
    """
    q = np.zeros(len(model.joint_names))
    kinds = [joint.type for joint in model.robot.joints if joint.movable]
    for i, (lower, upper) in enumerate(zip(model.lower, model.upper, strict=True)):
        low, high = (lower, upper) if math.isfinite(lower) else (-math.pi, math.pi)
        if kinds[i] == "revolute":
            low, high = min(max(low, -MOST_ANGLE), high), max(min(high, MOST_ANGLE), low)
        inside = min(max(choices.uniform(low, high), low), high)
        q[i] = choices.choice([inside, inside, inside, inside, low, high])
    return q


def named(model: Model, q: npt.NDArray[np.float64]) -> dict[str, float]:
    """Return joint name -> value."""
    return dict(zip(model.joint_names, q.tolist(), strict=True))


def deepest_link(robot: Robot) -> str:
    """Return the link with most movable joints above it, the first of those."""
    depth = {robot.root_link: 0}
    for one in robot.joints_parent_first():
        depth[one.child] = depth[one.parent] + one.movable
    return max((link.name for link in robot.links), key=lambda name: depth[name])
