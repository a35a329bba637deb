"""Where a visual or collision stands, and the shape that it has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from urdf.document import Element
from urdf.model import Box, Cylinder, Mesh, Origin, Shape, Sphere
from urdf.place import Place
from urdf.scalars import number, vector

ZERO: Final = (0.0, 0.0, 0.0)
SHAPES: Final = "box, cylinder, sphere or mesh expected"


def read_origin(place: Place, element: Element, label: str = "") -> Origin:
    """Return the pose that an `<origin>` gives; what it leaves out is zero."""
    xyz = place.value(element, "xyz", vector, label)
    rpy = place.value(element, "rpy", vector, label)
    return Origin(xyz or ZERO, rpy or ZERO)


def read_geometry(place: Place, element: Element, label: str) -> tuple[Origin, Shape]:
    """Return where the shape of a `<visual>` or `<collision>` stands, and the shape.

    Args:
        place: the link.
        element: the part of it.
        label: how a sentence names that part, such as "first <visual>: ".

    Raises:
        UrdfError: there is no shape, or none of these, or its sizes are no numbers.
    """
    origins = element.all("origin")
    geometry = element.first("geometry")
    if geometry is None:
        place.refuse(f"{label}no <geometry>; " + SHAPES, element)
    if not geometry.children:
        place.refuse(f"{label}<geometry> is empty; " + SHAPES, geometry)
    shape = geometry.children[0]
    if shape.tag not in READ_SHAPE:
        place.refuse(f"{label}<geometry> holds {place.part(shape)}; " + SHAPES, shape)
    origin = read_origin(place, origins[0], label) if origins else Origin()
    return origin, READ_SHAPE[shape.tag](place, shape, label)


def _box(place: Place, shape: Element, label: str) -> Shape:
    return Box(place.needed(shape, "size", vector, label))


def _cylinder(place: Place, shape: Element, label: str) -> Shape:
    radius = place.needed(shape, "radius", number, label)
    return Cylinder(radius, place.needed(shape, "length", number, label))


def _sphere(place: Place, shape: Element, label: str) -> Shape:
    return Sphere(place.needed(shape, "radius", number, label))


def _mesh(place: Place, shape: Element, label: str) -> Shape:
    filename = shape.attributes.get("filename")
    if filename is None:
        part = place.part(shape, label)
        place.refuse(f"{part}: no filename attribute; a file's name expected", shape)
    scale = place.value(shape, "scale", vector, label)
    return Mesh(filename) if scale is None else Mesh(filename, scale)


READ_SHAPE: Final[Mapping[str, Callable[[Place, Element, str], Shape]]] = {
    "box": _box,
    "cylinder": _cylinder,
    "sphere": _sphere,
    "mesh": _mesh,
}
