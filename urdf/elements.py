"""Elements to links and joints, each by its own rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NoReturn, TypeVar

from urdf.document import Element
from urdf.errors import UrdfError, quote
from urdf.model import (
    JOINT_TYPES,
    LIMITED_TYPES,
    Box,
    Cylinder,
    Joint,
    Limit,
    Link,
    Mesh,
    Origin,
    Shape,
    Sphere,
    Visual,
)
from urdf.scalars import XML_SPACE, Vector, number, vector

T = TypeVar("T")

ZERO: Final = (0.0, 0.0, 0.0)
DEFAULT_AXIS: Final = (1.0, 0.0, 0.0)
SHAPES: Final = "box, cylinder, sphere or mesh expected"


class _Place:
    """A link or joint, to complain about."""

    __slots__ = ("_element",)

    def __init__(self, element: Element) -> None:
        self._element = element

    def refuse(self, problem: str, inside: Element | None = None) -> NoReturn:
        """Raise an error that says where."""
        element = self._element
        name = element.attributes.get("name")
        what = element.tag if name is None else f"{element.tag} {quote(name)}"
        at = element if inside is None else inside
        raise UrdfError(
            f"{what} (line {element.line}, column {element.column}): {problem}",
            at.line,
            at.column,
        )

    def part(self, inside: Element, label: str = "") -> str:
        """Name an element inside, with its line where that is another one."""
        on = "" if inside.line == self._element.line else f" on line {inside.line}"
        return f"{label}<{quote(inside.tag)[1:-1]}>{on}"

    def value(
        self, inside: Element, attribute: str, convert: Callable[[str], T], label: str = ""
    ) -> T | None:
        """Return an attribute's number or vector, None where it is absent."""
        text = inside.attributes.get(attribute)
        if text is None:
            return None
        try:
            return convert(text)
        except ValueError as error:
            right = "three numbers" if convert is vector else "one number"
            part = self.part(inside, label)
            self.refuse(f"{part}: {attribute} must be {right}, {error}", inside)

    def at_most_one(self, tag: str) -> Element | None:
        """Return the child with this tag, if there is one; the same thing said twice is one."""
        found = self._element.all(tag)
        if not found:
            return None
        if len(found) > 1 and any(other.attributes != found[0].attributes for other in found):
            self.refuse(f"{len(found)} <{tag}> elements that differ; one expected", found[1])
        return found[0]

    def name(self) -> str:
        """Return the name of the link or joint itself."""
        name = self._element.attributes.get("name")
        if name is None:
            self.refuse("no name attribute; name='…' expected")
        if not name.strip(XML_SPACE):
            self.refuse("the name is blank; a name expected")
        return name


def read_link(element: Element) -> Link:
    """Return the link that a `<link>` under `<robot>` describes.

    Raises:
        UrdfError: it has no name, or its first `<visual>` breaks a rule.
    """
    place = _Place(element)
    name = place.name()
    visual = element.first("visual")
    return Link(name, None if visual is None else _visual(place, visual), element.line)


def read_joint(element: Element) -> Joint:
    """Return the joint that a `<joint>` under `<robot>` describes.

    Raises:
        UrdfError: a part is missing, doubled or malformed.
    """
    place = _Place(element)
    name = place.name()
    kind = element.attributes.get("type")
    if kind is None:
        place.refuse("no type attribute; " + _one_of(JOINT_TYPES))
    if kind not in JOINT_TYPES:
        place.refuse(f"type {quote(kind)}; " + _one_of(JOINT_TYPES))
    parent, child = (_end(place, tag) for tag in ("parent", "child"))
    origin = place.at_most_one("origin")
    axis = place.at_most_one("axis")
    return Joint(
        name=name,
        type=kind,
        parent=parent,
        child=child,
        origin=Origin() if origin is None else _origin(place, origin),
        axis=_axis(place, axis, kind),
        limit=_limit(place) if kind in LIMITED_TYPES else None,
        line=element.line,
    )


def _one_of(words: tuple[str, ...]) -> str:
    return ", ".join(words[:-1]) + f" or {words[-1]} expected"


def _end(place: _Place, tag: str) -> str:
    """Return the link that `<parent>` or `<child>` names."""
    element = place.at_most_one(tag)
    if element is None:
        place.refuse(f"no <{tag}> element; <{tag} link='…'/> expected")
    link = element.attributes.get("link")
    if link is None:
        place.refuse(f"{place.part(element)}: no link attribute; a link's name expected", element)
    return link


def _origin(place: _Place, element: Element, label: str = "") -> Origin:
    xyz = place.value(element, "xyz", vector, label)
    rpy = place.value(element, "rpy", vector, label)
    return Origin(xyz or ZERO, rpy or ZERO)


def _axis(place: _Place, element: Element | None, kind: str) -> Vector:
    axis = None if element is None else place.value(element, "xyz", vector)
    if axis is None:
        return DEFAULT_AXIS
    if element is not None and kind != "fixed" and not any(axis):
        place.refuse(f"{place.part(element)}: xyz is zero; a direction expected", element)
    return axis


def _limit(place: _Place) -> Limit:
    element = place.at_most_one("limit")
    if element is None:
        place.refuse("no <limit> element; <limit lower='…' upper='…'/> expected")
    lower = place.value(element, "lower", number)
    upper = place.value(element, "upper", number)
    return Limit(lower or 0.0, upper or 0.0)


def _visual(place: _Place, element: Element) -> Visual:
    label = "first <visual>: "
    origins = element.all("origin")
    geometry = element.first("geometry")
    if geometry is None:
        place.refuse(f"{label}no <geometry>; " + SHAPES, element)
    if not geometry.children:
        place.refuse(f"{label}<geometry> is empty; " + SHAPES, geometry)
    shape = geometry.children[0]
    if shape.tag not in READ_SHAPE:
        place.refuse(f"{label}<geometry> holds {place.part(shape)}; " + SHAPES, shape)
    return Visual(
        _origin(place, origins[0], label) if origins else Origin(),
        READ_SHAPE[shape.tag](place, shape),
    )


def _needed(place: _Place, shape: Element, attribute: str, convert: Callable[[str], T]) -> T:
    value = place.value(shape, attribute, convert, "first <visual>: ")
    if value is None:
        part = place.part(shape, "first <visual>: ")
        right = "three numbers" if convert is vector else "one number"
        place.refuse(f"{part}: no {attribute} attribute; {right} expected", shape)
    return value


def _box(place: _Place, shape: Element) -> Shape:
    return Box(_needed(place, shape, "size", vector))


def _cylinder(place: _Place, shape: Element) -> Shape:
    return Cylinder(*(_needed(place, shape, name, number) for name in ("radius", "length")))


def _sphere(place: _Place, shape: Element) -> Shape:
    return Sphere(_needed(place, shape, "radius", number))


def _mesh(place: _Place, shape: Element) -> Shape:
    filename = shape.attributes.get("filename")
    if filename is None:
        part = place.part(shape, "first <visual>: ")
        place.refuse(f"{part}: no filename attribute; a file's name expected", shape)
    scale = place.value(shape, "scale", vector, "first <visual>: ")
    return Mesh(filename) if scale is None else Mesh(filename, scale)


READ_SHAPE: Final[Mapping[str, Callable[[_Place, Element], Shape]]] = {
    "box": _box,
    "cylinder": _cylinder,
    "sphere": _sphere,
    "mesh": _mesh,
}
