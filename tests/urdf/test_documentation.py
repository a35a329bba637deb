"""The examples of the documentation are read, or refused, as it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import urdf

PAGE = Path(__file__).parents[2] / "docs" / "robot-descriptions.md"
EXAMPLE = re.compile(
    r"^<!-- (accepted|refused: (?P<sentence>[^\n]+)) -->\n```xml\n(?P<text>.*?)^```$", re.M | re.S
)
TEXT = PAGE.read_text(encoding="utf-8")
EXAMPLES = [(found["text"], found["sentence"]) for found in EXAMPLE.finditer(TEXT)]


def test_every_example_is_found() -> None:
    assert len(EXAMPLES) == TEXT.count("```xml") >= 8


@pytest.mark.parametrize(("text", "sentence"), EXAMPLES)
def test_the_example_ends_as_it_says(text: str, sentence: str | None) -> None:
    if sentence is None:
        urdf.parse(text)
        return
    with pytest.raises(urdf.UrdfError) as caught:
        urdf.parse(text)
    assert str(caught.value) == sentence


def test_the_root_of_the_first_example() -> None:
    assert "Its root is `floor`" in TEXT
    assert urdf.parse(EXAMPLES[0][0]).root_link == "floor"


TWO_LINKS = '<robot><link name="a"/><link name="b"/>{}</robot>'
JOINT = '<joint name="{}" type="{}"><parent link="{}"/><child link="{}"/>{}</joint>'


@pytest.mark.parametrize(
    ("taken", "text"),
    [
        (True, '\ufeff \n<?xml version="1.0" encoding="UTF-16"?><robot><link name="a"/></robot>'),
        (False, '<!DOCTYPE robot><robot><link name="a"/></robot>'),
        (True, '<robot><link name="a"/><xacro:macro name="x"/></robot>'),
        (True, TWO_LINKS.format(JOINT.format("j", "fixed", "a", "b", "<axis/><axis/>"))),
        (False, TWO_LINKS.format(JOINT.format("j", "fixed", "a", "b", '<axis/><axis xyz="1 0 0"/>'))),
        (False, TWO_LINKS.format(JOINT.format("j", "continuous", "a", "b", '<axis xyz="0 0 0"/>'))),
        (True, TWO_LINKS.format(JOINT.format("j", "fixed", "a", "b", '<axis xyz="0 0 0"/>'))),
        (False, TWO_LINKS.format(JOINT.format("j", "fixed", "a", "b", '<origin xyz="1e309 0 0"/>'))),
        (True, TWO_LINKS.format(JOINT.format("b", "prismatic", "a", "b", '<limit lower="1"/>'))),
        (False, TWO_LINKS.format(JOINT.format("j", "fixed", "a", "b", "") * 2)),
        (False, TWO_LINKS.format(JOINT.format("j", "fixed", "b", "b", ""))),
        (False, '<robot><link name=" "/></robot>'),
        (True, TWO_LINKS.format('<link name="A"/><link name="a "/>' + "".join(
            JOINT.format(name, "fixed", "a", name, "") for name in ("b", "A", "a ")))),
        (True, '<robot><link name="a"><visual><origin/><origin xyz="1 1 1"/><geometry>'
               '<mesh filename=""/></geometry><geometry/></visual></link></robot>'),
        (True, '<robot><link name="a"><visual><geometry><box size="0 -1 0"/></geometry></visual></link></robot>'),
    ],
)  # fmt: skip
def test_where_the_format_leaves_it_open(taken: bool, text: str) -> None:
    if taken:
        urdf.parse(text)
        return
    with pytest.raises(urdf.UrdfError):
        urdf.parse(text)
