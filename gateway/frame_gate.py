"""Keep what is too long out of a stream of WebSocket frames, before anybody gathers it.

A frame says its length ahead. Of a message beyond the limit the payload is left out, and
what goes on is an empty frame in its place: the stream stays whole, and so does the rest of
the connection. Frames as in RFC 6455, section 5.2.
"""

from __future__ import annotations

from collections import deque
from typing import Final

FIN: Final = 0x80
OPCODE: Final = 0x0F
CONTINUATION: Final = 0x0
CONTROL: Final = 0x8  # opcodes from here on
MASKED: Final = 0x80
LENGTH: Final = 0x7F
LENGTH_BYTES: Final = {126: 2, 127: 8}  # that follow, if the seven bits say so
MASK_BYTES: Final = 4


class FrameGate:
    """Passes on the frames of one stream, from a client."""

    def __init__(self, max_message_bytes: int) -> None:
        self.too_long: deque[bool] = deque()  # of each data message, from its last frame's head on
        self._max_message_bytes = max_message_bytes
        self._head = bytearray()  # of the frame that begins
        self._left = 0  # payload bytes of the frame to come
        self._cutting = False  # they are left out
        self._message_bytes = 0  # of the data message so far

    def feed(self, data: bytes) -> bytes:
        """Return what goes on of the bytes that came."""
        passed: list[bytes] = []
        start = 0
        while start < len(data):
            if self._left:
                stop = min(start + self._left, len(data))
                if not self._cutting:
                    passed.append(data[start:stop])
                self._left -= stop - start
                start = stop
                continue
            self._head.append(data[start])
            start += 1
            if len(self._head) == _head_bytes(self._head):
                passed.append(self._begin_frame())
        return b"".join(passed)

    def _begin_frame(self) -> bytes:
        """Note what a frame's head says; return the head that goes on."""
        head = bytes(self._head)
        self._head.clear()
        opcode, short = head[0] & OPCODE, head[1] & LENGTH
        extended = LENGTH_BYTES.get(short, 0)
        self._left = int.from_bytes(head[2 : 2 + extended]) if extended else short
        if opcode < CONTROL:
            before = self._message_bytes if opcode == CONTINUATION else 0
            self._message_bytes = before + self._left
            self._cutting = self._message_bytes > self._max_message_bytes
            if head[0] & FIN:
                self.too_long.append(self._cutting)
                self._message_bytes = 0
        else:
            self._cutting = False
        if self._cutting:
            head = bytes((head[0], head[1] & MASKED)) + head[2 + extended :]
        return head


def _head_bytes(head: bytearray) -> int:
    """Return how long the head is that begins so."""
    if len(head) < 2:
        return 2
    mask = MASK_BYTES if head[1] & MASKED else 0
    return 2 + LENGTH_BYTES.get(head[1] & LENGTH, 0) + mask
