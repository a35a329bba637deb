"""Log events -> single lines on stderr. No event can stop the gateway, or forge a line.

An event is a message of ours and fields: `log.info("worker ready", extra={"pid": 12})`.
Whatever a field holds, the line has no control character in it and a bounded length.
"""

from __future__ import annotations

import logging
import os
import select
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

import orjson

from gateway.errors import printable

LINE_BYTES: Final = 4096  # POSIX's PIPE_BUF on Linux: a pipe that is writable takes as much at once
FIELD_CHARS: Final = 1500  # of one field: a traceback's beginning and end
JSON_INTEGERS: Final = 1 << 63  # larger ones go as text
OWN_ATTRIBUTES: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}


def set_up(level: str, style: str, fd: int = 2) -> None:
    """Send every event of this process at or above a level to a file descriptor.

    Args:
        level: "debug", "info", "warning" or "error".
        style: "text" or "json".
        fd: the descriptor; stderr's.
    """
    handler = LineHandler(fd)
    handler.setFormatter(JsonLines() if style == "json" else TextLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())


class LineHandler(logging.Handler):
    """Writes each event at once, or not at all: a reader that is slow or gone costs lines only."""

    def __init__(self, fd: int) -> None:
        super().__init__()
        self._fd = fd
        self._lost = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Write one event, preceded by a word about those lost before it."""
        try:
            line = self.format(record).encode("utf-8", "replace")[: LINE_BYTES - 1] + b"\n"
        except (TypeError, ValueError):  # arguments that do not fit their message
            self._lost += 1
            return
        if self._lost:
            note = logging.makeLogRecord(
                {"name": __name__, "levelno": logging.WARNING, "levelname": "WARNING"}
                | {"msg": "log lines lost", "lines": self._lost}
            )
            if not self._write(self.format(note).encode() + b"\n"):
                self._lost += 1
                return
            self._lost = 0
        if not self._write(line):
            self._lost += 1

    def _write(self, line: bytes) -> bool:
        try:
            _, writable, _ = select.select([], [self._fd], [], 0)
            return bool(writable) and os.write(self._fd, line) > 0
        except (OSError, ValueError):  # closed, or its reader is gone: nobody to tell
            return False


class TextLines(logging.Formatter):
    """`2026-01-31T12:00:00.000Z INFO gateway.pool worker ready pid=12`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the event as one line of text."""
        head = f"{_time(record)} {record.levelname} {record.name} {printable(_short(record.getMessage()))}"
        pairs = (f"{name}={_text(value)}" for name, value in _fields(record).items())
        return " ".join((head, *pairs))


class JsonLines(logging.Formatter):
    """`{"time":"…","level":"info","logger":"gateway.pool","event":"worker ready","pid":12}`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the event as one line of JSON; short enough to stay whole."""
        head: dict[str, object] = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": printable(_short(record.getMessage())),
        }
        fields = {
            name: printable(value) if isinstance(value, str) else value
            for name, value in _fields(record).items()
        }
        line = orjson.dumps(head | fields)
        if len(line) >= LINE_BYTES:
            line = orjson.dumps(head)
        return line.decode()


def _time(record: logging.LogRecord) -> str:
    moment = datetime.fromtimestamp(record.created, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _fields(record: logging.LogRecord) -> dict[str, object]:
    """Return what the event carries: its `extra`, and the traceback if there is one."""
    attributes: Mapping[str, object] = vars(record)
    fields: dict[str, object] = {
        name: value if _is_plain(value) else _short(str(value))
        for name, value in attributes.items()
        if name not in OWN_ATTRIBUTES
    }
    if record.exc_info and record.exc_info[1] is not None:
        fields["traceback"] = _short("".join(traceback.format_exception(record.exc_info[1])))
    return fields


def _is_plain(value: object) -> bool:
    if isinstance(value, int):
        return abs(value) < JSON_INTEGERS
    return value is None or isinstance(value, float)


def _text(value: object) -> str:
    """Return a field's value as it is, or in quotes where it could be taken for more than one."""
    text = str(value)
    if text and text.isprintable() and not set(text) & set(' "=\\'):
        return text
    return '"' + printable(text.replace("\\", "\\\\").replace('"', '\\"')) + '"'


def _short(text: str) -> str:
    if len(text) <= FIELD_CHARS:
        return text
    half = FIELD_CHARS // 2
    return f"{text[:half]} … {text[-half:]}"
