"""Joints with several values, rewritten as chains of joints with one each.

A planar joint becomes two that slide in its plane and one that turns about its normal; a
translation (or cartesian) joint three that slide along x, y and z. So nothing else has to know
them. The new joints are `<name>__sub0` to `2`, the links between `<name>__dummy0` and `1`, which
weigh nothing; GRiD's URDFParser names and orders them the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from kinematics.errors import KinematicsError, quote
from urdf import Joint, Link, Origin, Robot

Axes = tuple[tuple[float, float, float], ...]

AXES: Final[Axes] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
PLANAR: Final = "planar"
EXPANDED: Final = (PLANAR, "translation", "cartesian")


def expand(robot: Robot) -> Robot:
    """Return the robot with planar and translation joints expanded, itself if it has none.

    Raises:
        KinematicsError: `invalid_request`; such a joint imitates another, or a new name is taken.
    """
    if all(joint.type not in EXPANDED for joint in robot.joints):
        return robot
    links, joints = list(robot.links), list[Joint]()
    for joint in robot.joints:
        if joint.type not in EXPANDED:
            joints.append(joint)
            continue
        between = [f"{joint.name}__dummy{i}" for i in range(2)]
        links += [Link(name) for name in between]
        joints += _parts(joint, between)
    for what, things in (("link", links), ("joint", joints)):
        _refuse_taken(what, [thing.name for thing in things])
    return replace(robot, links=tuple(links), joints=tuple(joints))


def plane_axes(normal: Sequence[float]) -> Axes:
    """Return the axes that slide, and the one that turns, of a planar joint.

    About a normal along x, y or z, either way, they are the other two in this order and the
    positive axis itself: for y a left-handed triple. About another, those that x, y and z become
    by the shortest turn of z to it.
    """
    n = np.array(normal) / np.abs(normal).max()  # first: squares of a huge axis would overflow
    n /= np.linalg.norm(n)
    along = [i for i in range(3) if n[i]]
    if len(along) == 1:
        return (*(AXES[i] for i in range(3) if i != along[0]), AXES[along[0]])
    # Rodrigues about u, the unit vector along z x n: its sine is the length of that product.
    sine = math.hypot(n[0], n[1])
    a, b = n[0] / sine, n[1] / sine
    u = np.array([[0.0, 0.0, a], [0.0, 0.0, b], [-a, -b, 0.0]])
    R = np.eye(3) + sine * u + (1.0 - n[2]) * (u @ u)
    x, y, z = ((float(column[0]), float(column[1]), float(column[2])) for column in R.T)
    return x, y, z


def _parts(joint: Joint, between: list[str]) -> list[Joint]:
    if joint.mimic is not None:
        raise KinematicsError(
            "invalid_request",
            f"joint {quote(joint.name)} (line {joint.line}) is {joint.type} and has a <mimic>; "
            "a joint with one value expected to imitate another",
        )
    axes = plane_axes(joint.axis) if joint.type == PLANAR else AXES
    last = "continuous" if joint.type == PLANAR else "prismatic"
    ends = [joint.parent, *between, joint.child]
    return [
        replace(
            joint,
            name=f"{joint.name}__sub{i}",
            type="prismatic" if i < 2 else last,
            parent=ends[i],
            child=ends[i + 1],
            origin=joint.origin if i == 0 else Origin(),
            axis=axes[i],
            limit=None,
            safety=None,
        )
        for i in range(3)
    ]


def _refuse_taken(what: str, names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise KinematicsError(
                "invalid_request",
                f"{what} {quote(name)} would be there twice: a planar or translation joint is "
                f"expanded into it; another name for the {what} expected",
            )
        seen.add(name)
