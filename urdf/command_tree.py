"""`tree`: links and joints as one would draw them."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from urdf.command import OK, add_reading, robot_of, say
from urdf.model import Joint, Robot

# A chain of ten thousand links would be drawn in a hundred million columns.
MAX_DRAWN_DEPTH: Final = 60


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("file", metavar="FILE", help="a description; - reads stdin")
    add_reading(parser)


def run(given: argparse.Namespace) -> int:
    """Print the tree."""
    for line in drawn(robot_of(given.file, given)):
        say(line)
    return OK


def drawn(robot: Robot) -> Iterator[str]:
    """Return the lines of the drawing: children in document order, under their parents."""
    below: defaultdict[str, list[Joint]] = defaultdict(list)
    for joint in robot.joints:
        below[joint.parent].append(joint)
    yield robot.root_link
    waiting = _open(below[robot.root_link], "", 0)
    while waiting:
        joint, indent, last, depth = waiting.pop()
        shown = indent if depth < MAX_DRAWN_DEPTH else f"… {depth} deep "
        yield f"{shown}{'└─' if last else '├─'} {joint.child}  ({_told(joint)})"
        inner = indent + ("   " if last else "│  ") if depth < MAX_DRAWN_DEPTH else indent
        waiting += _open(below[joint.child], inner, depth + 1)


def _open(joints: list[Joint], indent: str, depth: int) -> list[tuple[Joint, str, bool, int]]:
    """Return a link's joints, the first of them on top of the stack."""
    return [(joint, indent, joint is joints[-1], depth) for joint in reversed(joints)]


def _told(joint: Joint) -> str:
    mimic = "" if joint.mimic is None else f", as {joint.mimic.joint}"
    return f"{joint.name}: {joint.type}{mimic}"
