"""A gateway under test: a pool and outlets that remember, and a server on a free port."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import orjson

from gateway.calls import Call, Description, PoolFigures
from gateway.envelope import response_line
from gateway.hub import Hub
from gateway.listening import bind
from gateway.params import Params
from gateway.providers import Providers
from gateway.server import Server
from gateway.services import SERVICES
from gateway.session import Session
from gateway.topics import Topics

MAX_LINE_BYTES = 4 * 1024 * 1024
PATIENCE_SECONDS = 10.0  # before a test gives up on something that has to come


class FakePool:
    """Answers calls at once, or keeps them until told to."""

    def __init__(self, *, hold: bool = False, answer_bytes: int = 0) -> None:
        self.hold = hold
        self.answer_bytes = answer_bytes  # of padding
        self.calls: list[Call] = []  # every one, oldest first
        self.held: list[Call] = []
        self.cancelled: list[object] = []
        self.described: list[Description | None] = []
        self.started = False
        self.stopped = False
        self.alive = 1

    def start(self) -> None:
        """Note it."""
        self.started = True

    async def stop(self, seconds: float) -> None:
        """Note it."""
        del seconds
        self.stopped = True

    def figures(self) -> PoolFigures:
        """Return those of a pool that has one worker, or none."""
        return PoolFigures(1, self.alive, 0, 0, len(self.held), 0)

    def submit(self, call: Call) -> None:
        """Answer, or hold."""
        self.calls.append(call)
        if self.hold:
            self.held.append(call)
        else:
            self.answer(call)

    def give_up(self) -> None:
        """Answer what is not answered yet."""
        held, self.held = self.held, []
        for call in held:
            call.fail("timeout", "the gateway stops")

    def cancel(self, client: object) -> None:
        """Drop what is held for a client."""
        self.cancelled.append(client)
        self.held = [call for call in self.held if call.client is not client]

    def describe(self, description: Description | None) -> None:
        """Note it."""
        self.described.append(description)

    def answer(self, call: Call) -> None:
        """Answer with the version, and the `args` as they reached the pool."""
        version = call.description.version if call.description else 0
        args = orjson.loads(call.line).get("args")
        values = {"version": version, "args": args, "padding": "x" * self.answer_bytes}
        call.done(response_line(call.service, call.id, values))

    def release(self) -> None:
        """Answer all that is held, newest first."""
        while self.held:
            self.answer(self.held.pop())


class FakeOutlet:
    """Remembers what was sent."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.full = False
        self.backlog = 0
        self.finished = False

    def send(self, line: bytes) -> None:
        """Note it."""
        self.lines.append(line)

    def finish(self) -> None:
        """Note it."""
        self.finished = True

    def take(self) -> list[dict[str, Any]]:
        """Return the messages sent since the last time."""
        messages = [orjson.loads(line) for line in self.lines]
        self.lines.clear()
        return messages


class FakeClock:
    """Tells the time that it is set to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        """Tell the time."""
        return self.now


class TestHub:
    """What sessions share, with its fakes in reach."""

    __test__ = False

    def __init__(
        self, *, max_line_bytes: int = MAX_LINE_BYTES, timeout: float = 30.0, token: bytes = b""
    ) -> None:
        self.pool = FakePool()
        self.clock = FakeClock()
        self.hub = Hub(
            Params(1 << 26, max_line_bytes),
            Topics(max_line_bytes),
            Providers(SERVICES, timeout, max_line_bytes, self.clock),
            self.pool,
            max_line_bytes,
            self.clock,
            token,
        )

    def client(self) -> SessionClient:
        """Return a new client."""
        return SessionClient(self.hub)


class SessionClient:
    """A client that reaches its session without a transport."""

    def __init__(self, hub: Hub) -> None:
        self.outlet = FakeOutlet()
        self.session = Session(hub, self.outlet, "test:1")

    def say(self, message: object) -> list[dict[str, Any]]:
        """Send one line, bytes as they are; return what came back at once."""
        line = message if isinstance(message, bytes) else orjson.dumps(message)
        self.session.line(line)
        return self.outlet.take()

    def call(self, service: str, args: object = None, **fields: object) -> dict[str, Any]:
        """Call a service; return the answer, which has to be the only message."""
        (answer,) = self.say(request(service, args, **fields))
        assert answer["op"] == "service_response"
        return answer


def request(service: str, args: object = None, **fields: object) -> dict[str, object]:
    """Return a `call_service`."""
    message: dict[str, object] = {"op": "call_service", "service": service, **fields}
    return message if args is None else message | {"args": args}


@asynccontextmanager
async def serving(
    *,
    max_line_bytes: int = MAX_LINE_BYTES,
    max_connections: int = 1000,
    host: str = "127.0.0.1",
) -> AsyncIterator[Serving]:
    """Run a server with a fake pool on a free port."""
    hub = TestHub(max_line_bytes=max_line_bytes)
    server = Server(hub.hub, max_connections)
    (sock,) = bind(host, 0)
    port = sock.getsockname()[1]
    server.listen(sock)
    try:
        yield Serving(server, hub, port)
    finally:
        await server.stop(PATIENCE_SECONDS)


class Serving:
    """A running server."""

    def __init__(self, server: Server, hub: TestHub, port: int) -> None:
        self.server = server
        self.hub = hub
        self.pool = hub.pool
        self.port = port

    @asynccontextmanager
    async def client(self) -> AsyncIterator[Wire]:
        """Connect a client."""
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", self.port, limit=4 * MAX_LINE_BYTES
        )
        try:
            yield Wire(reader, writer)
        finally:
            writer.transport.abort()


class Wire:
    """A client that speaks bytes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def send(self, *messages: object) -> None:
        """Send bytes as they are, and anything else as a line of JSON."""
        for message in messages:
            data = message if isinstance(message, bytes) else orjson.dumps(message) + b"\n"
            self.writer.write(data)
        await self.writer.drain()

    async def receive(self) -> dict[str, Any]:
        """Return the next message."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            line = await self.reader.readuntil(b"\n")
        message: dict[str, Any] = orjson.loads(line)
        return message

    async def receive_rest(self) -> list[dict[str, Any]]:
        """Return every message up to the end of the stream."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            data = await self.reader.read()
        return [orjson.loads(line) for line in data.splitlines()]

    async def call(self, service: str, args: object = None, **fields: object) -> dict[str, Any]:
        """Call a service and return the next message."""
        await self.send(request(service, args, **fields))
        return await self.receive()


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something to come true."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < end, "it did not come true"
        await asyncio.sleep(0.001)
