"""A small arm for the tests to edit: link a, a revolute joint j, link b."""

from __future__ import annotations

ARM = """<robot name="arm">
<link name="a"><visual><geometry><box size="1 2 3"/></geometry></visual></link>
<link name="b"/>
<joint name="j" type="revolute">
<parent link="a"/><child link="b"/>
<origin xyz="0 0 1" rpy="0 0 0"/><axis xyz="0 0 1"/><limit lower="-2" upper="2"/>
</joint>
</robot>"""

LIMIT = '<limit lower="-2" upper="2"/>'
AXIS = '<axis xyz="0 0 1"/>'
ORIGIN = '<origin xyz="0 0 1" rpy="0 0 0"/>'
BOX = '<box size="1 2 3"/>'
VISUAL = f"<visual><geometry>{BOX}</geometry></visual>"
LINK_B = '<link name="b"/>'
JOINT = ARM[ARM.index("<joint") : ARM.index("</robot>")]
END = "</robot>"


def arm(*edits: tuple[str, str]) -> str:
    """Return the arm's text after some replacements, each of which must find its place."""
    text = ARM
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def more(text: str) -> str:
    """Return the arm with something more before its end."""
    return arm((END, text + END))


def kind(name: str, *edits: tuple[str, str]) -> str:
    """Return the arm with another type of joint."""
    return arm(('type="revolute"', f'type="{name}"'), *edits)


def shape(text: str) -> str:
    """Return the arm with another shape for link a."""
    return arm((BOX, text))


def xyz(text: str) -> str:
    """Return the arm with another place of its joint."""
    return arm(('<origin xyz="0 0 1"', f'<origin xyz="{text}"'))


def joint(name: str, parent: str, child: str, type_: str = "fixed") -> str:
    """Return a joint with nothing but what it must have."""
    return (
        f'<joint name="{name}" type="{type_}"><parent link="{parent}"/>'
        f'<child link="{child}"/></joint>'
    )
