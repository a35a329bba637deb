"""Bytes as they arrive -> whole lines. Knows no socket.

Work is linear in the bytes, however they are cut: only new bytes are searched for a
line's end, and an unfinished line grows in place.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from gateway.errors import LineError

BOM: Final = b"\xef\xbb\xbf"
WHITE: Final = b" \t\r"
FRAMING_BYTES: Final = 4  # a line may have beside its own: a BOM and a carriage return


class Lines:
    """The lines of one stream, taken one at a time.

    A line ends with a newline, or a carriage return and a newline. Blank ones are left
    out, a byte order mark before one is dropped. Of a line over the limit nothing is
    kept: `take` raises for it once, and the line after it is whole again.
    """

    def __init__(self, max_line_bytes: int) -> None:
        self._max_line_bytes = max_line_bytes
        self._whole: deque[bytes | None] = deque()  # None stands for one that was too long
        self._tail = bytearray()  # of the line that has not ended yet
        self._discarding = False  # the tail was too long; its end is still to come

    def __bool__(self) -> bool:
        """Whether there is something to take."""
        return bool(self._whole)

    def feed(self, data: bytes) -> None:
        """Add what has arrived."""
        if b"\n" not in data:
            self._extend(data)
            return
        first, *lines = data.split(b"\n")
        self._extend(first)
        self.end()
        last = lines.pop()
        for line in filter(None, lines):
            self._add(line)
        self._extend(last)

    def end(self) -> None:
        """End the current line: its newline has come, or the stream has ended."""
        if self._tail:
            self._add(bytes(self._tail))
            self._tail = bytearray()
        self._discarding = False

    def take(self) -> bytes | None:
        """Return the next whole line, without its end; None if there is none yet.

        Raises:
            LineError: the next line was longer than the limit.
        """
        if not self._whole:
            return None
        line = self._whole.popleft()
        if line is None:
            raise LineError(
                f"the line is longer than {self._max_line_bytes} bytes (--max-line-bytes); "
                "it was discarded"
            )
        return line

    def _extend(self, data: bytes) -> None:
        if self._discarding:
            return
        self._tail += data
        if len(self._tail) > self._max_line_bytes + FRAMING_BYTES:
            self._whole.append(None)
            self._tail = bytearray()
            self._discarding = True

    def _add(self, line: bytes) -> None:
        line = line.removeprefix(BOM).strip(WHITE)
        if len(line) > self._max_line_bytes:
            self._whole.append(None)
        elif line:
            self._whole.append(line)
