"""The arms that solvers are compared on, and a chain of plain numbers that each peer is built from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from urdf import Robot, parse

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Step:
    """A movable joint: T_previous_joint where it is at 0, and how it moves along or about z."""

    T_origin: Array
    revolute: bool
    lower: float  # rad or m; -pi for a joint without limits
    upper: float
    bounded: bool
    name: str


@dataclass(frozen=True)
class Chain:
    """The joints from base to tip, each turned so that its axis is z; fixed ones merged."""

    steps: tuple[Step, ...]
    T_tail: Array  # T_last_joint_tip

    @cached_property
    def lower(self) -> Array:
        """(n,) lower limits; of continuous joints -pi."""
        return np.array([step.lower for step in self.steps])

    @cached_property
    def upper(self) -> Array:
        """(n,) upper limits; of continuous joints pi."""
        return np.array([step.upper for step in self.steps])

    @cached_property
    def revolute(self) -> NDArray[np.bool_]:
        """(n,) whether a joint turns; else it slides."""
        return np.array([step.revolute for step in self.steps])

    def pose(self, q: Array) -> Array:
        """Return T_base_tip (4, 4), by plain products of matrices: what every answer is held to."""
        T = np.eye(4)
        for step, value in zip(self.steps, q, strict=True):
            T = T @ step.T_origin @ moved(step.revolute, float(value))
        return T @ self.T_tail


@dataclass(frozen=True)
class Arm:
    """An arm to solve for: where its description is, and the chain's ends."""

    name: str
    file: str  # below the robots of example-robot-data
    tip: str
    base: str = ""  # the root
    text: str = ""

    @cached_property
    def robot(self) -> Robot:
        """The description, read."""
        return parse(self.text)

    @cached_property
    def chain(self) -> Chain:
        """The joints from base to tip."""
        return chain_of(self.robot, self.base or self.robot.root_link, self.tip)


ARMS: Final = (
    Arm("Panda", "panda_description/urdf/panda.urdf", "panda_link8"),
    Arm("UR5", "ur_description/urdf/ur5_robot.urdf", "tool0"),
    Arm("Fetch", "", "gripper_link"),  # torso and arm; its file is given on the command line
    Arm("PR2", "pr2_description/urdf/pr2.urdf", "r_gripper_tool_frame", "torso_lift_link"),
    Arm("Talos", "talos_data/robots/talos_reduced.urdf", "gripper_right_base_link", "torso_2_link"),
)


def load(robots: Path, fetch: Path | None) -> list[Arm]:
    """Return the arms whose files are there.

    Args:
        robots: the directory of example-robot-data's robots.
        fetch: a description of the Fetch robot, which is not among them.
    """
    loaded = []
    for arm in ARMS:
        file = robots / arm.file if arm.file else fetch
        if file is not None and file.exists():
            loaded.append(Arm(arm.name, arm.file, arm.tip, arm.base, file.read_text("utf-8")))
    return loaded


def chain_of(robot: Robot, base: str, tip: str) -> Chain:
    """Return the chain from a link down to another.

    Raises:
        ValueError: the base is not above the tip.
    """
    above = {joint.child: joint for joint in robot.joints}
    path = []
    link = tip
    while link != base:
        if link not in above:
            raise ValueError(f"{base!r} is not above {tip!r}")
        path.append(above[link])
        link = above[link].parent
    steps: list[Step] = []
    T = np.eye(4)
    for joint in reversed(path):
        T = T @ placement(joint.origin.xyz, joint.origin.rpy)
        if not joint.movable:
            continue
        R = turning_z_to(np.array(joint.axis, dtype=float))
        bounds = (joint.limit.lower, joint.limit.upper) if joint.limit else (-math.pi, math.pi)
        revolute = joint.type != "prismatic"
        steps.append(Step(T @ R, revolute, *bounds, joint.limit is not None, joint.name))
        T = R.T.copy()  # R has no translation: its transpose turns the axis back
    return Chain(tuple(steps), T)


def moved(revolute: bool, value: float) -> Array:
    """Return the transform of a joint about or along z, (4, 4)."""
    T = np.eye(4)
    if revolute:
        c, s = math.cos(value), math.sin(value)
        T[:2, :2] = [[c, -s], [s, c]]
    else:
        T[2, 3] = value
    return T


def placement(xyz: tuple[float, float, float], rpy: tuple[float, float, float]) -> Array:
    """Return an origin as a matrix (4, 4): Rz(yaw) Ry(pitch) Rx(roll), then the translation."""
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(angle), math.sin(angle)) for angle in rpy)
    T = np.eye(4)
    T[:3, :3] = (
        np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
        @ np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
        @ np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    )
    T[:3, 3] = xyz
    return T


def turning_z_to(axis: Array) -> Array:
    """Return a rotation (4, 4) whose third column is the axis, made a unit vector."""
    z = axis / np.linalg.norm(axis)
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x /= np.linalg.norm(x)
    T = np.eye(4)
    T[:3, :3] = np.column_stack([x, np.cross(z, x), z])
    return T
