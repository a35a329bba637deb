"""Links and joints with everything that the extended reading adds to them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

from urdf.collision import read_collisions
from urdf.document import Element
from urdf.elements import read_joint, read_link, read_visual
from urdf.errors import MimicError
from urdf.inertial import read_inertial
from urdf.model import (
    EXTENDED_TYPES,
    LIMITED_TYPES,
    SCALAR_TYPES,
    SCREW_TYPES,
    Dynamics,
    Joint,
    Limit,
    Link,
    Material,
    Mimic,
    Safety,
    Visual,
)
from urdf.place import Place
from urdf.scalars import color, number


def read_extended_link(element: Element) -> Link:
    """Return the link that a `<link>` describes, with its body, all visuals and collisions.

    Raises:
        UrdfError: a part breaks a rule; `InertialError` for its mass and inertia.
    """
    place = Place(element)
    visuals = [
        _visual(place, visual, f"<visual> {count}: ")
        for count, visual in enumerate(element.all("visual"), 1)
    ]
    return replace(
        read_link(element),
        visual=visuals[0] if visuals else None,
        visuals=tuple(visuals),
        collisions=read_collisions(element),
        inertial=read_inertial(element),
    )


def _visual(place: Place, element: Element, label: str) -> Visual:
    material = element.first("material")
    return replace(
        read_visual(place, element, label),
        material=None if material is None else _material(place, material, label),
    )


def read_material(element: Element) -> Material:
    """Return the material that a `<material>` under `<robot>` defines for its visuals.

    Raises:
        UrdfError: it has no name, or its color is not four numbers.
    """
    place = Place(element)
    place.name()
    return _material(place, element, "")


def _material(place: Place, element: Element, label: str) -> Material:
    shade = element.first("color")
    texture = element.first("texture")
    return Material(
        element.attributes.get("name", ""),
        None if shade is None else place.value(shade, "rgba", color, label),
        None if texture is None else texture.attributes.get("filename"),
    )


def read_extended_joint(element: Element) -> Joint:
    """Return the joint that a `<joint>` describes, with its motor, its mimic and its pitch.

    Raises:
        UrdfError: a part breaks a rule; `UnsupportedJointTypeError` for its type, `MimicError`
            for what it imitates.
    """
    joint = read_joint(element, EXTENDED_TYPES)
    place = Place(element)
    axis = place.at_most_one("axis")
    pitch = None if axis is None else place.value(axis, "pitch", number)
    return replace(
        joint,
        limit=_limit(place, joint),
        pitch=pitch or 0.0 if joint.type in SCREW_TYPES else 0.0,
        mimic=_mimic(element, joint),
        dynamics=_dynamics(place),
        safety=_safety(place),
    )


# The bounds of a joint that has none of its own to say.
UNBOUNDED: Final = (-math.inf, math.inf)


def _limit(place: Place, joint: Joint) -> Limit | None:
    """Return the `<limit>`, None where there is none.

    What revolute and prismatic joints leave out is 0, as in the strict reading. A helical joint
    may have bounds; the other types have none, whatever is written.
    """
    element = place.at_most_one("limit")
    if element is None or joint.type == "fixed":
        return joint.limit
    effort = place.value(element, "effort", number)
    velocity = place.value(element, "velocity", number)
    if joint.type in LIMITED_TYPES and joint.limit is not None:
        return replace(joint.limit, effort=effort, velocity=velocity)
    lower, upper = UNBOUNDED
    if joint.type in SCREW_TYPES:
        given = place.value(element, "lower", number), place.value(element, "upper", number)
        lower = lower if given[0] is None else given[0]
        upper = upper if given[1] is None else given[1]
    return Limit(lower, upper, effort, velocity)


class MimicPlace(Place):
    """A joint, to complain about what it imitates."""

    __slots__ = ()
    error = MimicError


def _mimic(element: Element, joint: Joint) -> Mimic | None:
    place = MimicPlace(element)
    mimic = place.at_most_one("mimic")
    if mimic is None or joint.type == "fixed":  # robots do ship it; there is no value to tie
        return None
    part = place.part(mimic)
    if joint.type not in SCALAR_TYPES:
        place.refuse(f"{part}: a {joint.type} joint cannot imitate one value", mimic)
    target = mimic.attributes.get("joint")
    if target is None:
        place.refuse(f"{part}: no joint attribute; a joint's name expected", mimic)
    multiplier = place.value(mimic, "multiplier", number)
    offset = place.value(mimic, "offset", number)
    return Mimic(target, 1.0 if multiplier is None else multiplier, offset or 0.0)


def _dynamics(place: Place) -> Dynamics | None:
    element = place.at_most_one("dynamics")
    if element is None:
        return None
    return Dynamics(
        place.value(element, "damping", number) or 0.0,
        place.value(element, "friction", number) or 0.0,
    )


def _safety(place: Place) -> Safety | None:
    element = place.at_most_one("safety_controller")
    if element is None:
        return None
    soft_lower, soft_upper, k_position, k_velocity = (
        place.value(element, name, number) or 0.0
        for name in ("soft_lower_limit", "soft_upper_limit", "k_position", "k_velocity")
    )
    return Safety(soft_lower, soft_upper, k_position, k_velocity)
