"""Accept connections on a listening socket for as long as there is room for more.

Where there is none, nothing is accepted: who comes waits in the kernel's queue, and takes
no descriptor, until a connection ends.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
from collections.abc import Callable
from typing import Final, Protocol

BURST: Final = 64  # accepted at once, before those that are there have their turn
RETRY_SECONDS: Final = 0.1  # after the system had no descriptor or no memory
HANDSHAKE_SECONDS: Final = 10.0  # for a client to begin TLS; until then it counts

log = logging.getLogger(__name__)


class Room(Protocol):
    """Who counts connections."""

    def take(self) -> bool:
        """Count one in that is about to come; False if there is no room."""

    def give_back(self) -> None:
        """Count out one that did not come about."""


class Acceptor:
    """Accepts on one socket."""

    def __init__(
        self,
        sock: socket.socket,
        make: Callable[[], asyncio.Protocol],
        tls: ssl.SSLContext | None,
        room: Room,
    ) -> None:
        """Begin to accept.

        Args:
            sock: listens, does not block.
            make: makes the protocol of a connection.
            tls: how to speak TLS, None to speak plainly.
            room: is asked before each connection.
        """
        self._sock = sock
        self._make = make
        self._tls = tls
        self._room = room
        self._loop = asyncio.get_running_loop()
        self._opening: set[asyncio.Task[None]] = set()
        self._accepting = False
        self._closed = False
        self.resume()

    def resume(self) -> None:
        """Accept again: there may be room."""
        if not (self._closed or self._accepting):
            self._accepting = True
            self._loop.add_reader(self._sock, self._accept)

    def close(self) -> None:
        """Accept no more; who waits in the kernel's queue is turned away."""
        self._pause()
        self._closed = True
        self._sock.close()

    def _pause(self) -> None:
        if self._accepting:
            self._accepting = False
            self._loop.remove_reader(self._sock)

    def _accept(self) -> None:
        for _ in range(BURST):
            if not self._room.take():
                self._pause()
                return
            try:
                connection, _ = self._sock.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                self._room.give_back()
                return
            except OSError as error:
                self._room.give_back()
                log.error("connection not accepted", extra={"error": error.strerror})  # noqa: TRY400
                self._pause()
                self._loop.call_later(RETRY_SECONDS, self.resume)
                return
            connection.setblocking(False)
            task = self._loop.create_task(self._open(connection))
            self._opening.add(task)
            task.add_done_callback(self._opening.discard)

    async def _open(self, connection: socket.socket) -> None:
        seconds = HANDSHAKE_SECONDS if self._tls else None
        opened = False
        try:
            await self._loop.connect_accepted_socket(
                self._make, connection, ssl=self._tls, ssl_handshake_timeout=seconds
            )
            opened = True
        except OSError as error:  # ssl.SSLError and ConnectionError among them
            log.info("no connection", extra={"error": str(error)})
        finally:
            if not opened:
                connection.close()
                self._room.give_back()
