"""A robot as its description says it, in plain immutable data: metres and radians."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Final

from urdf.scalars import Vector

MOVABLE_TYPES: Final = ("revolute", "continuous", "prismatic")
LIMITED_TYPES: Final = ("revolute", "prismatic")
JOINT_TYPES: Final = (*MOVABLE_TYPES, "fixed")


@dataclass(frozen=True, slots=True)
class Origin:
    """A pose in the parent's frame: xyz, then R = Rz(yaw) Ry(pitch) Rx(roll)."""

    xyz: Vector = (0.0, 0.0, 0.0)
    rpy: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Box:
    """A box, centred; its edge lengths along x, y and z."""

    size: Vector


@dataclass(frozen=True, slots=True)
class Cylinder:
    """A cylinder, centred, along z."""

    radius: float
    length: float


@dataclass(frozen=True, slots=True)
class Sphere:
    """A sphere, centred."""

    radius: float


@dataclass(frozen=True, slots=True)
class Mesh:
    """A mesh file, named but never opened."""

    filename: str
    scale: Vector = (1.0, 1.0, 1.0)


Shape = Box | Cylinder | Sphere | Mesh


@dataclass(frozen=True, slots=True)
class Visual:
    """What a viewer draws for a link, in the link's frame."""

    origin: Origin
    shape: Shape


@dataclass(frozen=True, slots=True)
class Limit:
    """The closed range of a joint's value; lower may be above upper, then it is empty."""

    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class Link:
    """A rigid body, and the line that its element begins on."""

    name: str
    visual: Visual | None = None
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Joint:
    """What ties a child link to its parent link.

    `axis` is as written, in the joint's frame. `limit` is None for the types without one.
    """

    name: str
    type: str
    parent: str
    child: str
    origin: Origin = Origin()
    axis: Vector = (1.0, 0.0, 0.0)
    limit: Limit | None = None
    line: int = field(default=0, compare=False)

    @property
    def movable(self) -> bool:
        """Whether it has a value of its own."""
        return self.type != "fixed"


@dataclass(frozen=True, slots=True)
class Robot:
    """A tree of links; links and joints in document order."""

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    root_link: str

    def joints_parent_first(self) -> tuple[Joint, ...]:
        """Return the joints so that each stands behind the one that carries its parent."""
        below: defaultdict[str, list[Joint]] = defaultdict(list)
        for joint in self.joints:
            below[joint.parent].append(joint)
        order: list[Joint] = []
        waiting = below.pop(self.root_link, [])[::-1]
        while waiting:
            joint = waiting.pop()
            order.append(joint)
            waiting += below.pop(joint.child, [])[::-1]
        return tuple(order)
