"""What an accepted description means: the pose of link b, and the data that is read."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import pytest

import urdf
from tests.support import plain_fk
from tests.support.arm import ARM, AXIS, JOINT, LIMIT, LINK_B, ORIGIN, VISUAL, arm, kind, shape, xyz

C, S = math.cos(0.7), math.sin(0.7)
POSES_OF_B: Mapping[str, tuple[str, plain_fk.Matrix]] = {
    "a revolute joint turns about its axis": (ARM, (C, -S, 0, 0, S, C, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1)),
    "a revolute axis of length 2 turns no further": (
        arm((AXIS, '<axis xyz="0 0 2"/>')),
        (C, -S, 0, 0, S, C, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1),
    ),
    "without an axis the turn is about x": (
        arm((AXIS, "")),
        (1, 0, 0, 0, 0, C, -S, 0, 0, S, C, 1, 0, 0, 0, 1),
    ),
    "a value beyond the limit is not clamped": (
        arm((LIMIT, '<limit lower="0" upper="0.1"/>')),
        (C, -S, 0, 0, S, C, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1),
    ),
    "a continuous joint turns as a revolute one": (
        kind("continuous"),
        (C, -S, 0, 0, S, C, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1),
    ),
    "a prismatic axis counts with its length": (
        kind("prismatic", (AXIS, '<axis xyz="2 0 0"/>')),
        (1, 0, 0, 1.4, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1),
    ),
    "a prismatic joint moves in the turned frame": (
        kind("prismatic", ('rpy="0 0 0"', 'rpy="0 0 1.5707963267948966"'), (AXIS, "")),
        (0, -1, 0, 0, 1, 0, 0, 0.7, 0, 0, 1, 1, 0, 0, 0, 1),
    ),
    "a fixed joint does not move": (kind("fixed"), (1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1)),
    "no origin is no offset": (
        kind("fixed", (ORIGIN, "")),
        plain_fk.IDENTITY,
    ),
    "roll, then pitch, then yaw, about axes that stay": (  # Rz(90°) Ry(90°) Rx(90°): x to -z, z to x
        kind("fixed", ('rpy="0 0 0"', f'rpy="{math.pi / 2} {math.pi / 2} {math.pi / 2}"')),
        (0, 0, 1, 0, 0, 1, 0, 0, -1, 0, 0, 1, 0, 0, 0, 1),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "wanted"), POSES_OF_B.values(), ids=POSES_OF_B)
def test_means_the_pose(text: str, wanted: plain_fk.Matrix) -> None:
    found = plain_fk.poses(urdf.parse(text), {"j": 0.7})["b"]
    assert plain_fk.agree(found, wanted, 1e-15)


DATA: Mapping[str, tuple[str, Callable[[urdf.Robot], object], object]] = {
    "the name that stands in for none": ("<robot><link name='a'/></robot>", lambda r: r.name, "robot"),
    "a missing limit is 0": (
        arm((LIMIT, '<limit upper="1"/>')), lambda r: r.joints[0].limit, urdf.Limit(0.0, 1.0)),
    "the other missing limit is 0": (
        arm((LIMIT, '<limit lower="-1"/>')), lambda r: r.joints[0].limit, urdf.Limit(-1.0, 0.0)),
    "both limits missing are 0": (
        arm((LIMIT, "<limit/>")), lambda r: r.joints[0].limit, urdf.Limit(0.0, 0.0)),
    "limits of 0": (
        arm((LIMIT, '<limit lower="0" upper="-0"/>')), lambda r: r.joints[0].limit, urdf.Limit(0.0, 0.0)),
    "a lower limit above the upper one is kept": (
        arm((LIMIT, '<limit lower="2" upper="1"/>')), lambda r: r.joints[0].limit, urdf.Limit(2.0, 1.0)),
    "limits are the doubles nearest to the text": (
        arm((LIMIT, '<limit lower="-1.2345678901234567" upper="0.1"/>')),
        lambda r: r.joints[0].limit, urdf.Limit(-1.2345678901234567, 0.1)),
    "a continuous joint has no limit": (kind("continuous"), lambda r: r.joints[0].limit, None),
    "an axis is kept as written": (
        arm((AXIS, '<axis xyz="0 3 4"/>')), lambda r: r.joints[0].axis, (0.0, 3.0, 4.0)),
    "what underflows is 0": (xyz("1e-400 0 1"), lambda r: r.joints[0].origin.xyz, (0.0, 0.0, 1.0)),
    "the root is found by the joints": (
        f"<robot>{LINK_B}{JOINT}<link name='a'/></robot>", lambda r: r.root_link, "a"),
    "links in document order": (
        f"<robot>{LINK_B}{JOINT}<link name='a'/></robot>", lambda r: [k.name for k in r.links], ["b", "a"]),
    "names after decoding": (
        arm((LINK_B, '<link name="&lt;b&#x20;&gt;"/>'), ('<child link="b"/>', '<child link="&lt;b &#62;"/>')),
        lambda r: r.links[1].name, "<b >"),
    "the first visual": (
        arm((VISUAL, f'{VISUAL}<visual><geometry><sphere radius="9"/></geometry></visual>')),
        lambda r: r.links[0].visual, urdf.Visual(urdf.Origin(), urdf.Box((1.0, 2.0, 3.0)))),
    "a cylinder's radius and length": (
        shape('<cylinder length="3" radius="2"/>'),
        lambda r: r.links[0].visual and r.links[0].visual.shape, urdf.Cylinder(2.0, 3.0)),
    "a sphere's radius": (
        shape('<sphere radius="2"/>'),
        lambda r: r.links[0].visual and r.links[0].visual.shape, urdf.Sphere(2.0)),
    "a mesh's scale of 1": (
        shape('<mesh filename="f"/>'),
        lambda r: r.links[0].visual and r.links[0].visual.shape, urdf.Mesh("f", (1.0, 1.0, 1.0))),
}  # fmt: skip


@pytest.mark.parametrize(("text", "read", "wanted"), DATA.values(), ids=DATA)
def test_reads(text: str, read: Callable[[urdf.Robot], object], wanted: object) -> None:
    assert read(urdf.parse(text)) == wanted
