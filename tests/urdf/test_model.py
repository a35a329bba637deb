"""A robot is plain data: it does not change, compares by what it says, and travels."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import pytest

import urdf
from tests.support.arm import ARM, arm, joint, more, shape
from tests.support.full import FULL

SHAPES = (
    '<box size="1 2 3"/>',
    '<cylinder radius="1" length="2"/>',
    '<sphere radius="1"/>',
    '<mesh filename="f" scale="1 1 2"/>',
)
ROBOT = urdf.parse(ARM)
WHOLE = urdf.parse(FULL, "extended")
EVERY_KIND = (
    ROBOT,
    ROBOT.links[0],
    ROBOT.joints[0],
    ROBOT.joints[0].origin,
    ROBOT.joints[0].limit,
    ROBOT.links[0].visual,
    WHOLE,
    urdf.findings(urdf.parse(ARM, "extended"))[0],
    WHOLE.materials[0],
    WHOLE.links[0].collisions[0],
    WHOLE.links[1].inertial,
    WHOLE.joints[0].dynamics,
    WHOLE.joints[0].safety,
    WHOLE.joints[1].mimic,
    *(found.shape for text in SHAPES if (found := urdf.parse(shape(text)).links[0].visual)),
)


def test_every_kind_is_there() -> None:
    exported = (getattr(urdf, name) for name in urdf.__all__)
    assert {type(value) for value in EVERY_KIND} == {
        kind for kind in exported if dataclasses.is_dataclass(kind)
    }


@pytest.mark.parametrize("value", EVERY_KIND, ids=lambda value: type(value).__name__)
def test_does_not_change_and_travels(value: Any) -> None:
    for field in dataclasses.fields(value):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, field.name, None)
    assert not hasattr(value, "__dict__")
    for twin in (pickle.loads(pickle.dumps(value)), copy.deepcopy(value)):
        assert twin == value
        assert hash(twin) == hash(value)


def test_where_it_stands_in_the_text_is_no_part_of_what_it_says() -> None:
    lower = urdf.parse(f"\n\n{ARM}")
    assert lower == ROBOT
    assert [link.line for link in lower.links] == [4, 5]
    assert (ROBOT.joints[0].line, lower.joints[0].line) == (4, 6)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('xyz="0 0 1" rpy', 'xyz="0 0 2" rpy'),
        ('lower="-2"', 'lower="-3"'),
        ("revolute", "prismatic"),
        ('size="1 2 3"', 'size="1 2 4"'),
    ],
)
def test_what_it_says_is_compared_whole(old: str, new: str) -> None:
    assert urdf.parse(arm((old, new))) != ROBOT


def test_the_defaults_of_the_data_are_those_of_the_format() -> None:
    bare = more('<link name="c"/>' + joint("k", "b", "c"))
    assert urdf.parse(bare).joints[1] == urdf.Joint("k", "fixed", "b", "c")
    assert urdf.parse(bare).links[2] == urdf.Link("c")
    assert urdf.Joint("k", "fixed", "b", "c").axis == (1.0, 0.0, 0.0)
    assert urdf.Origin() == urdf.Origin((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    mesh = urdf.parse(shape('<mesh filename="f"/>')).links[0].visual
    assert mesh == urdf.Visual(urdf.Origin(), urdf.Mesh("f"))


def test_only_a_fixed_joint_does_not_move() -> None:
    kinds = ("revolute", "continuous", "prismatic", "fixed")
    robots = [urdf.parse(arm(("revolute", kind))) for kind in kinds]
    assert [robot.joints[0].movable for robot in robots] == [True, True, True, False]


def test_joints_from_the_root_outward() -> None:
    links = "".join(f'<link name="{name}"/>' for name in "cdef")
    pairs = (("d", "e"), ("b", "d"), ("a", "c"), ("c", "f"))  # the last of a branch first
    joints = "".join(joint(f"{parent}{child}", parent, child) for parent, child in pairs)
    robot = urdf.parse(more(links + joints))
    assert [one.name for one in robot.joints] == ["j", "de", "bd", "ac", "cf"]
    order = [one.name for one in robot.joints_parent_first()]
    assert order == ["j", "bd", "de", "ac", "cf"]  # each branch to its end, as the text has them


def test_a_refusal_travels() -> None:
    with pytest.raises(urdf.UrdfError) as caught:
        urdf.parse(more("<link/>"))
    twin = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(twin, urdf.UrdfError)
    assert str(twin) == str(caught.value)
    assert (twin.line, twin.column) == (caught.value.line, caught.value.column) == (8, 1)
