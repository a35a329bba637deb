"""The parameter store: name -> JSON text and version.

A value is encoded once, when it is set, and never read again: what is got back is the
very text. Nothing of it is interpreted here.

Without a keeper a write is in force at once. With one it is in force, and its listeners
hear of it, once the keeper has said that it is kept: until then `find` returns what was
kept before, and whoever has to see the write waits for it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, Protocol

import orjson

from gateway.errors import ServiceError, quote

ENTRY_BYTES: Final = 256  # what an entry takes beside its name and value, about
ANSWER_BYTES: Final = 512  # what get_param's answer has beside the value, with an ordinary id
UNSAVED_BYTES: Final = 256 * 1024 * 1024  # of values on their way to the keeper


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter as one `set` left it."""

    name: str
    version: int  # counts this name's sets, from 1
    value: bytes  # JSON
    serial: int  # counts the writes of every name: one number for one value


@dataclass(slots=True, eq=False)
class Write:
    """A `set` or a `delete` on its way to where it is kept.

    Attributes:
        name: the parameter's.
        version: after the write.
        value: JSON; None for a `delete`.
        added: bytes by which it changes the size of the store.
        refused: why it cannot be kept; "" while it may be.
        waiters: called once it is settled, with `refused`, in the order of the waiting
            and before any later write is in force.
    """

    name: str
    version: int
    value: bytes | None
    added: int
    refused: str = ""
    waiters: list[Callable[[str], None]] = field(default_factory=list)


class Keeper(Protocol):
    """Where writes are kept for good."""

    def keep(self, write: Write) -> None:
        """Take a write, in their order; `Params.settle` is to be called in the same order."""


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
        self._bytes = 0  # with all that is on its way
        self._serial = 0
        self._listeners: list[Listener] = []
        self._keeper: Keeper | None = None
        self._unsaved: dict[str, deque[Write]] = {}  # by name, oldest first
        self._unsaved_bytes = 0
        self._newest: Write | None = None  # of all that is unsaved

    @property
    def size(self) -> int:
        """How many bytes count towards the bound."""
        return self._bytes

    def listen(self, listener: Listener) -> None:
        """Have a function called after every change, with the name and what is set now."""
        self._listeners.append(listener)

    def find(self, name: str) -> Parameter | None:
        """Return the newest value of a name, None if it is not set."""
        return self._set.get(name)

    def names(self, prefix: str = "") -> list[str]:
        """Return the names that are set, sorted."""
        return sorted(name for name in self._set if name.startswith(prefix))

    def set(self, name: str, value: object) -> Write:
        """Store a JSON value, given decoded; return the write, in force or on its way.

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
        before, version = self._latest(name)
        added = len(text) - len(before or b"")
        if not version:
            added += _entry_bytes(name)
        if added > 0 and self._bytes + added > self._max_bytes:
            raise ServiceError(
                "limit_exceeded",
                f"the parameter store is full: {self._bytes} of {self._max_bytes} bytes are used "
                f"(--max-params-bytes) and {quote(name)} needs {added} more; nothing was changed",
            )
        write = Write(name, version + 1, text, added)
        self._write(write)
        return write

    def delete(self, name: str) -> int | None:
        """Take a value out; return its version, None if it was not set."""
        before, version = self._latest(name)
        if before is None:
            return None
        self._write(Write(name, version, None, -len(before)))
        return version

    # -- keeping

    def restore(self, writes: Iterable[Write]) -> None:
        """Begin with what was kept: the last write of each name, whatever the bounds are now."""
        for write in writes:
            self._bytes += _entry_bytes(write.name) + len(write.value or b"")
            self._apply(write)

    def keep_with(self, keeper: Keeper) -> None:
        """Have every write from now on be in force only once it is kept."""
        self._keeper = keeper

    def unsaved(self, name: str | None = None) -> Write | None:
        """Return the newest write, of a name or of all, that is not settled; None if all are."""
        if name is None:
            return self._newest
        writes = self._unsaved.get(name)
        return writes[-1] if writes else None

    def settle(self, write: Write) -> None:
        """Put a write that is kept in force, or take one that is refused back."""
        waiting = self._unsaved[write.name]
        waiting.popleft()
        self._unsaved_bytes -= len(write.value or b"")
        if write.refused:
            self._bytes -= write.added
            for later in waiting:  # their versions count it; so they cannot be kept either
                later.refused = later.refused or write.refused
        if not waiting:
            del self._unsaved[write.name]
        if self._newest is write:
            self._newest = None
        if not write.refused:
            self._apply(write)
        for waiter in write.waiters:
            waiter(write.refused)

    # -- inside

    def _latest(self, name: str) -> tuple[bytes | None, int]:
        """Return a name's value and version with all that is on its way; (None, 0): never set."""
        write = self.unsaved(name)
        if write is not None:
            return write.value, write.version
        found = self._set.get(name)
        return (found.value, found.version) if found else (None, self._deleted.get(name, 0))

    def _write(self, write: Write) -> None:
        if self._keeper is None:
            self._bytes += write.added
            self._apply(write)
            return
        size = len(write.value or b"")
        if self._unsaved_bytes + size > UNSAVED_BYTES:
            raise ServiceError(
                "overloaded",
                f"{self._unsaved_bytes} bytes wait to be written to the disk; "
                "nothing was done, try again",
            )
        before = self.unsaved(write.name)
        if before is not None:
            write.refused = before.refused
        self._bytes += write.added
        self._unsaved_bytes += size
        self._unsaved.setdefault(write.name, deque()).append(write)
        self._newest = write
        self._keeper.keep(write)

    def _apply(self, write: Write) -> None:
        self._serial += 1
        stored: Parameter | None = None
        if write.value is None:
            self._set.pop(write.name, None)
            self._deleted[write.name] = write.version
        else:
            self._deleted.pop(write.name, None)
            stored = Parameter(write.name, write.version, write.value, self._serial)
            self._set[write.name] = stored
        for listener in self._listeners:
            listener(write.name, stored)


def _entry_bytes(name: str) -> int:
    return ENTRY_BYTES + len(name.encode())
