"""Links and joints have to make one tree; what they make instead is said in full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NoReturn

from urdf.errors import TreeError, quote
from urdf.model import Joint, Link, Robot
from urdf.names import closest, listed


def make_tree(name: str, links: Sequence[Link], joints: Sequence[Joint]) -> Robot:
    """Return the robot.

    Raises:
        TreeError: names collide, a joint names no link, or the links are not one tree.
    """
    if not links:
        raise TreeError("the robot has no link; a <link name='…'/> under <robot> expected")
    link_names = _unique("link", links)
    _unique("joint", joints)
    above: dict[str, Joint] = {}
    for joint in joints:
        for tag, end in (("parent", joint.parent), ("child", joint.child)):
            if end not in link_names:
                _refuse(
                    joint,
                    f"<{tag}> names {quote(end)}, no link; "
                    + (closest(end, link_names) or "the name of a <link> expected"),
                )
        if joint.parent == joint.child:
            _refuse(joint, f"ties link {quote(joint.child)} to itself; two links expected")
        other = above.setdefault(joint.child, joint)
        if other is not joint:
            _refuse(
                joint,
                f"link {quote(joint.child)} is the child of joint {quote(other.name)} "
                f"(line {other.line}) too; one joint expected",
            )
    roots = [link for link in links if link.name not in above]
    robot = Robot(name, tuple(links), tuple(joints), _root(roots, joints, above).name)
    _all_reached(robot, above)
    return robot


def _unique(kind: str, elements: Sequence[Link] | Sequence[Joint]) -> set[str]:
    seen: dict[str, int] = {}
    for element in elements:
        if element.name in seen:
            raise TreeError(
                f"{kind} {quote(element.name)} (line {element.line}): there is one of this "
                f"name on line {seen[element.name]}; a name of its own expected",
                element.line,
            )
        seen[element.name] = element.line
    return set(seen)


def _root(roots: list[Link], joints: Sequence[Joint], above: Mapping[str, Joint]) -> Link:
    if not roots:
        raise TreeError(
            f"no root: every link is the child of a joint, and {_cycle(joints[0], above)}; "
            "exactly one link that is no joint's child expected",
            joints[0].line,
        )
    if len(roots) > 1:
        some = listed([link.name for link in roots])
        raise TreeError(
            f"{len(roots)} roots: {some} are no joint's child; one expected, "
            "and a joint to each of the others",
            roots[1].line,
        )
    return roots[0]


def _all_reached(robot: Robot, above: Mapping[str, Joint]) -> None:
    """Refuse joints that go round in a circle away from the root."""
    order = robot.joints_parent_first()
    if len(order) == len(robot.joints):
        return
    reached = {joint.name for joint in order}
    left = next(joint for joint in robot.joints if joint.name not in reached)
    _refuse(left, f"the root link does not reach it: {_cycle(left, above)}; a tree expected")


def _cycle(joint: Joint, above: Mapping[str, Joint]) -> str:
    """Name the joints of the cycle that one comes to from a joint by going up."""
    passed: dict[str, None] = {}
    while joint.name not in passed:
        passed[joint.name] = None
        joint = above[joint.parent]
    names = list(passed)
    downward = names[names.index(joint.name) :][::-1]
    return f"joints {listed(downward)} make a cycle"


def _refuse(joint: Joint, problem: str) -> NoReturn:
    raise TreeError(f"joint {quote(joint.name)} (line {joint.line}): {problem}", joint.line)
