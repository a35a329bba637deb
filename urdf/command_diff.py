"""`diff`: where two robots differ in what they say, not in how it is written."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Final, TypeGuard

from urdf.command import OK, REFUSED, CommandError, add_reading, as_json, robot_of, say
from urdf.errors import quote
from urdf.files import STDIN
from urdf.inertial import rotation
from urdf.model import Inertial, Joint, Link, Origin, Robot

TOLERANCE: Final = 1e-9  # a number that is written with 9 or more digits is the same
Change = tuple[str, str, str]  # what, then what it is in one and in the other
ABSENT: Final = "absent"
PRESENT: Final = "present"
# The first visual is among the visuals, and an inertia is turned already by its rpy.
SAID_TWICE: Final = {(Link, "visual"), (Inertial, "rpy")}


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("file", metavar="A", help="a description; - reads stdin")
    parser.add_argument("other", metavar="B", help="the one to compare it with")
    parser.add_argument(
        "--tolerance",
        type=_tolerance,
        default=TOLERANCE,
        help="numbers no further apart are the same; m, rad, kg … (default %(default)g)",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")
    add_reading(parser)
    parser.epilog = "The status is 0 if they say the same, 1 if not, 2 if one cannot be read."


def _tolerance(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r}; a number, at least 0, expected")
    return value


def run(given: argparse.Namespace) -> int:
    """Print the differences; return 1 if there are any."""
    if given.file == given.other == STDIN:
        raise CommandError("only one of the two can be stdin; a file expected")
    one, other = robot_of(given.file, given), robot_of(given.other, given)
    changes = list(differences(one, other, given.tolerance))
    if given.format == "json":
        say(as_json([dict(zip(("what", "a", "b"), change, strict=True)) for change in changes]))
    else:
        for what, old, new in changes:
            say(f"{what}: {old} -> {new}")
    return REFUSED if changes else OK


def differences(one: Robot, other: Robot, tolerance: float = TOLERANCE) -> Iterator[Change]:
    """Return where two robots differ: links and joints by their names, then by their parts.

    Two rpy are the same if they turn alike, and two references to a mesh if their text is. The
    order of links and joints is compared among those that both have.
    """
    if one.name != other.name:
        yield "robot name", quote(one.name), quote(other.name)
    if one.root_link != other.root_link:
        yield "root link", quote(one.root_link), quote(other.root_link)
    yield from _named("link", one.links, other.links, tolerance)
    yield from _named("joint", one.joints, other.joints, tolerance)
    yield from _unlike("materials", one.materials, other.materials, tolerance)


def _named(
    kind: str, one: Sequence[Link | Joint], other: Sequence[Link | Joint], tolerance: float
) -> Iterator[Change]:
    left = {item.name: item for item in one}
    right = {item.name: item for item in other}
    for name in left:
        if name not in right:
            yield f"{kind} {quote(name)}", PRESENT, ABSENT
    for name in right:
        if name not in left:
            yield f"{kind} {quote(name)}", ABSENT, PRESENT
    both = [name for name in left if name in right]
    turned = [name for name in right if name in left]
    if both != turned:
        at = next(i for i, (a, b) in enumerate(zip(both, turned, strict=True)) if a != b)
        yield f"order of {kind}s, at {at}", quote(both[at]), quote(turned[at])
    for name in both:
        yield from _unlike(f"{kind} {quote(name)}", left[name], right[name], tolerance)


def _unlike(what: str, one: object, other: object, tolerance: float) -> Iterator[Change]:
    """Return where two values differ, down to their parts where they are of one kind."""
    if isinstance(one, Origin) and isinstance(other, Origin):
        yield from _unlike(f"{what} xyz", one.xyz, other.xyz, tolerance)
        turns = rotation(one.rpy), rotation(other.rpy)
        if not _close(turns[0], turns[1], tolerance):
            yield f"{what} rpy", _told(one.rpy), _told(other.rpy)
    elif is_dataclass(one) and type(one) is type(other):
        for part in fields(one):
            if part.compare and (type(one), part.name) not in SAID_TWICE:
                values = getattr(one, part.name), getattr(other, part.name)
                yield from _unlike(f"{what} {part.name}", *values, tolerance)
    elif _is_items(one) and _is_items(other) and len(one) == len(other):
        for i, pair in enumerate(zip(one, other, strict=True)):
            yield from _unlike(f"{what} {i + 1}", *pair, tolerance)
    elif not _close(one, other, tolerance):
        yield what, _told(one), _told(other)


def _is_items(value: object) -> TypeGuard[tuple[object, ...]]:
    """Whether it is a tuple of parts, not of numbers."""
    return isinstance(value, tuple) and any(is_dataclass(item) for item in value)


def _close(one: object, other: object, tolerance: float) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return one == other or abs(one - other) <= tolerance
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(
            _close(a, b, tolerance) for a, b in zip(one, other, strict=True)
        )
    return one == other


def _told(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, str):
        return quote(value)
    if _is_items(value):
        return f"{len(value)} of them"
    if isinstance(value, tuple):
        return " ".join(_told(item) for item in value) or "none"
    if is_dataclass(value):
        return PRESENT
    return ABSENT if value is None else str(value)
