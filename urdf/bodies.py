"""Whether the links of a robot that move are bodies: with a mass, and an inertia that can be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeGuard

from urdf.errors import InertialError, quote
from urdf.inertial import flaw
from urdf.model import Inertial, Link, Robot
from urdf.names import listed

WEIGHTLESS: Final = "it moves, but weighs nothing; an <inertial> with mass and inertia expected"


@dataclass(frozen=True, slots=True)
class Flaw:
    """What is wrong with a link's mass or inertia.

    Attributes:
        rule: "inertial" (there is none), "mass", "mass-without-inertia" or "inertia".
        problem: what came and what would be right.
    """

    link: Link
    rule: str
    problem: str
    line: int
    column: int
    moves: bool  # whether a joint moves the body that the link is part of


def flawed_bodies(robot: Robot) -> tuple[Flaw, ...]:
    """Return what is wrong with the bodies of a robot that was read with the extended profile.

    Links that fixed joints tie together are one body. So a link that weighs nothing is no flaw
    where another link of its body has a mass, and one without an inertial is none in the body of
    the root, which nothing moves.
    """
    body = _bodies(robot)
    weighed = {body[link.name] for link in robot.links if _weighs(link.inertial)}
    flaws = []
    for link in robot.links:
        moves = body[link.name] != robot.root_link
        if _weighs(link.inertial):
            if found := flaw(link.inertial):
                place = link.inertial.line, link.inertial.column
                flaws.append(Flaw(link, *found, *place, moves))
        elif moves and body[link.name] not in weighed and link.name == body[link.name]:
            flaws.append(Flaw(link, "inertial", WEIGHTLESS, link.line, link.column, moves))
    return tuple(flaws)


def _weighs(inertial: Inertial | None) -> TypeGuard[Inertial]:
    return inertial is not None and (inertial.mass != 0.0 or any(map(any, inertial.inertia)))


def _bodies(robot: Robot) -> dict[str, str]:
    """Return for every link the topmost link that it is fixed to."""
    body = {robot.root_link: robot.root_link}
    for joint in robot.joints_parent_first():
        body[joint.child] = joint.child if joint.movable else body[joint.parent]
    return body


def require_bodies(robot: Robot) -> None:
    """Refuse a robot with a flawed body that moves.

    Raises:
        InertialError: it names the links, and says what is wrong with the first.
    """
    flaws = [flawed for flawed in flawed_bodies(robot) if flawed.moves]
    if not flaws:
        return
    first, *others = flaws
    link = first.link
    more = f" (and so {listed([other.link.name for other in others])})" if others else ""
    raise InertialError(
        f"link {quote(link.name)} (line {link.line}, column {link.column}): {first.problem}{more}",
        first.line,
        first.column,
    )
