"""A client for asyncio: many calls at once, topics, services of its own, and it reconnects.

    async with AsyncClient(port=9095) as client:
        await client.set_param("robot_description", text)
        solution = await client.solve("tool", {"position": {"x": 0.3, "y": 0.2, "z": 0.3}})

Needs the standard library, and `gateway.client` and `gateway.results` beside it. Calls that
are open when the connection is lost fail at once, with ConnectionError: the client cannot
know whether they had an effect. What it subscribed to, advertised and provided is asked for
again as soon as a new connection is there.
"""

from __future__ import annotations

import asyncio
import inspect
import itertools
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Final

from gateway.client import (
    DEFAULT_HOST,
    DEFAULT_PORT,
    DEFAULT_TIMEOUT_SECONDS,
    KEPT_MESSAGES,
    MAX_LINE_BYTES,
    CallError,
    Values,
)
from gateway.results import Pose, Solution, joint_state, pose, solution

RETRY_SECONDS: Final = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0)  # before the next try to connect

Handler = Callable[[Values], Values | Awaitable[Values]]


class AsyncClient:
    """A connection to a gateway, kept up until it is closed."""

    def __init__(
        self,
        host: str = DEFAULT_HOST,
        port: int = DEFAULT_PORT,
        timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
        token: str | None = None,
    ) -> None:
        """Prepare; `async with` connects, and fails with OSError if nobody listens.

        Args:
            host: the gateway's name or address.
            port: its TCP port.
            timeout_seconds: the longest that a call may take.
            token: shown first on every connection, for a gateway that asks for one.
        """
        self._address = host, port
        self._token = token
        self._timeout_seconds = timeout_seconds
        self._ids = itertools.count(1)
        self._open: dict[str, asyncio.Future[Values]] = {}
        self._standing: dict[tuple[str, str], Values] = {}  # asked for again after a loss
        self._queues: dict[str, list[asyncio.Queue[Any]]] = {}
        self._handlers: dict[str, Handler] = {}
        self._answering: set[asyncio.Task[None]] = set()
        self._writer: asyncio.StreamWriter | None = None
        self._connected = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> AsyncClient:
        reader, writer = await self._connect()
        self._task = asyncio.create_task(self._keep_up(reader, writer))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connection; what is open fails."""
        tasks = [task for task in (self._task, *self._answering) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._lose()

    # -- calls

    async def call(self, service: str, args: Mapping[str, object] | None = None) -> Values:
        """Call a service and return its `values`.

        Raises:
            CallError: the answer is `result:false`.
            ConnectionError: the connection is lost, or not there.
            TimeoutError: no answer came in time.
            ValueError: `args` holds what JSON cannot, such as NaN.
        """
        message = {"op": "call_service", "service": service, "args": dict(args or {})}
        answer = await self._ask(message)
        values: Values = answer.get("values") or {}
        if answer.get("result") is not True:
            raise CallError(str(values.get("code", "")), str(answer.get("status", "")), values)
        return values

    async def set_param(self, name: str, value: object) -> int:
        """Store a JSON value; return its version."""
        values = await self.call("/param_server/set_param", {"name": name, "value": value})
        return int(values["version"])

    async def get_param(self, name: str) -> Any:  # noqa: ANN401  any JSON value
        """Return the newest value of a parameter."""
        return (await self.call("/param_server/get_param", {"name": name}))["value"]

    async def forward_kinematics(
        self,
        positions: Mapping[str, float] | None = None,
        links: Sequence[str] | None = None,
        **options: object,
    ) -> dict[str, Pose]:
        """Return the poses of links; joints left out are at 0, links left out are all."""
        args = {**options, "joint_state": joint_state(positions or {})}
        if links is not None:
            args["links"] = list(links)
        values = await self.call("/ik/forward_kinematics", args)
        return {link: pose(found) for link, found in values["poses"].items()}

    async def solve(
        self,
        link: str,
        target: Mapping[str, object],
        seed: Mapping[str, float] | None = None,
        **options: object,
    ) -> Solution:
        """Return joint positions that put a link at a pose.

        Raises:
            CallError: also if there are none; its `values` hold the closest found.
        """
        args = {**options, "link": link, "target": dict(target), "seed": joint_state(seed or {})}
        values = await self.call("/ik/solve_robot", args)
        return solution(values)

    # -- topics and services

    async def advertise(self, topic: str, type_: str) -> None:
        """Announce that this client publishes on a topic."""
        message = {"op": "advertise", "topic": topic, "type": type_}
        self._standing["advertise", topic] = message
        await self._send(message)

    async def publish(self, topic: str, message: object) -> None:
        """Publish on a topic that was advertised."""
        await self._send({"op": "publish", "topic": topic, "msg": message})

    async def messages(self, topic: str) -> AsyncGenerator[Any, None]:
        """Subscribe to a topic and yield its messages, across losses of the connection."""
        queue: asyncio.Queue[Any] = asyncio.Queue(KEPT_MESSAGES)
        queues = self._queues.setdefault(topic, [])
        queues.append(queue)
        message = {"op": "subscribe", "topic": topic}
        self._standing["subscribe", topic] = message
        try:
            await self._acknowledged(message)
            while True:
                yield await queue.get()
        finally:
            queues.remove(queue)
            if not queues:
                self._standing.pop(("subscribe", topic), None)
                if self._connected.is_set():
                    await self._send({"op": "unsubscribe", "topic": topic})

    async def provide(self, service: str, type_: str, handler: Handler) -> None:
        """Serve calls of a service: `handler` gets `args` and returns `values`.

        What it raises is answered as `result:false`, with the error's text.
        """
        self._handlers[service] = handler
        message = {"op": "advertise_service", "service": service, "type": type_}
        self._standing["provide", service] = message
        await self._acknowledged(message)

    # -- the connection

    @property
    def connected(self) -> asyncio.Event:
        """Set while there is a connection."""
        return self._connected

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        async with asyncio.timeout(self._timeout_seconds):
            host, port = self._address
            reader, writer = await asyncio.open_connection(host, port, limit=MAX_LINE_BYTES)
        if self._token is not None:
            hello = {"op": "auth", "token": self._token}
            writer.write(json.dumps(hello).encode() + b"\n")
        self._writer = writer
        self._connected.set()
        return reader, writer

    async def _keep_up(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Read from the connection; when it is lost, make a new one."""
        while True:
            try:
                while line := await reader.readline():
                    self._take(json.loads(line))
            except (OSError, ValueError):  # a reset, or a line that no gateway sends
                writer.transport.abort()
            self._lose()
            for tries in itertools.count():
                await asyncio.sleep(RETRY_SECONDS[min(tries, len(RETRY_SECONDS) - 1)])
                try:
                    reader, writer = await self._connect()
                    for message in self._standing.values():
                        await self._send(message)
                    break
                except OSError:
                    self._lose()

    def _lose(self) -> None:
        self._connected.clear()
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        for future in self._open.values():
            if not future.done():
                future.set_exception(ConnectionError("the connection to the gateway is lost"))
        self._open.clear()

    async def _send(self, message: Values) -> None:
        data = json.dumps(message, allow_nan=False).encode() + b"\n"
        if self._writer is None:
            raise ConnectionError("there is no connection to the gateway at the moment")
        self._writer.write(data)
        await self._writer.drain()

    async def _ask(self, message: Values) -> Values:
        id_ = str(next(self._ids))
        future = self._open[id_] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(self._timeout_seconds):
                await self._send(message | {"id": id_})
                answer: Values = await future
                return answer
        finally:
            self._open.pop(id_, None)
            future.cancel()

    async def _acknowledged(self, message: Values) -> None:
        answer = await self._ask(message)
        if answer.get("level") == "error":
            raise CallError("invalid_request", str(answer.get("msg")), {})

    def _take(self, message: Values) -> None:
        op = message.get("op")
        if op == "publish":
            for queue in self._queues.get(str(message.get("topic")), ()):
                if queue.full():
                    queue.get_nowait()  # the oldest goes first
                queue.put_nowait(message.get("msg"))
        elif op == "call_service":
            task = asyncio.create_task(self._answer(message))
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)
        elif (future := self._open.get(str(message.get("id")))) and not future.done():
            future.set_result(message)

    async def _answer(self, message: Values) -> None:
        """Serve a call."""
        answer: Values = {"op": "service_response", "id": message["id"]}
        try:
            found = self._handlers[message["service"]](message.get("args") or {})
            values = await found if inspect.isawaitable(found) else found
            answer |= {"values": values, "result": True}
        except Exception as error:  # noqa: BLE001  whatever it is, the caller hears of it
            answer |= {"values": {}, "result": False, "status": str(error) or repr(error)}
        if self._connected.is_set():
            await self._send(answer)
