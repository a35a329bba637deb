"""The whole way from a parameter's value to a `Robot`."""

from __future__ import annotations

from typing import Final

from urdf.document import read
from urdf.elements import read_joint, read_link
from urdf.errors import UrdfError
from urdf.model import Joint, Link, Robot
from urdf.tree import make_tree

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


def parse(value: object) -> Robot:
    """Read a robot description.

    Args:
        value: the parameter's value; the text of a URDF file, if it is a description at all.

    Returns:
        The robot, links and joints in document order.

    Raises:
        UrdfError: the value breaks a rule. Nothing else is raised for any value.
    """
    if not isinstance(value, str):
        what = JSON_TYPES.get(type(value), f"a {type(value).__name__}")
        raise UrdfError(
            f"the description is {what}; a string with the text of a URDF file expected"
        )
    root = read(value)
    links: list[Link] = []
    joints: list[Joint] = []
    for element in root.children:
        if element.tag == "link":
            links.append(read_link(element))
        else:
            joints.append(read_joint(element))
    if not links and XACRO in value:
        raise UrdfError(
            "the robot has no link, but xacro elements, which are not expanded here; "
            "the text that xacro makes of them expected"
        )
    return make_tree(root.attributes.get("name", DEFAULT_NAME), links, joints)
