"""One event is one line, whatever is in it and whoever reads it."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.logs import LINE_BYTES, JsonLines, LineHandler, TextLines, set_up


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ours, theirs = os.pipe()
    yield ours, theirs
    for fd in (ours, theirs):
        try:
            os.close(fd)
        except OSError:
            continue


@pytest.fixture(autouse=True)
def root_logger() -> Iterator[None]:
    root = logging.getLogger()
    before = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = before


def record(**fields: object) -> logging.LogRecord:
    made = logging.makeLogRecord({"name": "a.b", "levelname": "INFO", "msg": "happened"})
    made.created = 0
    vars(made).update(fields)
    return made


def test_text() -> None:
    line = TextLines().format(
        record(pid=12, ok=True, none=None, ratio=0.5, word="fine", words="two words", empty="")
    )
    assert line == (
        "1970-01-01T00:00:00.000Z INFO a.b happened "
        'pid=12 ok=True none=None ratio=0.5 word=fine words="two words" empty=""'
    )


def test_json() -> None:
    line = JsonLines().format(record(pid=12, word="é"))
    assert orjson.loads(line) == {
        "time": "1970-01-01T00:00:00.000Z",
        "level": "info",
        "logger": "a.b",
        "event": "happened",
        "pid": 12,
        "word": "é",
    }


@given(st.text())
def test_no_value_can_forge_a_line_or_a_field(text: str) -> None:
    line = TextLines().format(record(evil=text + '" level=x\n2026 ERROR fake', last="end"))
    assert line.isprintable()
    assert len(line.splitlines()) == 1
    head, _, rest = line.partition(" evil=")
    assert head.endswith("happened")
    assert rest.startswith('"')
    body = rest.removesuffix(" last=end")
    assert body.replace("\\\\", "").replace('\\"', "").count('"') == 2
    parsed = orjson.loads(JsonLines().format(record(evil=text + "\n\x1b[31m\u2028\u202e")))
    assert parsed["evil"].isprintable()


def test_surrogates_and_huge_values() -> None:
    huge = {"text": "a" * 100_000 + "z", "bad": "\ud800", "number": 1 << 70, "list": ["x"] * 1000}
    for formatter in (TextLines(), JsonLines()):
        line = formatter.format(record(**huge))
        assert "z" in line
        assert line.encode().isascii() or "…" in line
    assert "\\ud800" in TextLines().format(record(**huge))
    many = {f"f{n}": "x" * 1000 for n in range(10)}
    assert orjson.loads(JsonLines().format(record(**many)))["event"] == "happened"


def test_a_traceback_is_one_line(pipe: tuple[int, int]) -> None:
    ours, theirs = pipe
    set_up("info", "text", theirs)
    try:
        raise ValueError("two\nlines")  # noqa: TRY301
    except ValueError:
        logging.getLogger("x").exception("it failed")
    text = os.read(ours, 100_000).decode()
    assert text.count("\n") == 1
    assert "ValueError" in text
    assert "Traceback" in text


def test_levels(pipe: tuple[int, int]) -> None:
    ours, theirs = pipe
    set_up("warning", "json", theirs)
    logging.getLogger("x").info("quiet")
    logging.getLogger("x").warning("loud", extra={"n": 1})
    (line,) = os.read(ours, 100_000).splitlines()
    assert orjson.loads(line)["event"] == "loud"


def test_a_reader_that_does_not_read_loses_lines_and_is_told(pipe: tuple[int, int]) -> None:
    ours, theirs = pipe
    set_up("info", "text", theirs)
    sent = 200
    for n in range(sent):
        logging.getLogger("x").info("event", extra={"n": n, "padding": "x" * 1000})
    first = os.read(ours, 1 << 20).decode().splitlines()
    assert 0 < len(first) < sent
    logging.getLogger("x").info("after")
    note, after = os.read(ours, 1 << 20).decode().splitlines()
    assert f"log lines lost lines={sent - len(first)}" in note
    assert after.endswith("after")


def test_an_event_that_cannot_be_written_is_a_lost_line(pipe: tuple[int, int]) -> None:
    ours, theirs = pipe
    set_up("info", "text", theirs)
    logging.getLogger("x").info("%d", "no number")
    logging.getLogger("x").info("next")
    assert "log lines lost lines=1" in os.read(ours, 1 << 20).decode()


def test_lines_are_bounded(pipe: tuple[int, int]) -> None:
    ours, theirs = pipe
    handler = LineHandler(theirs)
    handler.setFormatter(TextLines())
    handler.handle(record(**{f"f{n}": "é" * 2000 for n in range(10)}))
    data = os.read(ours, 1 << 20)
    assert len(data) == LINE_BYTES
    assert data.endswith(b"\n")


@pytest.mark.parametrize("end", ["reader", "both", "none"])
def test_a_closed_stderr_stops_nobody(pipe: tuple[int, int], end: str) -> None:
    ours, theirs = pipe
    os.close(ours)
    if end == "both":
        os.close(theirs)
    set_up("info", "text", -1 if end == "none" else theirs)
    for _ in range(3):
        logging.getLogger("x").info("event")
