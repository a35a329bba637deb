"""Listeners and connections, from the first to the last."""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
from collections.abc import Callable
from typing import Final

from gateway.connection import Connection, Connections
from gateway.hub import Hub
from gateway.listening import BACKLOG

log = logging.getLogger(__name__)

Maker = Callable[[Hub, Connections], Connection]

LAST_TURNS: Final = 2  # of the event loop, for lines that had arrived before the stop


class Server:
    """Accepts connections until it is stopped."""

    def __init__(self, hub: Hub, max_connections: int) -> None:
        self._hub = hub
        self._max_connections = max_connections
        self._listeners: list[asyncio.Server] = []
        self._connections: set[Connection] = set()
        self._refusing = False  # said so in the log
        self._empty = asyncio.Event()
        self._empty.set()

    async def listen(
        self, sock: socket.socket, make: Maker = Connection, tls: ssl.SSLContext | None = None
    ) -> None:
        """Accept connections on a bound socket, of a kind that `make` makes, through TLS or not."""
        loop = asyncio.get_running_loop()
        self._listeners.append(
            await loop.create_server(
                lambda: make(self._hub, self), sock=sock, backlog=BACKLOG, ssl=tls
            )
        )

    async def stop(self, seconds: float) -> None:
        """Accept no more; answer what has come and close, by force when the time is up."""
        for listener in self._listeners:
            # Not followed by wait_closed: Python 3.12 and later wait there for clients, too.
            listener.close()
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

    def opened(self, connection: Connection) -> bool:
        """Count a connection in; False if there are too many."""
        self._connections.add(connection)
        self._empty.clear()
        within = len(self._connections) <= self._max_connections
        if within:
            self._refusing = False
        elif not self._refusing:
            self._refusing = True
            log.warning("connections refused", extra={"limit": self._max_connections})
        return within

    def closed(self, connection: Connection) -> None:
        """Count a connection out."""
        self._connections.discard(connection)
        if not self._connections:
            self._empty.set()
