"""Texts by the thousand: any of them ends in a robot or a refusal, and each robot is itself."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

import urdf
from tests.support import plain_fk
from tests.support.arm import ARM
from tests.support.robots import Writer, robots

CHOICES = st.integers(0, 2**32).map(random.Random)
PIECES = st.sampled_from(
    [
        *(
            "<robot>",
            "</robot>",
            "<robot name='r'>",
            "<link name='a'/>",
            "<link name='b'>",
            "</link>",
        ),
        *("<joint name='j' type='fixed'>", "</joint>", "<parent link='a'/>", "<child link='b'/>"),
        *("<visual>", "</visual>", "<geometry>", "</geometry>", "<origin xyz='1 2 3'/>", "<axis/>"),
        *("<limit lower='x'/>", "<!--", "-->", "<![CDATA[", "]]>", "<?xml", "?>", "&#0;", "&lt;"),
        *("<!DOCTYPE robot [", "<!ENTITY e 'x'>", "]>", "&e;", "\ufeff", "\ud800", "\x00", "\n"),
        *("<x:link ", "xmlns:x='y'", "xmlns=''", "xml:space='preserve'", "name=", "'", '"', "/>"),
    ]
)


def ends(value: object) -> urdf.Robot | None:
    """Parse; whatever is no `UrdfError` goes through and fails the test."""
    try:
        robot = urdf.parse(value)
    except urdf.UrdfError as error:
        assert str(error).isprintable()  # noqa: PT017 - either end is right
        return None
    names = [link.name for link in robot.links]
    order = robot.joints_parent_first()
    assert sorted(joint.name for joint in order) == sorted(joint.name for joint in robot.joints)
    placed = {robot.root_link}
    for joint in order:
        assert joint.parent in placed
        placed.add(joint.child)
    assert placed == set(names)
    return robot


@given(st.text())
def test_any_text(text: str) -> None:
    ends(text)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists))
def test_any_value(value: object) -> None:
    ends(value)


@given(st.lists(PIECES, max_size=25).map("".join))
def test_any_row_of_pieces(text: str) -> None:
    ends(text)


@given(robots(), CHOICES, st.data())
def test_a_robot_written_anyhow_and_then_damaged(
    robot: urdf.Robot, choices: random.Random, data: st.DataObject
) -> None:
    text = Writer(choices).write(robot)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        gone = data.draw(st.integers(0, 8))
        text = text[:at] + data.draw(st.text(max_size=3) | PIECES) + text[at + gone :]
    ends(text)


@given(st.integers(0, len(ARM)), st.integers(1, 30), st.integers(0, len(ARM)))
def test_the_arm_with_a_part_moved(begin: int, size: int, to: int) -> None:
    rest = ARM[:begin] + ARM[begin + size :]
    ends(rest[:to] + ARM[begin : begin + size] + rest[to:])


@settings(max_examples=150)
@given(robots(), CHOICES)
def test_a_robot_written_anyhow_is_read_as_it_is(robot: urdf.Robot, choices: random.Random) -> None:
    assert ends(Writer(choices).write(robot)) == robot


@given(robots(), CHOICES)
def test_the_order_of_joints_and_links_changes_no_pose(
    robot: urdf.Robot, choices: random.Random
) -> None:
    first = urdf.parse(Writer(choices).write(robot))
    shuffled = urdf.Robot(
        robot.name,
        tuple(choices.sample(robot.links, len(robot.links))),
        tuple(choices.sample(robot.joints, len(robot.joints))),
        robot.root_link,
    )
    second = urdf.parse(Writer(choices).write(shuffled))
    assert first.root_link == second.root_link
    assert {j.name: j for j in first.joints} == {j.name: j for j in second.joints}
    if all(abs(v) < 1e6 for j in robot.joints for v in (*j.axis, *j.origin.xyz, *j.origin.rpy)):
        positions = {joint.name: 0.4 for joint in robot.joints}
        assert plain_fk.poses(first, positions) == plain_fk.poses(second, positions)
