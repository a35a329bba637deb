"""The parameter store: name -> JSON text and version.

A value is encoded once, when it is set, and never read again: what is got back is the
very text. Nothing of it is interpreted here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import orjson

from gateway.errors import ServiceError, quote

ENTRY_BYTES: Final = 256  # what an entry takes beside its name and value, about
ANSWER_BYTES: Final = 512  # what get_param's answer has beside the value, with an ordinary id


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter as one `set` left it."""

    name: str
    version: int  # counts this name's sets, from 1
    value: bytes  # JSON
    serial: int  # counts the sets of every name: one number for one value


Listener = Callable[[str, Parameter | None], None]


class Params:
    """Every parameter, within a bound on their size.

    Versions go on counting after a `delete`, so the name of a deleted one is kept and
    counts towards the bound.
    """

    def __init__(self, max_bytes: int, max_line_bytes: int) -> None:
        """Make an empty store.

        Args:
            max_bytes: bound on names and values together.
            max_line_bytes: a value whose answer would be longer cannot be set.
        """
        self._max_bytes = max_bytes
        self._max_value_bytes = max_line_bytes - ANSWER_BYTES
        self._set: dict[str, Parameter] = {}
        self._deleted: dict[str, int] = {}  # name -> version of what was deleted
        self._bytes = 0
        self._serial = 0
        self._listeners: list[Listener] = []

    def listen(self, listener: Listener) -> None:
        """Have a function called after every change, with the name and what is set now."""
        self._listeners.append(listener)

    def find(self, name: str) -> Parameter | None:
        """Return the newest value of a name, None if it is not set."""
        return self._set.get(name)

    def names(self, prefix: str = "") -> list[str]:
        """Return the names that are set, sorted."""
        return sorted(name for name in self._set if name.startswith(prefix))

    def set(self, name: str, value: object) -> Parameter:
        """Store a JSON value, given decoded.

        Raises:
            ServiceError: the store is full, or no line could bring the value back.
        """
        text = orjson.dumps(value)
        if len(text) > self._max_value_bytes:
            raise ServiceError(
                "limit_exceeded",
                f"the value takes {len(text)} bytes; at most {self._max_value_bytes} fit the line "
                "that get_param would answer with (--max-line-bytes)",
            )
        before = self._set.get(name)
        added = len(text) - (len(before.value) if before else 0)
        if before is None and name not in self._deleted:
            added += ENTRY_BYTES + len(name.encode())
        if added > 0 and self._bytes + added > self._max_bytes:
            raise ServiceError(
                "limit_exceeded",
                f"the parameter store is full: {self._bytes} of {self._max_bytes} bytes are used "
                f"(--max-params-bytes) and {quote(name)} needs {added} more; nothing was changed",
            )
        self._bytes += added
        self._serial += 1
        version = (before.version if before else self._deleted.pop(name, 0)) + 1
        stored = self._set[name] = Parameter(name, version, text, self._serial)
        self._tell(name, stored)
        return stored

    def delete(self, name: str) -> int | None:
        """Take a value out; return its version, None if it was not set."""
        parameter = self._set.pop(name, None)
        if parameter is None:
            return None
        self._bytes -= len(parameter.value)
        self._deleted[name] = parameter.version
        self._tell(name, None)
        return parameter.version

    def _tell(self, name: str, parameter: Parameter | None) -> None:
        for listener in self._listeners:
            listener(name, parameter)
