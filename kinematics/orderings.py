"""In which order a robot's joints are numbered: depth first, siblings as a program sorts them."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from typing import Final

from urdf import Joint, Robot

BASE: Final = -1  # the body that no joint carries

# How joints under one parent are ordered, and whether fixed joints are walked through where
# they are ("in place") or merged first, which sorts what they carry among their parent's own.
_Key = Callable[[Joint], Sequence[object]]
ORDERINGS: Final[dict[str, tuple[_Key | None, bool]]] = {
    "pinocchio": (lambda joint: (joint.name.encode("utf-8", "surrogatepass"),), True),
    "grid": (lambda joint: (joint.child, joint.name), False),
    "urdf": (None, False),
    "alphabetical": (lambda joint: (joint.name,), False),
}


def walk(robot: Robot, ordering: str, *, merge_fixed: bool) -> tuple[list[Joint], list[int]]:
    """Return the joints depth first, and the id of each one's parent body.

    Args:
        robot: the description.
        ordering: a name of `ORDERINGS`.
        merge_fixed: leave fixed joints out; what they carry belongs to the body before.
    """
    key, in_place = ORDERINGS[ordering]
    below = _children(robot, merge=merge_fixed and not in_place)
    if key is not None:
        for siblings in below.values():
            siblings.sort(key=key)  # type: ignore[arg-type]
    order: list[Joint] = []
    parents: list[int] = []
    waiting = [(joint, BASE) for joint in reversed(below[robot.root_link])]
    while waiting:
        joint, parent = waiting.pop()
        if joint.movable or not merge_fixed:
            order.append(joint)
            parents.append(parent)
            parent = len(order) - 1
        waiting += [(child, parent) for child in reversed(below[joint.child])]
    return order, parents


def _children(robot: Robot, *, merge: bool) -> defaultdict[str, list[Joint]]:
    """Return link -> the joints below it in document order, past fixed ones if they are merged."""
    carrier = {robot.root_link: robot.root_link}
    for joint in robot.joints_parent_first():
        fold = merge and not joint.movable
        carrier[joint.child] = carrier[joint.parent] if fold else joint.child
    below: defaultdict[str, list[Joint]] = defaultdict(list)
    for joint in robot.joints:
        if joint.movable or not merge:
            below[carrier[joint.parent]].append(joint)
    return below


def breadth_first(
    robot: Robot, joints: Sequence[Joint], parents: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Return the number of each joint breadth first, and its level.

    Siblings are taken in document order, whatever order the joints are given in; the base's
    children have level 0.

    Args:
        robot: the description.
        joints: some of its joints, each behind the one that carries it.
        parents: the index of the one that carries each, -1 for the base.
    """
    document = {joint.name: i for i, joint in enumerate(robot.joints)}
    below: defaultdict[int, list[int]] = defaultdict(list)
    for i in sorted(range(len(joints)), key=lambda i: document[joints[i].name]):
        below[parents[i]].append(i)
    waiting = deque((i, 0) for i in below[BASE])
    ids, levels = [0] * len(joints), [0] * len(joints)
    for number in range(len(joints)):
        i, level = waiting.popleft()
        ids[i], levels[i] = number, level
        waiting.extend((child, level + 1) for child in below[i])
    return ids, levels
