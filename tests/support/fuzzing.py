"""Random inputs of the right shape and of almost the right one, and what has to hold for each."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import orjson

from gateway.errors import LineError
from gateway.lines import Lines
from gateway.services import SERVICES
from gateway.session import OPS
from tests.support.adversity import ARM
from tests.support.gateways import TestHub
from urdf import Robot, UrdfError, parse

LINE_BYTES = 5000
ATOMS: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    2**63,
    1e308,
    1e400,
    "",
    "a",
    "\0",
    "\u2028",
    "tool",
    "/t",
    [],
    {},
)
WORDS = ("op", "id", "service", "args", "name", "value", "topic", "type", "msg", "token", "level")
PIECES = ("<", ">", "/", '"', "&#0;", "&lt;", "<!--", "-->", "<joint", "nan", "1e999", " ", "é")


def reader(chance: random.Random) -> None:
    """A description, cut and spliced: a robot or a refusal, nothing else."""
    text = ARM
    for _ in range(chance.randint(1, 4)):
        start, end = sorted(chance.randrange(len(text) + 1) for _ in range(2))
        end = min(end, start + chance.choice((0, 1, 5, 200)))
        text = text[:start] + chance.choice((*PIECES, text[start:end] * 2)) + text[end:]
    refusal = "a sentence"
    try:
        assert isinstance(parse(text), Robot)
    except UrdfError as error:
        refusal = str(error)
    assert refusal


def splitter(chance: random.Random) -> None:
    """The same lines, however the bytes are cut."""
    data = b"".join(
        chance.choice((b"\n", b"\r\n", b"{}", b"x" * 50, b"\xef\xbb\xbf", b"\xff", b" "))
        for _ in range(chance.randint(0, 40))
    )
    cuts = sorted(chance.randrange(len(data) + 1) for _ in range(chance.randint(0, 10)))
    pieces = [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]
    assert split(pieces) == split([data])


def split(pieces: list[bytes]) -> list[object]:
    """Return the lines of some bytes, LineError for one that is too long."""
    lines, found = Lines(40), list[object]()
    for piece in (*pieces, None):
        if piece is None:
            lines.end()
        else:
            lines.feed(piece)
        while True:
            try:
                line = lines.take()
            except LineError:
                found.append(LineError)
                continue
            if line is None:
                break
            found.append(line)
    return found


def value(chance: random.Random, depth: int = 3) -> Any:
    """Return any JSON value."""
    if depth and chance.random() < 0.3:
        names = chance.choices(WORDS, k=chance.randint(0, 4))
        return {name: value(chance, depth - 1) for name in names}
    if depth and chance.random() < 0.2:
        return [value(chance, depth - 1) for _ in range(chance.randint(0, 4))]
    return chance.choice(ATOMS)


def message(chance: random.Random) -> bytes:
    """Return a line that is a message, or nearly one."""
    fields = {name: value(chance) for name in chance.choices(WORDS, k=5)}
    fields["op"] = chance.choice((*OPS, "nonsense"))
    fields["service"] = chance.choice((*SERVICES, "/nobody", 5))
    if chance.random() < 0.7:
        fields["args"] = {name: value(chance) for name in ("name", "value", "link", "timeout")}
    line = json.dumps(fields).encode()
    if chance.random() < 0.2:
        at = chance.randrange(len(line))
        line = line[:at] + chance.randbytes(chance.randint(0, 3)) + line[at + 1 :]
    return line.replace(b"\n", b" ")


def session(chance: random.Random) -> None:
    """A client's messages: every call answered once by its id, every answer JSON."""
    client = TestHub(max_line_bytes=LINE_BYTES).client()
    for _ in range(20):
        line = message(chance)
        answers = client.say(line)
        try:
            sent = orjson.loads(line)
        except orjson.JSONDecodeError:
            continue
        if not isinstance(sent, dict) or sent.get("op") != "call_service":
            continue
        if isinstance(sent.get("service"), str):
            assert [answer["op"] for answer in answers] == ["service_response"], line
            assert answers[0].get("id") == sent.get("id"), line
    client.session.closed()


TARGETS: dict[str, Callable[[random.Random], None]] = {
    "reader": reader,
    "splitter": splitter,
    "session": session,
}
