"""Descriptions of a mebibyte made to hurt: each ends as it should, and with work in proportion."""

from __future__ import annotations

import contextlib
import gc
import random
import sys
from collections.abc import Callable
from types import FrameType

import pytest

import urdf
from tests.support.arm import arm, joint, more, shape, xyz
from urdf.names import COMPARED_CHARS, COMPARED_NAMES

MIB = 1 << 20


def chain(n: int, *, reverse: bool = False) -> str:
    parts = [f'<link name="{i}"/>' for i in range(n)]
    parts += [joint(str(i), str(i), str(i + 1)) for i in range(n - 1)]
    return robot(*(reversed(parts) if reverse else parts))


def star(n: int) -> str:
    return robot("<link name='hub'/>", links(n), *(joint(f"{i}", "hub", f"{i}") for i in range(n)))


def ring(n: int) -> str:
    return links(n) + "".join(joint(str(i), str(i), str((i + 1) % n)) for i in range(n))


def robot(*parts: str) -> str:
    return "<robot>" + "".join(parts) + "</robot>"


def links(n: int) -> str:
    return "".join(f'<link name="{i}"/>' for i in range(n))


def attributes(n: int) -> str:
    return " ".join(f"a{i}=''" for i in range(n))


def origins(n: int) -> str:
    return "<origin xyz='0 0 1' rpy='0 0 0'/>" * n


def entities(levels: int) -> str:
    declared = "".join(f"<!ENTITY e{i} '" + f"&e{i - 1};" * 10 + "'>" for i in range(1, levels))
    return f'<!DOCTYPE robot [<!ENTITY e0 "ha">{declared}]><robot name="&e{levels - 1};"/>'


