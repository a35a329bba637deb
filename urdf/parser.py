"""The whole way from a parameter's value to a `Robot`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from urdf.bodies import require_bodies
from urdf.document import READ, READ_EXTENDED, Element, Wanted, read
from urdf.elements import read_joint, read_link
from urdf.errors import UrdfError
from urdf.extended import read_extended_joint, read_extended_link, read_material
from urdf.mimic import flatten
from urdf.model import EXTENDED, STRICT, Joint, Link, Material, Robot
from urdf.tree import make_tree

Profile = tuple[Wanted, Callable[[Element], Link], Callable[[Element], Joint]]
PROFILES: Final[Mapping[str, Profile]] = {
    STRICT: (READ, read_link, read_joint),
    EXTENDED: (READ_EXTENDED, read_extended_link, read_extended_joint),
}
DEFAULT_NAME: Final = "robot"
XACRO: Final = "<xacro:"  # a frequent mistake: the file from which the URDF is yet to be made
JSON_TYPES: Final = {
    type(None): "null",
    bool: "true or false",
    int: "a number",
    float: "a number",
    list: "an array",
    dict: "an object",
}


def parse(value: object, profile: str = STRICT, *, strict_inertial: bool = False) -> Robot:
    """Read a robot description.

    Args:
        value: the parameter's value; the text of a URDF file, if it is a description at all.
        profile: "strict" for links, joints and first visuals; "extended" for bodies, collisions,
            motors, mimics and further joint types too.
        strict_inertial: refuse a moving link whose mass and inertia are missing or those of no
            body. It takes the extended profile; without it, `findings` tells of them.

    Returns:
        The robot, links and joints in document order.

    Raises:
        UrdfError: the value breaks a rule. Nothing else is raised for any value.
        ValueError: there is no such profile, or the strict one is to look at inertias.
    """
    if profile not in PROFILES:
        raise ValueError(f"profile {profile!r}; one of {', '.join(PROFILES)} expected")
    if strict_inertial and profile == STRICT:
        raise ValueError("strict_inertial with the strict profile; profile='extended' expected")
    if not isinstance(value, str):
        what = JSON_TYPES.get(type(value), f"a {type(value).__name__}")
        raise UrdfError(
            f"the description is {what}; a string with the text of a URDF file expected"
        )
    robot, materials = _robot(value, *PROFILES[profile])
    if profile == STRICT:
        return robot
    flatten(robot.joints)
    if strict_inertial:
        require_bodies(robot)
    return replace(robot, materials=materials, profile=profile)


def _robot(
    text: str,
    wanted: Wanted,
    link_of: Callable[[Element], Link],
    joint_of: Callable[[Element], Joint],
) -> tuple[Robot, tuple[Material, ...]]:
    """Return what a text makes of those elements that are wanted."""
    root = read(text, wanted)
    links: list[Link] = []
    joints: list[Joint] = []
    materials: list[Material] = []
    for element in root.children:
        if element.tag == "link":
            links.append(link_of(element))
        elif element.tag == "joint":
            joints.append(joint_of(element))
        else:
            materials.append(read_material(element))
    if not links and XACRO in text:
        raise UrdfError(
            "the robot has no link, but xacro elements, which are not expanded here; "
            "the text that xacro makes of them expected"
        )
    robot = make_tree(root.attributes.get("name", DEFAULT_NAME), links, joints)
    return robot, tuple(materials)
