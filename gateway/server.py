"""Listeners and connections, from the first to the last."""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
from collections.abc import Callable
from typing import Final

from gateway.accepting import Acceptor
from gateway.connection import Connection, Connections
from gateway.hub import Hub

log = logging.getLogger(__name__)

Maker = Callable[[Hub, Connections], Connection]

LAST_TURNS: Final = 2  # of the event loop, for lines that had arrived before the stop

CALM: Final = 0.9  # of the connections that there may be; above it a full house is no news


class Server:
    """Accepts connections until it is stopped."""

    def __init__(self, hub: Hub, max_connections: int) -> None:
        self._hub = hub
        self._max_connections = max_connections
        self._acceptors: list[Acceptor] = []
        self._connections: set[Connection] = set()
        self._coming = 0  # accepted, but not connected yet
        self._full = False  # said so in the log
        self._empty = asyncio.Event()
        self._empty.set()

    @property
    def clients(self) -> int:
        """How many connections there are."""
        return len(self._connections)

    def listen(
        self, sock: socket.socket, make: Maker = Connection, tls: ssl.SSLContext | None = None
    ) -> None:
        """Accept connections on a bound socket, of a kind that `make` makes, through TLS or not."""
        self._acceptors.append(Acceptor(sock, lambda: make(self._hub, self), tls, self))

    async def stop(self, seconds: float) -> None:
        """Accept no more; answer what has come and close, by force when the time is up."""
        for acceptor in self._acceptors:
            acceptor.close()
        for _ in range(LAST_TURNS):
            await asyncio.sleep(0)
        for connection in list(self._connections):
            connection.finish()
        try:
            async with asyncio.timeout(seconds):
                await self._empty.wait()
        except TimeoutError:
            log.warning("connections cut", extra={"connections": len(self._connections)})
        for connection in list(self._connections):
            connection.abort()
        await self._empty.wait()

    # -- counting

    def take(self) -> bool:
        """Count in a connection that is about to come; False if there is no room."""
        if len(self._connections) + self._coming >= self._max_connections:
            if not self._full:
                self._full = True
                log.warning("no more connections accepted", extra={"limit": self._max_connections})
            return False
        self._coming += 1
        return True

    def give_back(self) -> None:
        """Count out a connection that did not come about."""
        self._coming -= 1
        self._resume()

    def opened(self, connection: Connection) -> None:
        """Note that a connection has come about."""
        self._coming -= 1
        self._connections.add(connection)
        self._hub.tally.clients = len(self._connections)
        self._empty.clear()

    def closed(self, connection: Connection) -> None:
        """Count a connection out."""
        self._connections.discard(connection)
        self._hub.tally.clients = len(self._connections)
        if not self._connections:
            self._empty.set()
        self._resume()

    def _resume(self) -> None:
        if len(self._connections) < self._max_connections * CALM:
            self._full = False
        for acceptor in self._acceptors:
            acceptor.resume()
