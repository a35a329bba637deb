"""What a link collides with: every `<collision>`, with the shapes that visuals have."""

from __future__ import annotations

from urdf.document import Element
from urdf.model import Collision
from urdf.place import Place
from urdf.shapes import read_geometry


def read_collisions(element: Element) -> tuple[Collision, ...]:
    """Return the collisions of a `<link>`, in document order.

    Raises:
        UrdfError: one has no shape, an unknown one, or one without its sizes.
    """
    place = Place(element)
    return tuple(
        Collision(
            *read_geometry(place, collision, f"<collision> {number}: "),
            collision.attributes.get("name", ""),
            collision.line,
            collision.column,
        )
        for number, collision in enumerate(element.all("collision"), 1)
    )
