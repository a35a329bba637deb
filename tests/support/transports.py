"""One server that speaks both ways, and clients that differ in nothing but how."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Protocol

import orjson
from websockets.asyncio.client import ClientConnection, connect

from gateway.listening import bind
from gateway.origins import DEFAULT_ORIGINS
from gateway.server import Server
from gateway.websocket import WebSocket
from tests.support.gateways import MAX_LINE_BYTES, PATIENCE_SECONDS, TestHub, Wire

TRANSPORTS = ("tcp", "websocket")


class Client(Protocol):
    """A client of either kind."""

    async def send(self, *messages: object) -> None:
        """Send messages; bytes are one as it is."""

    async def receive(self) -> dict[str, Any]:
        """Return the next message."""

    async def receive_rest(self) -> list[dict[str, Any]]:
        """Return every message up to the end."""

    async def read_nothing(self) -> None:
        """Leave what comes where it is."""

    async def read_on(self) -> None:
        """Read again."""


class TcpClient(Wire):
    """One that sends lines."""

    async def send(self, *messages: object) -> None:
        for message in messages:
            data = message if isinstance(message, bytes) else orjson.dumps(message)
            self.writer.write(data + b"\n")
        await self.writer.drain()

    async def read_nothing(self) -> None:
        self.reader._transport.pause_reading()  # type: ignore[attr-defined]

    async def read_on(self) -> None:
        self.reader._transport.resume_reading()  # type: ignore[attr-defined]


class WebSocketClient:
    """One that sends text frames."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    async def send(self, *messages: object) -> None:
        for message in messages:
            data = message if isinstance(message, bytes) else orjson.dumps(message)
            await self.connection.send(data, text=True)

    async def receive(self) -> dict[str, Any]:
        async with asyncio.timeout(PATIENCE_SECONDS):
            text = await self.connection.recv()
        assert isinstance(text, str)  # never a binary frame
        message: dict[str, Any] = orjson.loads(text)
        return message

    async def receive_rest(self) -> list[dict[str, Any]]:
        async with asyncio.timeout(PATIENCE_SECONDS):
            return [orjson.loads(text) async for text in self.connection]

    async def read_nothing(self) -> None:
        self.connection.transport.pause_reading()

    async def read_on(self) -> None:
        self.connection.transport.resume_reading()


class BothWays:
    """A running server with a listener of each kind."""

    def __init__(self, server: Server, hub: TestHub, tcp_port: int, websocket_port: int) -> None:
        self.server = server
        self.hub = hub
        self.pool = hub.pool
        self.tcp_port = tcp_port
        self.websocket_port = websocket_port

    @property
    def url(self) -> str:
        """Where WebSockets connect."""
        return f"ws://127.0.0.1:{self.websocket_port}"

    @asynccontextmanager
    async def client(self, transport: str) -> AsyncIterator[Client]:
        """Connect a client."""
        if transport == "websocket":
            async with connect(self.url, max_size=None, compression=None) as connection:
                yield WebSocketClient(connection)
            return
        limit = 4 * MAX_LINE_BYTES
        reader, writer = await asyncio.open_connection("127.0.0.1", self.tcp_port, limit=limit)
        try:
            yield TcpClient(reader, writer)
        finally:
            sock = writer.get_extra_info("socket")
            # With a reset: an end of input alone could be a client that still reads.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()


@asynccontextmanager
async def serving_both(
    *, max_line_bytes: int = MAX_LINE_BYTES, origins: Sequence[str] = DEFAULT_ORIGINS
) -> AsyncIterator[BothWays]:
    """Run a server with a fake pool, on a free port for each kind of client."""
    hub = TestHub(max_line_bytes=max_line_bytes)
    server = Server(hub.hub, 1000)
    (tcp,), (websocket,) = bind("127.0.0.1", 0), bind("127.0.0.1", 0)
    ports = tcp.getsockname()[1], websocket.getsockname()[1]
    server.listen(tcp)
    server.listen(websocket, partial(WebSocket, origins=origins))
    try:
        yield BothWays(server, hub, *ports)
    finally:
        await server.stop(PATIENCE_SECONDS)
