"""Read robot descriptions (URDF) strictly: text in, `Robot` or `UrdfError` out."""

from urdf.errors import UrdfError
from urdf.model import (
    Box,
    Cylinder,
    Joint,
    Limit,
    Link,
    Mesh,
    Origin,
    Robot,
    Shape,
    Sphere,
    Visual,
)
from urdf.parser import parse

__all__ = [
    "Box",
    "Cylinder",
    "Joint",
    "Limit",
    "Link",
    "Mesh",
    "Origin",
    "Robot",
    "Shape",
    "Sphere",
    "UrdfError",
    "Visual",
    "parse",
]
