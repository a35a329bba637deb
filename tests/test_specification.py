"""Every duty of a reader of robot descriptions, one row each: the rule, and a text that tries it."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

import urdf
from tests.support.arm import (
    ARM,
    AXIS,
    BOX,
    END,
    JOINT,
    LIMIT,
    LINK_B,
    ORIGIN,
    VISUAL,
    arm,
    joint,
    kind,
    more,
    shape,
    xyz,
)

ACCEPTED: Mapping[str, str] = {
    "the arm itself": ARM,
    "one link is a robot": '<robot><link name="only"/></robot>',
    "a robot needs no name": arm(('<robot name="arm">', "<robot>")),
    "a robot needs no joint": '<robot name="r"><link name="only"/></robot>',
    "joints may stand before their links": f"<robot>{JOINT}<link name='b'/><link name='a'/></robot>",
    "the root link need not be the first": arm((LINK_B, ""), ('<link name="a">', f'{LINK_B}<link name="a">')),
    "a continuous joint needs no limit": kind("continuous", (LIMIT, "")),
    "a continuous joint's limit is not looked at": kind(
        "continuous", (LIMIT, '<limit lower="oops" upper="nan"/>')
    ),
    "a fixed joint needs no limit": kind("fixed", (LIMIT, "")),
    "a fixed joint's limit is not looked at": kind("fixed", (LIMIT, '<limit lower="oops"/>')),
    "a fixed joint's axis may be zero": kind("fixed", (AXIS, '<axis xyz="0 0 0"/>')),
    "a prismatic joint with a limit": kind("prismatic"),
    "an origin may be absent": arm((ORIGIN, "")),
    "an origin may be empty": arm((ORIGIN, "<origin/>")),
    "an axis may be absent": arm((AXIS, "")),
    "an axis may be empty": arm((AXIS, "<axis/>")),
    "a limit may be empty": arm((LIMIT, "<limit/>")),
    "effort and velocity are not looked at": arm(
        (LIMIT, '<limit lower="-2" upper="2" effort="much" velocity=""/>')
    ),
    "an axis of any length": arm((AXIS, '<axis xyz="0 0 1e-300"/>')),
    "a later visual has no effect": arm((VISUAL, f"{VISUAL}<visual><origin/></visual>{VISUAL}")),
    "a link needs no visual": arm((VISUAL, "")),
    "a visual with an origin and a material": arm(
        (VISUAL, f'<visual><origin rpy="0 0 1"/><material name="m"/>{VISUAL[8:]}')
    ),
    "a cylinder": shape('<cylinder radius="0.5" length="1"/>'),
    "a sphere": shape('<sphere radius=" 0.5 "/>'),
    "a mesh": shape('<mesh filename="package://x/y.stl"/>'),
    "a mesh with a scale": shape('<mesh filename="y.stl" scale="1 1 2"/>'),
    "the first shape is the shape": shape(f"{BOX}<capsule/>"),
    "collisions are not looked at": arm(
        (VISUAL, '<collision><origin xyz="x"/><geometry><capsule/></geometry></collision>')
    ),
    "inertias are not looked at": arm((VISUAL, '<inertial><mass value="heavy"/></inertial>')),
    "a mimic joint is a joint": arm((AXIS, f'{AXIS}<mimic joint="nobody" multiplier="x"/>')),
    "safety, calibration and dynamics are not looked at": arm(
        (AXIS, f'{AXIS}<safety_controller k="x"/><calibration rising="x"/><dynamics damping="x"/>')
    ),
    "links and joints of other elements are not the robot's": more(
        '<gazebo><link/><joint name="j"/></gazebo>'
        '<transmission name="t"><type>x</type><joint name="j"/></transmission>'
        '<world><link name="ghost"/><joint name="g" type="floating"/></world>'
    ),
    "a joint in a link and a link in a joint are no part of the robot": arm(
        (LINK_B, '<link name="b"><joint/></link>'), (AXIS, f"{AXIS}<link/>")
    ),
    "a parent deeper in the joint is not the joint's": arm(
        (AXIS, f'{AXIS}<extra><parent link="nobody"/><limit lower="x"/></extra>')
    ),
    "unknown elements and attributes at any depth": arm(
        (AXIS, '<axis rpy="x" xyz="0 0 1" foo="1"/><joint_properties damping="x"><y/></joint_properties>')
    ),
    "numbers in every form": xyz("+1 .25 3."),
    "numbers with exponents": xyz("1.5e-1 -2E+0 -0.5"),
    "a number too small for a double": xyz("1e-400 -1e-400 0e999"),
    "leading zeros": xyz("007 -00 +00.5"),
    "numbers apart by any XML white space": xyz("  0 \t 0 \r\n 1 &#9;&#10;&#13; "),
    "white space round one number": arm((LIMIT, '<limit lower=" -2 " upper="&#10;2"/>')),
    "white space before the first element": f" \t\r\n\n{ARM}",
    "an XML declaration": f'<?xml version="1.0"?>\n{ARM}',
    "an XML declaration with an encoding": f'<?xml version="1.0" encoding="utf-8"?>{ARM}',
    "an XML declaration in single quotes": f"<?xml version='1.0' encoding='UTF-8' standalone='yes'?>{ARM}",
    "processing instructions": f"<?one?>{more('<?two <joint> ?>')}<?three?>",
    "comments with markup in them": f"<!-- <robot> -->{more('<!-- <joint name=x> & -->')}<!-- -->",
    "comments in everything that is read": arm((BOX, f"<!-- <capsule/> -->{BOX}<!-- -->")),
    "a namespace prefix that is declared only": arm(
        ('<robot name="arm">', '<robot xmlns:xacro="http://www.ros.org/wiki/xacro">')
    ),
    "a default namespace": arm(('<robot name="arm">', '<robot xmlns="http://example.org/u">')),
    "single quotes": ARM.replace('"', "'"),
    "white space round an equals sign": ARM.replace('="', ' \n= "'),
    "paired tags": arm(('<parent link="a"/>', '<parent link="a"></parent>'), (AXIS, f"{AXIS[:-2]}>\n</axis>")),
    "the five predefined entities": ARM.replace('"b"', '"&amp;&lt;&gt;&quot;&apos;"'),
    "a name written with and without a character reference": arm(
        (LINK_B, '<link name="b&#x62;&#98;"/>'), ('<child link="b"/>', '<child link="bbb"/>')
    ),
    "character references in a number": xyz("&#48;&#x20;0 &#49;"),
    "character data sections": more("<gazebo><![CDATA[ <joint> & ]]></gazebo>"),
    "text between elements": more("stray text &amp; more"),
    "CRLF line endings": ARM.replace("\n", "\r\n"),
    "no white space at all": ARM.replace("\n", ""),
    "names in any script": ARM.replace('"b"', '"bras_é 腕"').replace("<link", "<!-- 臂 --><link"),
    "names that differ in case": f"{arm((END, ''))}<link name='A'/>{joint('J', 'a', 'A')}{END}",
    "a joint may be named like a link": arm(('name="j"', 'name="a"')),
    "a branching tree": more(f'<link name="c"/><link name="d"/>{joint("k", "a", "c")}{joint("l", "c", "d")}'),
}  # fmt: skip

REFUSED: Mapping[str, object] = {
    "null": None,
    "true": True,
    "a number": 5,
    "an array": [ARM],
    "an object": {"robot": ARM},
    "bytes": ARM.encode(),
    "nothing": "",
    "white space": " \r\n\t",
    "plain words": "robot",
    "an element that stays open": ARM[: -len(END)],
    "tags that cross": more("<x><y></x></y>"),
    "two elements at the top": ARM + ARM,
    "text after the end": f"{ARM} more",
    **{f"{text!r} before the first element": text + ARM for text in ("?", "x", "\u00a0", "\v", ">")},
    "an attribute without quotes": arm(('name="j"', "name=j")),
    "an attribute twice": arm(('name="j"', 'name="j" name="j"')),
    "an ampersand of its own": arm((LINK_B, '<link name="b" note="b & c"/>')),
    "a comment with two hyphens": more("<!-- a -- b -->"),
    "a character that XML has not": more("\x01"),
    "half a surrogate pair": more("\ud800"),
    "another root element": ARM.replace("robot", "model"),
    "a root element of another case": ARM.replace("robot", "Robot"),
    "a robot deeper in the text": f"<sdf>{ARM}</sdf>",
    "no link": '<robot name="r"/>',
    "a link only deeper in the robot": '<robot><group><link name="a"/></group></robot>',
    "a link without a name": more("<link/>"),
    "a link with a mistyped name": arm((LINK_B, '<link nmae="b"/>')),
    "a joint without a name": arm(('name="j"', "")),
    "a joint without a type": arm(('type="revolute"', "")),
    "a floating joint": kind("floating"),
    "a planar joint": kind("planar"),
    "an unknown type": kind("hinge"),
    "a type of another case": kind("Revolute"),
    "a type with white space": kind(" revolute"),
    "an empty type": kind(""),
    "no parent": arm(('<parent link="a"/>', "")),
    "no child": arm(('<child link="b"/>', "")),
    "a parent without a link": arm(('<parent link="a"/>', "<parent/>")),
    "a child without a link": arm(('<child link="b"/>', '<child name="b"/>')),
    "a parent deeper in the joint": arm(('<parent link="a"/>', '<x><parent link="a"/></x>')),
    "a parent that is no link": arm(('<parent link="a"/>', '<parent link="j"/>')),
    "a child that is no link": arm(('<child link="b"/>', '<child link="B"/>')),
    "a link of other elements": arm((LINK_B, '<gazebo><link name="b"/></gazebo>')),
    "two roots": more('<link name="c"/>'),
    "no root": more(joint("k", "b", "a")),
    "a revolute joint without a limit": arm((LIMIT, "")),
    "a prismatic joint without a limit": kind("prismatic", (LIMIT, "")),
    "a limit deeper in the joint": arm((LIMIT, f"<x>{LIMIT}</x>")),
    "a lower limit that is no number": arm((LIMIT, '<limit lower="x" upper="2"/>')),
    "an upper limit that is no number": arm((LIMIT, '<limit lower="-2" upper="2 rad"/>')),
    "an empty limit attribute": arm((LIMIT, '<limit lower="" upper="2"/>')),
    "two numbers": xyz("0 1"),
    "four numbers": xyz("0 0 1 0"),
    "an empty vector": xyz(""),
    "a blank vector": xyz(" &#10; "),
    "commas": xyz("0,0,1"),
    "a decimal comma": xyz("0 0 1,57"),
    "a malformed rpy": arm(('rpy="0 0 0"', 'rpy="0 0 zero"')),
    "a malformed axis": arm((AXIS, '<axis xyz="0 1"/>')),
    "a malformed axis of a fixed joint": kind("fixed", (AXIS, '<axis xyz="0 z 1"/>')),
    "a malformed origin of a fixed joint": kind("fixed", (ORIGIN, '<origin xyz="0"/>')),
    "a visual without a geometry": arm((VISUAL, "<visual/>")),
    "an empty geometry": shape(""),
    "a geometry deeper in the visual": arm((VISUAL, f"<visual><x>{VISUAL[8:-9]}</x></visual>")),
    "a capsule": shape('<capsule radius="1" length="1"/>'),
    "a capsule before a box": shape(f"<capsule/>{BOX}"),
    "a shape of another case": shape('<Box size="1 2 3"/>'),
    "a box without a size": shape("<box/>"),
    "a box of two numbers": shape('<box size="1 2"/>'),
    "a cylinder without a radius": shape('<cylinder length="1"/>'),
    "a cylinder without a length": shape('<cylinder radius="1"/>'),
    "a cylinder of a malformed length": shape('<cylinder radius="1" length="1m"/>'),
    "a sphere without a radius": shape("<sphere/>"),
    "a sphere of a malformed radius": shape('<sphere radius="r"/>'),
    "a mesh without a filename": shape('<mesh scale="1 1 1"/>'),
    "a mesh of a malformed scale": shape('<mesh filename="x" scale="2"/>'),
    "a malformed origin of a visual": arm((VISUAL, f'<visual><origin rpy="0"/>{VISUAL[8:]}')),
    **{
        f"the token {token!r}": xyz(f"0 0 {token}")
        for token in ("two", "x", "1_000", "0,5", ".", "+", "-", "1e", "e1", "1e+", "--1", "1-", "1.2.3")
    },
    **{f"the digits {token!r}": xyz(f"0 0 {token}") for token in ("\uff11", "\u0661", "1\u00a02", "0b1", "\u00b2", "1f")},
}  # fmt: skip


@pytest.mark.parametrize("text", ACCEPTED.values(), ids=ACCEPTED)
def test_accepts(text: str) -> None:
    robot = urdf.parse(text)
    assert len(robot.joints) == len(robot.links) - 1


@pytest.mark.parametrize("value", REFUSED.values(), ids=REFUSED)
def test_refuses(value: object) -> None:
    with pytest.raises(urdf.UrdfError):
        urdf.parse(value)