ACCEPTED: dict[str, str] = {
    "unknown elements in one another": more("<a>" * 140_000 + "</a>" * 140_000),
    "links in one another": robot("<link name='a'>" * 45_000, "</link>" * 45_000),
    "elements that are read, in one another": shape(
        "<box size='1 1 1'>" + "<origin><geometry><joint>" * 20_000
        + "</joint></geometry></origin>" * 20_000 + "</box>"),
    "80,000 attributes": robot(f"<link name='a' {attributes(80_000)}/>"),
    "9,000 links in a chain": chain(9_000),
    "9,000 links in a chain, last first": chain(9_000, reverse=True),
    "9,000 links on one": star(9_000),
    "one comment": more(f"<!--{'x' * MIB}-->"),
    "many comments": more("<!-- -->" * 130_000),
    "one CDATA section": more(f"<gazebo><![CDATA[{'&<' * (MIB // 2)}]]></gazebo>"),
    "one text": more("&lt;" * (MIB // 4)),
    "white space in a number": xyz("0 0 " + " " * MIB + "1"),
    "a long name": arm(('name="j"', f'name="{"j" * MIB}"')),
    "a long number": xyz(f"0 0 0.{'3' * MIB}"),
    "a long exponent": xyz(f"0 0 1e-{'9' * MIB}"),
    "many visuals": robot(
        "<link name='a'>", "<visual><geometry><box size='1 1 1'/></geometry></visual>" * 17_000, "</link>"),
    "one origin many times over": arm(("<axis", origins(30_000) + "<axis")),
    "many shapes": shape("<box size='1 1 1'/>" * 50_000),
}  # fmt: skip

REFUSED: dict[str, tuple[str, str]] = {
    "open elements": (more("<a>" * 330_000), "</a> expected"),
    "nothing but the beginnings of tags": ("<" * MIB, "character that cannot stand"),
    "many numbers": (xyz("1 " * 200_000), "holds 200000"),
    "a long number with a bad end": (xyz(f"0 0 {'1' * MIB}x"), "but holds"),
    "a long exponent": (xyz(f"0 0 1e{'9' * MIB}"), "too large"),
    "many digits with a bad middle": (xyz(f"0 0 {'1' * 500_000}.{'1' * 500_000}e"), "but holds"),
    "40,000 roots": (robot(links(40_000)), "40000 roots"),
    "a ring": (robot(ring(9_000)), "no root"),
    "a ring beside the root": (robot("<link name='root'/>", ring(9_000)), "does not reach"),
    "a name again and again": (robot("<link name='a'/>" * 60_000), "one of this name"),
    "entities of entities": (entities(12), "document type"),
    "an entity of another file": (
        '<!DOCTYPE robot [<!ENTITY e SYSTEM "file:///etc/passwd">]><robot>&e;</robot>', "document type"),
    "a document type of another file": (
        '<!DOCTYPE robot SYSTEM "http://127.0.0.1:9/x.dtd"><robot/>', "document type"),
    "many origins that differ at the end": (
        arm(("<axis", origins(30_000) + "<origin/><axis")), "30002 <origin>"),
}  # fmt: skip


@pytest.mark.parametrize("text", ACCEPTED.values(), ids=ACCEPTED)
def test_is_read(text: str) -> None:
    found = urdf.parse(text)
    assert len(found.joints_parent_first()) == len(found.links) - 1


@pytest.mark.parametrize(("text", "part"), REFUSED.values(), ids=REFUSED)
def test_is_refused(text: str, part: str) -> None:
    with pytest.raises(urdf.UrdfError) as caught:
        urdf.parse(text)
    assert part in str(caught.value)


def calls(text: str) -> int:
    """Return how many calls, of Python and of C, reading a text takes."""
    count = 0

    def step(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(step)
    try:
        urdf.parse(text)
    except urdf.UrdfError:
        pass  # a refusal counts as well as a robot
    finally:
        sys.setprofile(before)
    return count


GROWING: dict[str, Callable[[int], str]] = {
    "a chain": chain,
    "a chain, last first": lambda n: chain(n, reverse=True),
    "a star": star,
    "a ring": lambda n: robot(ring(n)),
    "a ring beside the root": lambda n: robot("<link name='root'/>", ring(n)),
    "roots": lambda n: robot(links(n)),
    "unknown elements": lambda n: more("<a>" * n + "</a>" * n),
    "attributes": lambda n: robot(f"<link name='a' {attributes(n)}/>"),
    "numbers": lambda n: xyz("1 " * n),
    "one origin many times over": lambda n: arm(("<axis", origins(n) + "<axis")),
}  # fmt: skip


@pytest.mark.parametrize("write", GROWING.values(), ids=GROWING)
def test_twice_the_text_is_at_most_twice_the_work(write: Callable[[int], str]) -> None:
    calls(write(10))  # what is done once is done
    assert calls(write(1000)) <= 2 * calls(write(500)) + 100


@pytest.mark.parametrize(
    "text",
    [arm(), arm()[:-1], xyz("1"), more("<link/>"), "<!DOCTYPE robot><robot/>", "<model/>", "{}"],
    ids=["read", "malformed", "two numbers", "no name", "document type", "root", "no XML"],
)
def test_nothing_is_left_for_the_garbage_collector(text: str) -> None:
    def read() -> None:
        with contextlib.suppress(urdf.UrdfError):  # a refusal has to let go as well as a robot
            urdf.parse(text)

    read()  # what is done once is done
    gc.collect()
    gc.disable()
    try:
        read()
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_the_search_for_a_close_name_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []

    def closest(name: str, known: list[str], n: int) -> list[str]:
        compared.append(len(known) * len(name) * max(map(len, known), default=0))
        return known[:n]

    monkeypatch.setattr("difflib.get_close_matches", closest)
    letters = random.Random(1)
    for count in (COMPARED_NAMES - 2, COMPARED_NAMES, 3000):
        for size in (COMPARED_CHARS, COMPARED_CHARS + 1, 200):
            names = {"".join(letters.choices("ab", k=size)) for _ in range(count)}
            named = "".join(f'<link name="{name}"/>' for name in names)
            with pytest.raises(urdf.UrdfError, match="no link; "):
                urdf.parse(robot(named, joint("j", "c" * size, "x")))
    assert max(compared) == COMPARED_NAMES * COMPARED_CHARS**2
