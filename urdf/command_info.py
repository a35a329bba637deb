"""`info`: what a robot consists of, as two tables."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable
from dataclasses import asdict
from typing import Final

from urdf.command import OK, add_reading, as_json, robot_of, say, table
from urdf.model import Joint, Link, Robot

NONE: Final = (None, None, None, None)


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("file", metavar="FILE", help="a description; - reads stdin")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    add_reading(parser)


def run(given: argparse.Namespace) -> int:
    """Print the tables, or everything that was read as JSON."""
    robot = robot_of(given.file, given)
    if given.format == "json":
        say(as_json(asdict(robot) | {"mass": mass_of(robot)}))
        return OK
    movable = sum(joint.movable for joint in robot.joints)
    say(f"robot {robot.name}")
    say(f"  root    {robot.root_link}")
    say(f"  links   {len(robot.links)}")
    say(f"  joints  {len(robot.joints)}, {movable} movable")
    say(f"  mass    {mass_of(robot):.6g} kg")
    if robot.joints:
        say("\n" + table(_joint_rows(robot.joints)))
    say("\n" + table(_link_rows(robot.links)))
    return OK


def mass_of(robot: Robot) -> float:
    """Return what all links weigh together, kg."""
    return math.fsum(link.inertial.mass for link in robot.links if link.inertial is not None)


def _joint_rows(joints: Iterable[Joint]) -> Iterable[tuple[str, ...]]:
    yield (
        "joint", "type", "parent", "child", "axis", "lower", "upper", "effort", "velocity", "mimic",
    )  # fmt: skip
    for joint in joints:
        limit = joint.limit
        bounds = (limit.lower, limit.upper, limit.effort, limit.velocity) if limit else NONE
        yield (
            joint.name,
            joint.type,
            joint.parent,
            joint.child,
            " ".join(f"{part:g}" for part in joint.axis) if joint.movable else "-",
            *map(_number, bounds),
            _mimic(joint),
        )


def _number(value: float | None) -> str:
    return "-" if value is None or math.isinf(value) else f"{value:.6g}"


def _mimic(joint: Joint) -> str:
    mimic = joint.mimic
    if mimic is None:
        return "-"
    offset = f" {mimic.offset:+g}" if mimic.offset else ""
    return f"{mimic.multiplier:g} {mimic.joint}{offset}"


def _link_rows(links: Iterable[Link]) -> Iterable[tuple[str, ...]]:
    yield ("link", "mass", "centre of mass", "visuals", "collisions")
    for link in links:
        body = link.inertial
        yield (
            link.name,
            "-" if body is None else f"{body.mass:.6g}",
            "-" if body is None else " ".join(f"{part:g}" for part in body.com),
            str(len(link.visuals)),
            str(len(link.collisions)),
        )
