"""One connection: bytes to lines to its session, and lines back to bytes.

Lines are taken from what has arrived for as long as the session takes them; when it
does not, or the client does not read, reading stops, and TCP holds the client up.
"""

from __future__ import annotations

import asyncio
import socket
from typing import Final, Protocol

from gateway.errors import LineError
from gateway.hub import Hub
from gateway.lines import Lines
from gateway.session import Session

HIGH_WATER_BYTES: Final = 1024 * 1024  # of unread answers, before the client counts as behind
LINES_PER_TURN: Final = 256  # before other connections have theirs: about a millisecond
STALLED_SECONDS: Final = 30.0  # without reading a byte of what it is owed, after its last line
KEEPALIVE: Final = (  # a peer that vanished is noticed within 30 + 3 * 10 s
    ("TCP_KEEPIDLE", 30),
    ("TCP_KEEPALIVE", 30),  # macOS's name for the one above
    ("TCP_KEEPINTVL", 10),
    ("TCP_KEEPCNT", 3),
    ("TCP_USER_TIMEOUT", 60_000),  # ms; the same for a peer that vanished while it was sent to
)


class Connections(Protocol):
    """Where connections are counted."""

    def opened(self, connection: Connection) -> None:
        """Count one in."""

    def closed(self, connection: Connection) -> None:
        """Count one out."""


class Source(Protocol):
    """What cuts bytes into lines, or whatever stands for them."""

    def __bool__(self) -> bool:
        """Whether there is something to take, before more is read."""

    def feed(self, data: bytes) -> None:
        """Add what has arrived."""

    def end(self) -> None:
        """Note that nothing more arrives."""

    def take(self) -> bytes | None:
        """Return the next line, None if there is none yet; raises LineError."""


class Connection(asyncio.Protocol):
    """One client's connection; the outlet of its session.

    As it is, over TCP; over anything else, what differs is what `lines` cuts, and
    `_write`, `_write_own` and `_close`.
    """

    def __init__(self, hub: Hub, connections: Connections, lines: Source | None = None) -> None:
        self._hub = hub
        self._tally = hub.tally
        self._connections = connections
        self._loop = asyncio.get_running_loop()
        self._lines: Source = Lines(hub.max_line_bytes) if lines is None else lines
        self._out: list[bytes] = []
        self._out_bytes = 0
        self._full = False
        self._turn_scheduled = False
        self._reading_paused = False
        self._writing_paused = False
        self._ended = False  # no line comes any more
        self._stalled: asyncio.TimerHandle | None = None
        self._transport: asyncio.Transport
        self._session: Session

    # -- the session's outlet

    @property
    def full(self) -> bool:
        """Whether the client is behind with its reading."""
        return self._full

    @property
    def backlog(self) -> int:
        """How many bytes have not reached the kernel yet."""
        return self._out_bytes + self._transport.get_write_buffer_size()

    def send(self, line: bytes) -> None:
        """Write a line and its newline, with all others of this turn."""
        self._out.append(line)
        self._out_bytes += len(line)
        if self._out_bytes > HIGH_WATER_BYTES:
            self._full = True
        self._schedule_turn()

    # -- asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.set_write_buffer_limits(high=HIGH_WATER_BYTES)
        _set_options(transport.get_extra_info("socket"))
        peer = transport.get_extra_info("peername") or ("unknown", 0)
        self._session = Session(self._hub, self, f"{peer[0]}:{peer[1]}")
        self._connections.opened(self)

    def data_received(self, data: bytes) -> None:
        """Act on the lines that this completes."""
        if self._ended:  # read on, so that closing does not take back what was written
            return
        if self._tally.on:
            self._tally.bytes_in += len(data)
        self._lines.feed(data)
        if self._turn_scheduled:
            self._take_lines()
            return
        self._turn_scheduled = True  # it is this one: what can be answered now is written now
        self._take_lines()
        self._turn()

    def eof_received(self) -> bool:
        """Answer all that has come, then close."""
        if not self._ended:
            self._lines.end()
            self._end()
        # The other direction stays open, but for TLS, which has no half of a close.
        return self._transport.get_extra_info("sslcontext") is None

    def pause_writing(self) -> None:
        """Take no lines until the client has read some of what it is owed."""
        self._writing_paused = self._full = True

    def resume_writing(self) -> None:
        """Go on."""
        self._writing_paused = False
        self._schedule_turn()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the client."""
        del exc
        if self._stalled is not None:
            self._stalled.cancel()
        self._session.closed()
        self._connections.closed(self)

    # -- its end

    def finish(self) -> None:
        """Take no more than has come already; close once all of it is answered."""
        if self._ended:
            return
        self._end()
        self._transport.resume_reading()

    def abort(self) -> None:
        """Close at once."""
        self._transport.abort()

    def _end(self) -> None:
        self._ended = True
        self._stalled = self._loop.call_later(STALLED_SECONDS, self._check_stalled, -1)
        self._take_lines()
        self._schedule_turn()

    def _check_stalled(self, backlog_before: int) -> None:
        """Give up on a client that is owed something and reads none of it."""
        backlog = self.backlog
        if self._session.idle and backlog == backlog_before:
            self._transport.abort()
            return
        self._stalled = self._loop.call_later(STALLED_SECONDS, self._check_stalled, backlog)

    # -- turns

    def _schedule_turn(self) -> None:
        if not self._turn_scheduled:
            self._turn_scheduled = True
            self._loop.call_soon(self._turn)

    def _turn(self) -> None:
        """Write what has gathered, then go on with the lines that had to wait."""
        self._turn_scheduled = False
        if self._transport.is_closing():
            self._out.clear()
            return
        if self._out:
            lines, self._out = self._out, []
            if self._tally.on:
                self._tally.bytes_out += self._out_bytes + len(lines)  # with their newlines
            self._out_bytes = 0
            self._write(lines)  # may call pause_writing
        self._write_own()
        if self._full and not self._writing_paused:
            self._full = False
            self._session.drained()
        self._take_lines()
        if self._ended and not (self._lines or self._out) and self._session.idle:
            self._close()

    def _write(self, lines: list[bytes]) -> None:
        lines.append(b"")
        self._transport.write(b"\n".join(lines))

    def _write_own(self) -> None:
        """Write what the transport's protocol itself has to say."""

    def _close(self) -> None:
        """Say that this is the end, and close once all is written."""
        self._transport.close()

    def _take_lines(self) -> None:
        """Take a turn's share of the lines, and read on only if that was all of them."""
        lines, session = self._lines, self._session
        for _ in range(LINES_PER_TURN):
            if self._full or session.congested:
                break  # the turn in which that changes comes back here
            try:
                line = lines.take()
            except LineError as error:
                session.bad_line(error)
                continue
            if line is None:
                break
            session.line(line)
        else:
            self._schedule_turn()
        if self._ended or bool(lines) == self._reading_paused:
            return
        self._reading_paused = bool(lines)
        if lines:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()


def _set_options(sock: socket.socket) -> None:
    """Send at once, and notice when the peer is gone."""
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in KEEPALIVE:
        if hasattr(socket, name):
            sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
