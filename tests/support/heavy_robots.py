"""Random robots whose links weigh something, and their description as a text."""

from __future__ import annotations

import random
from collections.abc import Iterable

import numpy as np

from tests.support.random_robots import random_robot
from urdf import Inertial, Robot


def heavy_text(seed: int, links: int, **options: object) -> str:
    """Return a random robot with inertias, motors and unit axes.

    A prismatic axis is unit since Pinocchio normalises it, and this project does not.
    """
    choices = random.Random(seed)
    robot = random_robot(choices, links, extreme=False, **options)  # type: ignore[arg-type]
    return describe(robot, choices)


def describe(robot: Robot, choices: random.Random) -> str:
    """Return the text of a robot, every link with a random inertia."""
    lines = [f'<link name="{link.name}">{_inertial(choices)}</link>' for link in robot.links]
    for joint in robot.joints:
        axis = joint.axis if joint.type != "prismatic" else (0.0, 0.6, 0.8)
        lower, upper = (joint.limit.lower, joint.limit.upper) if joint.limit else (0.0, 0.0)
        lines.append(
            f'<joint name="{joint.name}" type="{joint.type}"><parent link="{joint.parent}"/>'
            f'<child link="{joint.child}"/><origin xyz="{_row(joint.origin.xyz)}" '
            f'rpy="{_row(joint.origin.rpy)}"/><axis xyz="{_row(axis)}"/>'
            f'<limit lower="{lower!r}" upper="{upper!r}" effort="12" velocity="3"/>'
            '<dynamics damping="0.5" friction="0.25"/></joint>'
        )
    return f'<robot name="{robot.name}">{"".join(lines)}</robot>'


def _inertial(choices: random.Random) -> str:
    inertial = random_inertial(choices)
    (ixx, ixy, ixz), (_, iyy, iyz), (_, _, izz) = inertial.inertia
    return (
        f'<inertial><origin xyz="{_row(inertial.com)}" rpy="{_row(inertial.rpy)}"/>'
        f'<mass value="{inertial.mass!r}"/><inertia ixx="{ixx!r}" ixy="{ixy!r}" ixz="{ixz!r}" '
        f'iyy="{iyy!r}" iyz="{iyz!r}" izz="{izz!r}"/></inertial>'
    )


def random_inertial(choices: random.Random) -> Inertial:
    """Return the inertia of some points of mass, before its rpy is applied."""
    points = np.array([[choices.uniform(-0.2, 0.2) for _ in range(3)] for _ in range(5)])
    tensor = sum(float(p @ p) * np.eye(3) - np.outer(p, p) for p in points)
    com, rpy = ([choices.uniform(-size, size) for _ in range(3)] for size in (0.3, 3.0))
    rows = [tuple(map(float, row)) for row in np.asarray(tensor)]
    return Inertial(choices.uniform(0.1, 3.0), tuple(com), tuple(rows), tuple(rpy))  # type: ignore[arg-type]


def _row(numbers: Iterable[float]) -> str:
    return " ".join(repr(float(number)) for number in numbers)
