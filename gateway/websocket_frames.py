"""A WebSocket's bytes -> whole messages, and messages -> its bytes. Knows no socket.

The counterpart of `gateway.lines`: one message a text frame, in place of one a line. The
protocol itself is the library's (`websockets`, without its I/O).
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Sequence
from typing import Final

from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import SEND_EOF, State
from websockets.server import ServerProtocol

from gateway.errors import LineError
from gateway.frame_gate import FrameGate
from gateway.lines import BOM, WHITE
from gateway.origins import is_allowed

HANDSHAKE_BYTES: Final = 64 * 1024  # a browser with all its cookies sends a few thousand
HANDSHAKE_START: Final = b"GET "
HANDSHAKE_END: Final = b"\r\n\r\n"
NO_HANDSHAKE: Final = (
    b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\n"
    b"This port is for WebSockets; JSON lines go to the one of --port.\n"
)
CONTROL_BYTES: Final = 125  # the most that a ping may carry
GOING_AWAY: Final = 1001
DATA: Final = (Opcode.TEXT, Opcode.BINARY, Opcode.CONT)  # binary ones are read as text

library_log = logging.getLogger(f"{__name__}.library")
library_log.setLevel(logging.ERROR)  # it tells of every connection otherwise
log = logging.getLogger(__name__)


class WebSocketFrames:
    """The messages of one WebSocket, taken one at a time."""

    def __init__(self, max_message_bytes: int, origins: Sequence[str]) -> None:
        """Begin before the handshake.

        Args:
            max_message_bytes: a longer message is left out, and `take` raises for it once.
            origins: of the pages that may connect, as `gateway.origins` reads them.
        """
        self._max_message_bytes = max_message_bytes
        self._origins = origins
        # Between two frames of a message a ping counts towards the library's limit, too.
        max_size = max_message_bytes + CONTROL_BYTES
        self._protocol = ServerProtocol(max_size=max_size, logger=library_log)
        self._gate = FrameGate(max_message_bytes)
        self._handshake = bytearray()
        self._message = bytearray()  # that has not ended yet
        self._whole: deque[bytes | None] = deque()  # None stands for one that was too long
        self._own: list[bytes] = []  # what the protocol itself has to say
        self.closed = False  # nothing more can be said, except that

    def __bool__(self) -> bool:
        """Whether there is something to take, or something to say before more is read."""
        return bool(self._whole or self._own)

    def feed(self, data: bytes) -> None:
        """Add what has arrived."""
        if self._protocol.state is State.CONNECTING:
            data = self._shake_hands(data)
        if data and self._protocol.state is State.OPEN and not self.closed:
            self._receive(self._gate.feed(data))

    def end(self) -> None:
        """Note that nothing more arrives: a message that has not ended is none."""
        self._message.clear()

    def take(self) -> bytes | None:
        """Return the next whole message; None if there is none yet.

        Raises:
            LineError: the next message was longer than the limit.
        """
        if not self._whole:
            return None
        message = self._whole.popleft()
        if message is None:
            raise LineError(
                f"the message is longer than {self._max_message_bytes} bytes (--max-line-bytes); "
                "it was discarded"
            )
        return message

    def wrap(self, lines: Sequence[bytes]) -> bytes:
        """Return the bytes of a text frame for each line; none once the WebSocket is closed."""
        if self._protocol.state is not State.OPEN:
            return b""
        for line in lines:
            self._protocol.send_text(line)
        return b"".join(self._protocol.data_to_send())

    def own(self) -> bytes:
        """Return what the protocol has to say: the handshake's answer, pongs, a close."""
        data = b"".join(self._own)
        self._own.clear()
        return data

    def close(self) -> bytes:
        """Return the frame that ends the WebSocket."""
        if self._protocol.state is State.OPEN:
            self._protocol.send_close(GOING_AWAY)
        return self.own() + b"".join(self._protocol.data_to_send())

    def _shake_hands(self, data: bytes) -> bytes:
        """Gather the handshake and answer it; return what came after it."""
        self._handshake += data
        end = self._handshake.find(HANDSHAKE_END)
        begins = HANDSHAKE_START.startswith(self._handshake[: len(HANDSHAKE_START)])
        if not begins or len(self._handshake) > HANDSHAKE_BYTES:
            self._own.append(NO_HANDSHAKE)
            self.closed = True
            return b""
        if end < 0:
            return b""
        end += len(HANDSHAKE_END)
        request, rest = bytes(self._handshake[:end]), bytes(self._handshake[end:])
        self._handshake.clear()
        self._receive(request)
        return rest

    def _receive(self, data: bytes) -> None:
        self._protocol.receive_data(data)
        for event in self._protocol.events_received():
            if isinstance(event, Request):
                self._answer(event)
            elif isinstance(event, Frame) and event.opcode in DATA:
                self._gather(event)
        said = self._protocol.data_to_send()
        self.closed = self.closed or SEND_EOF in said
        self._own += filter(None, said)

    def _answer(self, request: Request) -> None:
        origins = request.headers.get_all("Origin")
        if all(is_allowed(origin, self._origins) for origin in origins):
            self._protocol.send_response(self._protocol.accept(request))
            return
        log.warning("page refused", extra={"origin": origins[0]})
        sentence = f"pages of {origins[0]} may not connect (--websocket-origins)\n"
        self._protocol.send_response(self._protocol.reject(403, sentence))

    def _gather(self, frame: Frame) -> None:
        self._message += frame.data
        if not frame.fin:
            return
        message = bytes(self._message).removeprefix(BOM).strip(WHITE + b"\n")
        self._message.clear()
        if self._gate.too_long.popleft():
            self._whole.append(None)
        elif message:
            self._whole.append(message)
