"""Elements to links and joints, each by its own rules."""

from __future__ import annotations

from typing import Final

from urdf.document import Element
from urdf.errors import UnsupportedJointTypeError, quote
from urdf.model import (
    AXIAL_TYPES,
    JOINT_TYPES,
    LIMITED_TYPES,
    Joint,
    Limit,
    Link,
    Origin,
    Visual,
)
from urdf.place import Place
from urdf.scalars import Vector, number, vector
from urdf.shapes import read_geometry, read_origin

DEFAULT_AXIS: Final = (1.0, 0.0, 0.0)
FIRST_VISUAL: Final = "first <visual>: "


def read_link(element: Element) -> Link:
    """Return the link that a `<link>` under `<robot>` describes.

    Raises:
        UrdfError: it has no name, or its first `<visual>` breaks a rule.
    """
    place = Place(element)
    name = place.name()
    visual = element.first("visual")
    drawn = None if visual is None else read_visual(place, visual, FIRST_VISUAL)
    return Link(name, drawn, element.line, element.column)


def read_visual(place: Place, element: Element, label: str) -> Visual:
    """Return what a `<visual>` draws, without its material."""
    return Visual(*read_geometry(place, element, label))


class TypePlace(Place):
    """A joint, to complain about its type."""

    __slots__ = ()
    error = UnsupportedJointTypeError


def read_joint(element: Element, types: tuple[str, ...] = JOINT_TYPES) -> Joint:
    """Return the joint that a `<joint>` under `<robot>` describes, if its type is one of these.

    Raises:
        UrdfError: a part is missing, doubled or malformed.
    """
    place = Place(element)
    name = place.name()
    kind = element.attributes.get("type")
    if kind is None:
        place.refuse("no type attribute; " + _one_of(types))
    if kind not in types:
        TypePlace(element).refuse(f"type {quote(kind)}; " + _one_of(types))
    parent = _end(place, "parent")
    child = _end(place, "child")
    origin = place.at_most_one("origin")
    axis = place.at_most_one("axis")
    return Joint(
        name=name,
        type=kind,
        parent=parent,
        child=child,
        origin=Origin() if origin is None else read_origin(place, origin),
        axis=_axis(place, axis, kind),
        limit=_limit(place) if kind in LIMITED_TYPES else None,
        line=element.line,
        column=element.column,
    )


def _one_of(words: tuple[str, ...]) -> str:
    return ", ".join(words[:-1]) + f" or {words[-1]} expected"


def _end(place: Place, tag: str) -> str:
    """Return the link that `<parent>` or `<child>` names."""
    element = place.at_most_one(tag)
    if element is None:
        place.refuse(f"no <{tag}> element; <{tag} link='…'/> expected")
    link = element.attributes.get("link")
    if link is None:
        place.refuse(f"{place.part(element)}: no link attribute; a link's name expected", element)
    return link


def _axis(place: Place, element: Element | None, kind: str) -> Vector:
    axis = None if element is None else place.value(element, "xyz", vector)
    if axis is None:
        return DEFAULT_AXIS
    if element is not None and kind in AXIAL_TYPES and not any(axis):
        place.refuse(f"{place.part(element)}: xyz is zero; a direction expected", element)
    return axis


def _limit(place: Place) -> Limit:
    element = place.at_most_one("limit")
    if element is None:
        place.refuse("no <limit> element; <limit lower='…' upper='…'/> expected")
    lower = place.value(element, "lower", number)
    upper = place.value(element, "upper", number)
    return Limit(lower or 0.0, upper or 0.0)
