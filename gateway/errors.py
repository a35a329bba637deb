"""What can go wrong in the gateway, in sentences that say how to put it right.

GatewayError
  ConfigError    an option or environment variable; the gateway does not start
  ListenError    no address could be listened on; the gateway does not start
  StateError     the state file cannot be used; the gateway does not start
  LineError      a line that cannot be acted on; answered with an error `status`
  ServiceError   a call that cannot be answered as asked; `result:false` and a code
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from itertools import islice
from typing import Final

SHOWN_CHARS: Final = 60  # of what came; enough to recognise it, too few to flood an answer
COMPARED_CHARS: Final = 80  # of a name; the comparison is quadratic in it
COMPARED_NAMES: Final = 200  # a misspelling costs a few ms at most, however many names there are


class Absent:
    """The type of ABSENT."""

    def __repr__(self) -> str:
        return "nothing"


ABSENT: Final = Absent()  # JSON null is a value: a field that is not there needs its own mark

_WORDS: Final = {"None": "null", "True": "true", "False": "false", repr(ABSENT): "nothing"}


class GatewayError(Exception):
    """Any of the below."""


class ConfigError(GatewayError):
    """An option is unknown, malformed or out of range."""


class ListenError(GatewayError):
    """No address could be listened on."""


class StateError(GatewayError):
    """The state file cannot be used."""


class LineError(GatewayError):
    """A line that nothing can be done with.

    Attributes:
        id: the line's `id` where it could be read, else ABSENT.
    """

    def __init__(self, sentence: str, id_: object = ABSENT) -> None:
        super().__init__(sentence)
        self.id = id_


class ServiceError(GatewayError):
    """A call that gets `result:false`.

    Attributes:
        code: the stable word for `values.code`.
        values: what else the service says.
    """

    def __init__(self, code: str, sentence: str, values: dict[str, object] | None = None) -> None:
        super().__init__(sentence)
        self.code = code
        self.values = values or {}


def show(value: object) -> str:
    """Return a short, printable picture of a JSON value."""
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, list):
        return f"an array of {len(value)}"
    if isinstance(value, dict):
        return "an object"
    return _WORDS.get(repr(value)) or f"the number {value}"


def quote(text: str) -> str:
    """Return a text in quotes, shortened, with nothing in it that does not print."""
    shown = text if len(text) <= SHOWN_CHARS else text[:SHOWN_CHARS] + "…"
    return f"'{printable(shown)}'"


def printable(text: str) -> str:
    """Return a text with every character that does not print written as an escape."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escape(ord(c)) for c in text)


def _escape(code: int) -> str:
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def closest(name: str, known: Iterable[str]) -> str:
    """Return `"; did you mean 'x'?"` for the known name most like this one, or ""."""
    candidates = {other[:COMPARED_CHARS]: other for other in islice(known, COMPARED_NAMES)}
    found = difflib.get_close_matches(name[:COMPARED_CHARS], candidates, n=1)
    return f"; did you mean {quote(candidates[found[0]])}?" if found else ""
