"""Read robot descriptions (URDF): text in, `Robot` or `UrdfError` out; strictly, if not asked."""

from urdf.errors import InertialError, MimicError, UnsupportedJointTypeError, UrdfError
from urdf.finding import Finding, findings
from urdf.model import (
    Box,
    Collision,
    Cylinder,
    Dynamics,
    Inertial,
    Joint,
    Limit,
    Link,
    Material,
    Mesh,
    Mimic,
    Origin,
    Robot,
    Safety,
    Shape,
    Sphere,
    Visual,
)
from urdf.parser import parse

__all__ = [
    "Box",
    "Collision",
    "Cylinder",
    "Dynamics",
    "Finding",
    "Inertial",
    "InertialError",
    "Joint",
    "Limit",
    "Link",
    "Material",
    "Mesh",
    "Mimic",
    "MimicError",
    "Origin",
    "Robot",
    "Safety",
    "Shape",
    "Sphere",
    "UnsupportedJointTypeError",
    "UrdfError",
    "Visual",
    "findings",
    "parse",
]
