"""What holds for every refusal: a place in the text as given, and a sentence fit for a log."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import urdf
from tests.support.arm import ARM, LINK_B, arm, joint, kind, more, shape, xyz
from urdf.errors import SHOWN_CHARS

LONGEST = 2000  # characters of any sentence: four names of 80, each character escaped, and words
MIB = 1 << 20


def refusal(value: object) -> urdf.UrdfError:
    with pytest.raises(urdf.UrdfError) as caught:
        urdf.parse(value)
    return caught.value


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize(
    ("before", "lines", "columns"),
    [
        ("", 0, 0),
        ("\n", 1, 0),
        ("  \n \n\t", 2, 1),
        ("\ufeff", 0, 0),
        ("\ufeff\n ", 1, 1),
        ("   ", 0, 3),
    ],
)
def test_the_place_is_that_in_the_text_as_given(
    before: str, lines: int, columns: int, ending: str
) -> None:
    def in_file(text: str) -> str:
        return (before + text).replace("\n", ending)

    first = refusal(in_file("<Robot/>"))
    assert (first.line, first.column) == (1 + lines, 1 + columns)
    malformed = refusal(in_file("<robot =>"))
    assert (malformed.line, malformed.column) == (1 + lines, 8 + columns)
    half = refusal(in_file("\ud800"))
    assert (half.line, half.column) == (1 + lines, 1 + columns)
    doctype = refusal(in_file("<!DOCTYPE robot><robot/>"))
    assert (doctype.line, doctype.column) == (1 + lines, 1 + columns)
    later = refusal(in_file("<robot>\n <!-- é腕🤖 --><link/></robot>"))
    assert (later.line, later.column) == (2 + lines, 14)
    number = refusal(in_file(xyz("x")))
    assert (number.line, number.column) == (6 + lines, 1)
    cycle = refusal(in_file(more(joint("k", "b", "a"))))
    assert (cycle.line, cycle.column) == (4 + lines, None)


LONG = "n" * MIB
BELL = "&#9;&#10;&#13;\u202e\u2028\u0085\u200b"  # tab, line ends, and what turns a line round


@pytest.mark.parametrize("name", [LONG, BELL * 1000], ids=["long", "control"])
@pytest.mark.parametrize(
    "text",
    [
        '<robot><joint name="NAME"/></robot>',
        '<robot><link name="a"><visual><geometry><NAME/></geometry></visual></link></robot>',
        "<robot><NAME></robot>",
        "<NAME/>",
        "&NAME;",
        "<robot>&NAME;</robot>",
        kind("NAME"),
        xyz("NAME"),
        xyz("0 0 NAME"),
        xyz("1 " * 1000 + "NAME"),
        shape('<sphere radius="NAME"/>'),
        arm(('<parent link="a"/>', '<parent link="NAME"/>')),
        arm(('<child link="b"/>', '<child link="NAME"/>'), (LINK_B, '<link name="NAME"/>'))
        + "<x/>",
        more('<link name="NAME"/>'),
        more('<link name="NAME"/><link name="NAME"/>'),
        more("".join(f'<link name="NAME{i}"/>' for i in range(3))),
        more('<link name="NAME"/>' + joint("NAME", "NAME", "NAME")),
        more('<link name="NAME"/>' + joint("NAME", "a", "NAME") + joint("k", "b", "NAME")),
        more('<link name="c"/><link name="d"/>' + joint("NAME", "c", "d") + joint("k", "d", "c")),
    ],
)
def test_the_sentence_is_short_and_in_one_printable_line(text: str, name: str) -> None:
    sentence = str(refusal(text.replace("NAME", name)))
    assert len(sentence) <= LONGEST
    assert sentence.isprintable()


def test_a_name_is_shown_whole_up_to_its_bound() -> None:
    whole, longer = "n" * SHOWN_CHARS, "n" * (SHOWN_CHARS + 1)
    assert f"link '{whole}' " in str(refusal(more(f'<link name="{whole}"/>' * 2)))
    assert f"link '{whole[:-1]}…' " in str(refusal(more(f'<link name="{longer}"/>' * 2)))


def test_nothing_is_raised_that_hides_the_cause() -> None:
    error = refusal("<robot>")
    assert error.__suppress_context__
    assert error.__cause__ is None


SCRIPT = """
import sys, urdf
text = sys.stdin.buffer.read().decode("utf-8")
robot = urdf.parse(text)
assert robot.joints[0].origin.xyz == (0.0, 0.5, 1.57), robot
assert [link.name for link in robot.links] == ["a", "bras_\\u00e9"], robot
try:
    urdf.parse(text.replace("1.57", "1,57"))
except urdf.UrdfError as error:
    sys.stdout.write(ascii(str(error)))
"""


@pytest.mark.parametrize("locale", ["C", "POSIX", "de_DE.UTF-8", "tr_TR.UTF-8"])
def test_the_locale_does_not_matter(locale: str) -> None:
    text = xyz("0 .5 1.57").replace('"b"', '"bras_é"')
    done = subprocess.run(
        [sys.executable, "-X", "utf8=0", "-c", SCRIPT],
        input=text.encode(),
        env={**os.environ, "LC_ALL": locale, "LANG": locale, "PYTHONWARNINGS": "ignore"},
        cwd=Path(urdf.__file__).parent.parent,
        capture_output=True,
        check=True,
    )
    assert b"holds '1,57'" in done.stdout


def test_three_spellings_of_a_name_are_one() -> None:
    spelled = arm(
        (LINK_B, '<link name="&#233;"/>'), ('<child link="b"/>', '<child link="&#xe9;"/>')
    )
    assert urdf.parse(spelled) == urdf.parse(ARM.replace('"b"', '"é"'))
