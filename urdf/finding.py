"""What a robot is free to say and is seldom meant: warnings, each with its place and rule."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from urdf.bodies import flawed_bodies
from urdf.errors import UrdfError, quote
from urdf.model import AXIAL_TYPES, EXTENDED, Joint, Link, Robot
from urdf.scalars import Vector

UNIT_TOLERANCE: Final = 1e-3  # axes are often written with four digits
TURN_RAD: Final = 2.0 * math.pi * 1.01  # no angle of an rpy needs to be larger
MIN_DEGREES: Final = 30.0  # a revolute joint of five turns is rare
MAX_DEGREES: Final = 360.0
MAX_LEFTOVERS: Final = 20  # one macro that was not expanded can leave thousands
_LEFTOVER: Final = re.compile(r"\$\{[^{}<>\n]{0,80}\}?|\$\([^()<>\n]{0,80}\)?")
_COMMENT: Final = ("<!--", "-->")

ERROR: Final = "error"
WARNING: Final = "warning"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to look at.

    Attributes:
        line: in the text as given, from 1; 1 for what has no place.
        column: as the line.
        severity: "error" or "warning".
        rule: the name of the rule; the command line's page lists them.
        sentence: what is so, and what would be right.
    """

    line: int
    column: int
    severity: str
    rule: str
    sentence: str


def of_error(error: UrdfError, text: str) -> Finding:
    """Return the finding that a refusal of a text is.

    Where the error has a line and no column, it is at the first character of that line.
    """
    line = error.line or 1
    column = error.column
    if column is None:
        rest = text.replace("\r\n", "\n").replace("\r", "\n").split("\n", line)
        shown = rest[line - 1] if len(rest) >= line else ""
        column = len(shown) - len(shown.lstrip()) + 1
    return Finding(line, column, ERROR, error.rule, str(error))


def findings(robot: Robot) -> tuple[Finding, ...]:
    """Return what is odd about a robot, in document order.

    A robot of the extended reading is looked at for its masses and inertias too.
    """
    found: list[Finding] = []
    for joint in robot.joints:
        found += _of_joint(joint)
    for link in robot.links:
        found += _of_link(link)
    if robot.profile == EXTENDED:
        found += _of_bodies(robot)
    return tuple(sorted(found, key=lambda finding: (finding.line, finding.column)))


def _of_bodies(robot: Robot) -> Iterator[Finding]:
    if all(link.inertial is None for link in robot.links):
        sentence = (
            "no link has an <inertial>; masses and inertias expected, if it is to be simulated"
        )
        yield Finding(1, 1, WARNING, "inertial", sentence)
        return
    for flawed in flawed_bodies(robot):
        sentence = f"link {quote(flawed.link.name)}: {flawed.problem}"
        yield Finding(flawed.line, flawed.column, WARNING, flawed.rule, sentence)


def _of_joint(joint: Joint) -> Iterator[Finding]:
    for rule, problem in (
        *_axis(joint),
        *_limits(joint),
        *_turns(joint),
        *_angles(joint.origin.rpy, "<origin>"),
    ):
        sentence = f"joint {quote(joint.name)}: {problem}"
        yield Finding(joint.line, joint.column, WARNING, rule, sentence)


def _axis(joint: Joint) -> Iterator[tuple[str, str]]:
    length = math.hypot(*joint.axis)
    if joint.type in AXIAL_TYPES and abs(length - 1.0) > UNIT_TOLERANCE:
        effect = f", so a value of 1 moves it {length:.6g} m" if joint.type == "prismatic" else ""
        yield "axis", f"the axis has length {length:.6g}{effect}; a unit vector expected"


def _limits(joint: Joint) -> Iterator[tuple[str, str]]:
    limit = joint.limit
    if limit is None:
        return
    span = f"[{limit.lower:g}, {limit.upper:g}]"
    if limit.lower > limit.upper:
        yield "limits-empty", f"no value is within {span}; lower ≤ upper expected"
    elif limit.lower == limit.upper:
        yield "limits-equal", f"lower = upper = {limit.lower:g}, it cannot move; a range expected"
    if limit.lower <= limit.upper and not limit.lower <= 0.0 <= limit.upper:
        yield "limits-exclude-zero", f"0 is outside {span}, where many programs start; 0 expected"


def _turns(joint: Joint) -> Iterator[tuple[str, str]]:
    """Tell of limits that are whole degrees: 170, but no 3.14 and no 1e6 either."""
    limit = joint.limit
    if limit is None or joint.type != "revolute":
        return
    bounds = limit.lower, limit.upper
    if MIN_DEGREES <= max(map(abs, bounds)) <= MAX_DEGREES and all(b % 1.0 == 0.0 for b in bounds):
        radians = ", ".join(f"{math.radians(bound):.6g}" for bound in bounds)
        yield (
            "limits-degrees",
            f"the limits are [{limit.lower:g}, {limit.upper:g}], whole degrees? radians expected, "
            f"[{radians}]",
        )


def _angles(rpy: Vector, where: str) -> Iterator[tuple[str, str]]:
    largest = max(rpy, key=abs)
    if abs(largest) > TURN_RAD:
        yield (
            "rpy-degrees",
            f"{where} rpy holds {largest:g}, more than a turn: degrees? radians expected, "
            f"{math.radians(largest):.6g}",
        )


def _of_link(link: Link) -> Iterator[Finding]:
    poses = [(f"<visual> {i}", visual.origin) for i, visual in enumerate(link.visuals, 1)]
    if not poses and link.visual is not None:
        poses = [("first <visual>", link.visual.origin)]
    poses += [(f"<collision> {i}", part.origin) for i, part in enumerate(link.collisions, 1)]
    turns = [(f"{where}: <origin>", origin.rpy) for where, origin in poses]
    if link.inertial is not None:
        turns.append(("<inertial>: <origin>", link.inertial.rpy))
    for where, rpy in turns:
        for rule, problem in _angles(rpy, where):
            sentence = f"link {quote(link.name)}: {problem}"
            yield Finding(link.line, link.column, WARNING, rule, sentence)


def leftovers(text: str) -> tuple[Finding, ...]:
    """Return where a text still has `${…}` or `$(…)`, which xacro was to replace."""
    bare = _without_comments(text)
    found: list[Finding] = []
    for match in _LEFTOVER.finditer(bare):
        if len(found) == MAX_LEFTOVERS:
            break
        line = bare.count("\n", 0, match.start()) + 1
        column = match.start() - bare.rfind("\n", 0, match.start())
        found.append(
            Finding(
                line,
                column,
                WARNING,
                "left-over",
                f"{quote(match.group())} is left over from xacro; its value expected",
            )
        )
    return tuple(found)


def _without_comments(text: str) -> str:
    """Return a text with its comments blanked out, so that everything else keeps its place."""
    begin, end = _COMMENT
    parts: list[str] = []
    at = 0
    while (opened := text.find(begin, at)) >= 0:
        closed = text.find(end, opened + len(begin))
        if closed < 0:  # not XML; what follows is looked at as it is
            break
        parts += text[at:opened], re.sub(r"[^\n]", " ", text[opened : closed + len(end)])
        at = closed + len(end)
    return "".join(parts) + text[at:]
