"""A robot as its description says it, in plain immutable data: metres and radians."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Final

from urdf.scalars import Color, Vector

STRICT: Final = "strict"
EXTENDED: Final = "extended"

MOVABLE_TYPES: Final = ("revolute", "continuous", "prismatic")
LIMITED_TYPES: Final = ("revolute", "prismatic")
JOINT_TYPES: Final = (*MOVABLE_TYPES, "fixed")
# What the extended reading knows besides; the second word of a pair means the same as the first.
SCREW_TYPES: Final = ("helical", "screw")
FREE_TYPES: Final = ("floating", "planar", "spherical", "translation", "cartesian")
EXTENDED_TYPES: Final = (*JOINT_TYPES, *SCREW_TYPES, *FREE_TYPES)
SCALAR_TYPES: Final = (*MOVABLE_TYPES, *SCREW_TYPES)  # one coordinate
AXIAL_TYPES: Final = (*SCALAR_TYPES, "planar")  # what they do depends on their axis

Matrix = tuple[Vector, Vector, Vector]


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
class Material:
    """How a visual looks; a name alone stands for the robot's material of that name.

    Attributes:
        color: red, green, blue and opacity, each from 0 to 1.
        texture: an image file, named but never opened.
    """

    name: str = ""
    color: Color | None = None
    texture: str | None = None


@dataclass(frozen=True, slots=True)
class Visual:
    """What a viewer draws for a link, in the link's frame."""

    origin: Origin
    shape: Shape
    material: Material | None = None  # extended reading only


@dataclass(frozen=True, slots=True)
class Collision:
    """What a planner or simulator takes for a link's surface, in the link's frame."""

    origin: Origin
    shape: Shape
    name: str = ""
    line: int = field(default=0, compare=False)
    column: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Inertial:
    """How a link resists being moved.

    Attributes:
        mass: kg.
        com: the centre of mass in the link's frame, m.
        inertia: rows of the tensor about the centre of mass, in axes parallel to the
            link's, kg m^2: what the description gives, turned by its rpy.
        rpy: the turn as it is written.
    """

    mass: float
    com: Vector = (0.0, 0.0, 0.0)
    inertia: Matrix = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    rpy: Vector = (0.0, 0.0, 0.0)
    line: int = field(default=0, compare=False)
    column: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Limit:
    """The closed range of a joint's value; lower may be above upper, then it is empty.

    The extended reading also gives what the joint's motor can do, None where it is not said:
    effort in N m or N, velocity in rad/s or m/s.
    """

    lower: float
    upper: float
    effort: float | None = None
    velocity: float | None = None


@dataclass(frozen=True, slots=True)
class Mimic:
    """A joint's value is multiplier * (the value of another joint) + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class Dynamics:
    """A joint's resistance: damping in N m s/rad or N s/m, friction in N m or N."""

    damping: float = 0.0
    friction: float = 0.0


@dataclass(frozen=True, slots=True)
class Safety:
    """Where a safety controller begins to hold a joint back, and how hard."""

    soft_lower: float = 0.0
    soft_upper: float = 0.0
    k_position: float = 0.0
    k_velocity: float = 0.0


@dataclass(frozen=True, slots=True)
class Link:
    """A rigid body, and the line that its element begins on.

    The strict reading sets `visual` alone, the first one; the extended reading the rest too.
    """

    name: str
    visual: Visual | None = None
    line: int = field(default=0, compare=False)
    column: int = field(default=0, compare=False)
    inertial: Inertial | None = None
    visuals: tuple[Visual, ...] = ()
    collisions: tuple[Collision, ...] = ()


@dataclass(frozen=True, slots=True)
class Joint:
    """What ties a child link to its parent link.

    `axis` is as written, in the joint's frame. `limit` is None for the types without one.
    What stands behind `line` is set by the extended reading alone: there a joint has a limit
    wherever one is written, infinite where the type has no bounds of its own.

    Attributes:
        pitch: of a helical joint, how far along its axis it goes with a turn about it, m/rad.
    """

    name: str
    type: str
    parent: str
    child: str
    origin: Origin = Origin()
    axis: Vector = (1.0, 0.0, 0.0)
    limit: Limit | None = None
    line: int = field(default=0, compare=False)
    column: int = field(default=0, compare=False)
    pitch: float = 0.0
    mimic: Mimic | None = None
    dynamics: Dynamics | None = None
    safety: Safety | None = None

    @property
    def movable(self) -> bool:
        """Whether it has a value of its own."""
        return self.type != "fixed"


@dataclass(frozen=True, slots=True)
class Robot:
    """A tree of links; links and joints in document order.

    Attributes:
        materials: those that are defined for the whole robot; by the extended reading only.
        profile: which reading made it, "strict" or "extended".
    """

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    root_link: str
    materials: tuple[Material, ...] = ()
    profile: str = STRICT

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
