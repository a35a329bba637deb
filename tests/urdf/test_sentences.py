"""What a refusal says, word for word: where, what came, and what would be right."""

from __future__ import annotations

from typing import Final

import pytest

import urdf
from tests.support.arm import ARM, AXIS, LIMIT, LINK_B, VISUAL, arm, joint, kind, more, shape, xyz
from urdf.malformed import sentence

J: Final = "joint 'j' (line 4, column 1): "
A: Final = "link 'a' (line 2, column 1): first <visual>: "
A_STRING: Final = "; a string with the text of a URDF file expected"
TYPES: Final = "; revolute, continuous, prismatic or fixed expected"
SHAPES: Final = "; box, cylinder, sphere or mesh expected"
MALFORMED: Final = "not well-formed XML"
SIX_LINKS: Final = "".join(f'\n<link name="r{i}"/>' for i in range(6))
RING: Final = f"{joint('m', 'd', 'e')}{joint('k', 'c', 'd')}{joint('l', 'd', 'c')}"

# the value, the sentence, line and column
ROWS: Final[dict[str, tuple[object, str, int | None, int | None]]] = {
    "null": (None, "the description is null" + A_STRING, None, None),
    "boolean": (False, "the description is true or false" + A_STRING, None, None),
    "number": (0.5, "the description is a number" + A_STRING, None, None),
    "array": ([ARM], "the description is an array" + A_STRING, None, None),
    "object": ({}, "the description is an object" + A_STRING, None, None),
    "bytes": (ARM.encode(), "the description is a bytes" + A_STRING, None, None),
    "blank": (" \n\ufeff", "the description is empty; the text of a URDF file expected", None, None),
    "words": (
        "\n robot\nx",
        "not XML (line 2, column 2): the text starts with 'robot'; <robot …> expected", 2, 2),
    "json": (
        '{"robot": 1}',
        "not XML (line 1, column 1): the text starts with '{\"robot\": 1}'; <robot …> expected", 1, 1),
    "surrogate": (
        "<robot>\r\n\r <!-- \udfff -->",
        MALFORMED + " (line 3, column 7): half a surrogate pair; a whole character expected", 3, 7),
    "closing tag": (
        "<robot>\n<link>\n</robot>",
        MALFORMED + " (line 3, column 3): another closing tag than the open element's at 'robot>'; "
        "</link> expected", 3, 3),
    "closing tag in what is skipped": (
        "<robot>\n<gazebo><x/><y></gazebo>\n</robot>",
        MALFORMED + " (line 2, column 18): another closing tag than the open element's at "
        "'gazebo>'; </y> expected", 2, 18),
    "no end": (
        "<robot>\n", MALFORMED + " (line 2, column 1): the text ends too early; </robot> expected", 2, 1),
    "no element": (
        "<!-- x -->",
        MALFORMED + " (line 1, column 11): the text ends too early; <robot …> expected", 1, 11),
    "no end of a tag": (
        "<robot", MALFORMED + " (line 1, column 1): this does not end at '<robot'; > expected", 1, 1),
    "no end of a CDATA section": (
        "<robot><![CDATA[ x",
        MALFORMED + " (line 1, column 19): a CDATA section does not end; ]]> expected", 1, 19),
    "no quotes": (
        "<robot name=x/>",
        MALFORMED + " (line 1, column 13): a character that cannot stand here at 'x/>'; "
        "values in quotes, and < and & as &lt; and &amp;, expected", 1, 13),
    "attribute twice": (
        "<robot name='x' name='x'/>",
        MALFORMED + " (line 1, column 17): an attribute again at \"name='x'/>\"; "
        "each of them once expected", 1, 17),
    "two elements": (
        f"{ARM}\n<x/>",
        MALFORMED + " (line 9, column 1): something after the end of the root element at '<x/>'; "
        "nothing but comments expected", 9, 1),
    "entity": (
        "<robot>&deg;</robot>",
        MALFORMED + " (line 1, column 8): an entity that XML does not define at '&deg;</robot>'; "
        "&lt; &gt; &amp; &quot; &apos; or the number of a character, as in &#233;, expected", 1, 8),
    "character reference": (
        "<robot>&#0;</robot>",
        MALFORMED + " (line 1, column 8): the number of a character that XML does not allow at "
        "'&#0;</robot>'; another character expected", 1, 8),
    "late declaration": (
        "<!-- --><?xml version='1.0'?>",
        MALFORMED + " (line 1, column 9): an XML declaration after something else at "
        '"<?xml version=\'1.0\'?>"; it at the very start, or none, expected', 1, 9),
    "malformed declaration": (
        "<?xml verison='1.0'?><robot/>",
        MALFORMED + " (line 1, column 7): a malformed XML declaration at "
        "\"verison='1.0'?><robot/>\"; <?xml version='1.0'?>, or none, expected", 1, 7),
    "text before the root element": (
        "<!-- -->\nrobot <robot/>",
        MALFORMED + " (line 2, column 1): something outside of the root element at "
        "'robot <robot/>'; <robot …> expected", 2, 1),
    "control character": (
        "<robot>\x00</robot>",
        MALFORMED + " (line 1, column 8): a character that XML does not have at "
        "'\\x00</robot>'; none expected", 1, 8),
    "no character": (
        "<robot name='\uffff'/>",
        MALFORMED + " (line 1, column 14): a character that XML does not have at "
        "\"\\uffff'/>\"; none expected", 1, 14),
    "document type": (
        "<?xml version='1.0'?>\n <!DOCTYPE\nrobot [<!ENTITY e 'x'>]>\n<robot/>",
        "a document type declaration (line 2, column 2); a robot description has none: "
        "leave <!DOCTYPE ...> out", 2, 2),
    "root element": (
        "\n\n<model/>", "the root element is <model> (line 3, column 1); <robot> expected", 3, 1),
    "no link": (
        "<robot/>", "the robot has no link; a <link name='…'/> under <robot> expected", None, None),
    "xacro": (
        '<robot><xacro:macro name="m"><link name="a"/></xacro:macro></robot>',
        "the robot has no link, but xacro elements, which are not expanded here; "
        "the text that xacro makes of them expected", None, None),
    "link without a name": (
        more("<link/>"), "link (line 8, column 1): no name attribute; name='…' expected", 8, 1),
    "joint without a name": (
        arm(('name="j"', "")), "joint (line 4, column 1): no name attribute; name='…' expected", 4, 1),
    "blank name": (
        more('<link name=" &#10;"/>'),
        "link ' \\n' (line 8, column 1): the name is blank; a name expected", 8, 1),
    "no type": (arm(('type="revolute"', "")), f"{J}no type attribute{TYPES}", 4, 1),
    "type": (kind("Revolute"), f"{J}type 'Revolute'{TYPES}", 4, 1),
    "no parent": (
        arm(('<parent link="a"/>', "")),
        f"{J}no <parent> element; <parent link='…'/> expected", 4, 1),
    "no link attribute": (
        arm(('<child link="b"/>', "<child/>")),
        f"{J}<child> on line 5: no link attribute; a link's name expected", 5, 19),
    "two axes": (
        arm((AXIS, f'{AXIS}<axis xyz="0 1 0"/>')),
        f"{J}2 <axis> elements that differ; one expected", 6, 53),
    "two numbers": (
        xyz("0 1"), f"{J}<origin> on line 6: xyz must be three numbers, but holds 2 ('0 1')", 6, 1),
    "no numbers": (
        xyz(""), f"{J}<origin> on line 6: xyz must be three numbers, but is empty", 6, 1),
    "a word": (
        xyz("0 x 1"), f"{J}<origin> on line 6: xyz must be three numbers, but holds 'x'", 6, 1),
    "too large": (
        xyz("0 0 -1e999"),
        f"{J}<origin> on line 6: xyz must be three numbers, but '-1e999' is too large for a double",
        6, 1),
    "two limits in one": (
        arm((LIMIT, '<limit lower="1 2"/>')),
        f"{J}<limit> on line 6: lower must be one number, but holds '1 2'", 6, 53),
    "empty limit": (
        arm((LIMIT, '<limit upper=" "/>')),
        f"{J}<limit> on line 6: upper must be one number, but is empty", 6, 53),
    "zero axis": (
        arm((AXIS, '<axis xyz="0 -0 1e-400"/>')),
        f"{J}<axis> on line 6: xyz is zero; a direction expected", 6, 34),
    "no limit": (
        arm((LIMIT, "")),
        f"{J}no <limit> element; <limit lower='…' upper='…'/> expected", 4, 1),
    "no geometry": (arm((VISUAL, "<visual/>")), f"{A}no <geometry>{SHAPES}", 2, 16),
    "empty geometry": (shape(""), f"{A}<geometry> is empty{SHAPES}", 2, 24),
    "capsule": (shape("<capsule/>"), f"{A}<geometry> holds <capsule>{SHAPES}", 2, 34),
    "visual's origin": (
        arm((VISUAL, f'<visual>\n<origin rpy="0"/>{VISUAL[8:]}')),
        f"{A}<origin> on line 3: rpy must be three numbers, but holds 1 ('0')", 3, 1),
    "no size": (shape("<box/>"), f"{A}<box>: no size attribute; three numbers expected", 2, 34),
    "no radius": (shape("<sphere/>"), f"{A}<sphere>: no radius attribute; one number expected", 2, 34),
    "length": (
        shape('<cylinder radius="1" length="1m"/>'),
        f"{A}<cylinder>: length must be one number, but holds '1m'", 2, 34),
    "no file": (shape("<mesh/>"), f"{A}<mesh>: no filename attribute; a file's name expected", 2, 34),
    "scale": (
        shape('<mesh filename="f" scale="2"/>'),
        f"{A}<mesh>: scale must be three numbers, but holds 1 ('2')", 2, 34),
    "link twice": (
        more('<link name="a"/>'),
        "link 'a' (line 8): there is one of this name on line 2; a name of its own expected", 8, None),
    "joint twice": (
        more('<link name="c"/>' + joint("j", "a", "c")),
        "joint 'j' (line 8): there is one of this name on line 4; a name of its own expected", 8, None),
    "unknown link": (
        arm(('<parent link="a"/>', '<parent link="wrist"/>')),
        "joint 'j' (line 4): <parent> names 'wrist', no link; the name of a <link> expected", 4, None),
    "mistyped link": (
        arm(('<child link="b"/>', '<child link="uper_arm"/>'), (LINK_B, '<link name="upper_arm"/>')),
        "joint 'j' (line 4): <child> names 'uper_arm', no link; did you mean 'upper_arm'?", 4, None),
    "itself": (
        arm(('<child link="b"/>', '<child link="a"/>')),
        "joint 'j' (line 4): ties link 'a' to itself; two links expected", 4, None),
    "two parents": (
        more('\n<link name="c"/>' + joint("k", "a", "c") + "\n" + joint("l", "b", "c")),
        "joint 'l' (line 10): link 'c' is the child of joint 'k' (line 9) too; one joint expected",
        10, None),
    "no root": (
        more(joint("k", "b", "a")),
        "no root: every link is the child of a joint, and joints 'k', 'j' make a cycle; "
        "exactly one link that is no joint's child expected", 4, None),
    "many roots": (
        more(SIX_LINKS),
        "7 roots: 'a', 'r0', 'r1', 'r2' and 3 more are no joint's child; one expected, "
        "and a joint to each of the others", 9, None),
    "four roots": (
        more(SIX_LINKS[: SIX_LINKS.index('\n<link name="r3"')]),
        "4 roots: 'a', 'r0', 'r1', 'r2' are no joint's child; one expected, "
        "and a joint to each of the others", 9, None),
    "cycle": (
        more(f'\n<link name="c"/><link name="d"/><link name="e"/>{RING}'),
        "joint 'm' (line 9): the root link does not reach it: joints 'l', 'k' make a cycle; "
        "a tree expected", 9, None),
    "quotes in a name": (
        arm(('name="j"', 'name="it&apos;s"'), ('type="revolute"', 'type=""')),
        f"joint \"it's\" (line 4, column 1): type ''{TYPES}", 4, 1),
}  # fmt: skip


@pytest.mark.parametrize(("value", "said", "line", "column"), ROWS.values(), ids=ROWS)
def test_says(value: object, said: str, line: int | None, column: int | None) -> None:
    with pytest.raises(urdf.UrdfError) as caught:
        urdf.parse(value)
    assert str(caught.value) == said
    assert (caught.value.line, caught.value.column) == (line, column)


def test_a_reason_without_words_of_ours_is_passed_on() -> None:
    out_of_memory, unknown = 1, 9999
    said = sentence(out_of_memory, b"<robot/>", 1, None, "line 1, column 2")
    assert said == (
        f"{MALFORMED} (line 1, column 2): out of memory at 'robot/>'; well-formed XML expected"
    )
    assert "): error 9999 at " in sentence(unknown, b"<robot/>", 1, None, "line 1, column 2")
