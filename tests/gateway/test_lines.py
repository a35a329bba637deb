"""Bytes become the same lines however they are cut."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import LineError
from gateway.lines import BOM, Lines

LIMIT = 8
TOO_LONG = "too long"


def take_all(lines: Lines) -> list[object]:
    taken: list[object] = []
    while lines:
        try:
            taken.append(lines.take())
        except LineError:
            taken.append(TOO_LONG)
    assert lines.take() is None
    return taken


def lines_of(data: bytes, cuts: list[int], limit: int = LIMIT) -> list[object]:
    """Feed data cut at these places, then end the stream."""
    lines = Lines(limit)
    taken: list[object] = []
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    for start, stop in itertools.pairwise(places):
        lines.feed(data[start:stop])
        taken += take_all(lines)
    lines.end()
    return taken + take_all(lines)


@given(
    st.lists(st.sampled_from([b"a", b"bb", b"x" * 7, b"\n", b"\r\n", b" ", BOM, b"{}"])),
    st.lists(st.integers(0, 1000), max_size=8),
)
def test_lines_do_not_depend_on_where_the_bytes_are_cut(
    pieces: list[bytes], cuts: list[int]
) -> None:
    data = b"".join(pieces)

    assert lines_of(data, cuts) == lines_of(data, [])


@given(st.lists(st.binary(max_size=LIMIT).filter(lambda line: b"\n" not in line)))
def test_what_is_sent_comes_out(sent: list[bytes]) -> None:
    data = b"".join(line + b"\r\n" for line in sent)

    expected = [line.removeprefix(BOM).strip(b" \t\r") for line in sent]
    assert lines_of(data, []) == [line for line in expected if line]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"a\nb\n", [b"a", b"b"]),
        (b"a\r\nb", [b"a", b"b"]),
        (b"\n\r\n  \n\na\n", [b"a"]),
        (BOM + b"a\n" + BOM + b"b\n", [b"a", b"b"]),
        (BOM + b"\n", []),
        (b"x" * LIMIT + b"\n", [b"x" * LIMIT]),
        (BOM + b"x" * LIMIT + b"\r\n", [b"x" * LIMIT]),
        (b"x" * (LIMIT + 1) + b"\na\n", [TOO_LONG, b"a"]),
        (b"x" * 100 + b"\na\n", [TOO_LONG, b"a"]),
        (b"x" * 100, [TOO_LONG]),
        (b"", []),
    ],
)
@pytest.mark.parametrize("step", [1, 2, 1000])
def test_framing(data: bytes, expected: list[object], step: int) -> None:
    assert lines_of(data, list(range(0, len(data), step))) == expected


def test_a_long_line_is_reported_before_its_end_and_only_once() -> None:
    lines = Lines(LIMIT)
    lines.feed(b"x" * 50)
    with pytest.raises(LineError, match=r"longer than 8 bytes.*--max-line-bytes"):
        lines.take()
    lines.feed(b"x" * 50)
    assert lines.take() is None
    lines.feed(b"x\nnext\n")
    assert lines.take() == b"next"


def test_a_megabyte_in_single_bytes_takes_linear_time() -> None:
    """A quadratic splitter would take hours; no exact time is asserted."""
    lines = Lines(1 << 21)
    started = time.monotonic()
    for _ in range(1 << 20):
        lines.feed(b"x")
    lines.feed(b"\n")
    assert lines.take() == b"x" * (1 << 20)
    assert time.monotonic() - started < 60
