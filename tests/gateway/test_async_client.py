"""The asyncio client: calls, topics, services of its own, and losses of the connection."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing

import pytest

from gateway.async_client import AsyncClient
from gateway.client import CallError, Values
from gateway.results import Pose
from tests.support.gateways import until
from tests.support.live import ROOT, Live, gateway

ARM = (ROOT / "docs/examples/arm.urdf").read_text("utf-8")


@pytest.fixture(scope="module")
def live() -> Iterator[Live]:
    with gateway() as running:
        running.load(ARM)
        yield running


@pytest.fixture
async def client(live: Live) -> AsyncIterator[AsyncClient]:
    async with AsyncClient(port=live.port) as client:
        yield client


class Relay:
    """Passes bytes on to a gateway, and can cut all connections."""

    def __init__(self, port: int) -> None:
        self.gateway_port = port
        self.writers: list[asyncio.StreamWriter] = []
        self.tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Relay:
        self.server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port: int = self.server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self.cut()
        self.server.close()
        await asyncio.gather(*self.tasks, return_exceptions=True)

    def cut(self) -> None:
        for writer in self.writers:
            writer.transport.abort()
        self.writers.clear()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there = await asyncio.open_connection("127.0.0.1", self.gateway_port)
        self.writers += [writer, there[1]]
        for source, sink in ((reader, there[1]), (there[0], writer)):
            self.tasks.append(asyncio.create_task(self._copy(source, sink)))

    async def _copy(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        while data := await source.read(65536):
            sink.write(data)
        sink.transport.abort()


async def test_results_have_types(client: AsyncClient) -> None:
    poses = await client.forward_kinematics({"waist": 0.0}, ["base", "shoulder"])
    assert poses["shoulder"] == Pose((0.0, 0.0, 0.12), (0.0, 0.0, 0.0, 1.0))
    solution = await client.solve("tool", {"position": {"x": 0.3, "y": 0.2, "z": 0.3}})
    assert solution.position_error is not None
    assert solution.position_error <= 1e-6
    assert solution.orientation_error is None
    (reached,) = (await client.forward_kinematics(solution.positions, ["tool"])).values()
    assert reached.position == pytest.approx((0.3, 0.2, 0.3), abs=1e-6)


async def test_many_calls_at_once(client: AsyncClient) -> None:
    names = [f"/many/{n}" for n in range(100)]
    await asyncio.gather(*(client.set_param(name, name) for name in names))
    assert await asyncio.gather(*(client.get_param(name) for name in names)) == names


async def test_a_refusal_is_raised_with_its_code(client: AsyncClient) -> None:
    with pytest.raises(CallError, match="did you mean 'tool'") as refused:
        await client.forward_kinematics(links=["tol"])
    assert refused.value.code == "unknown_link"


async def test_topics_and_services_of_its_own(client: AsyncClient, live: Live) -> None:
    async def double(args: Values) -> Values:
        await asyncio.sleep(0)
        return {"value": 2 * args["value"]}

    await client.provide("/double", "demo/Double", double)
    await client.provide("/id", "demo/Id", lambda args: args)
    async with AsyncClient(port=live.port) as other, aclosing(other.messages("/chat")) as chat:
        heard = asyncio.create_task(anext(chat))
        await other.advertise("/chat", "std_msgs/String")
        while not heard.done():
            await other.publish("/chat", {"data": "hello"})
            await asyncio.sleep(0.01)
        assert heard.result() == {"data": "hello"}
        assert await other.call("/double", {"value": 4}) == {"value": 8}
        assert await other.call("/id", {"a": None}) == {"a": None}
        with pytest.raises(CallError, match="value"):
            await other.call("/double", {})


async def test_a_topic_that_cannot_be_had_is_told(client: AsyncClient) -> None:
    async with aclosing(client.messages("x" * 5000)) as messages:
        with pytest.raises(CallError, match="longer than 4096"):
            await anext(messages)


async def test_an_open_call_fails_at_once_and_what_stands_is_asked_for_again(live: Live) -> None:
    async with Relay(live.port) as relay, AsyncClient(port=relay.port) as client:
        hang = asyncio.Event()

        async def wait(_args: Values) -> Values:
            await hang.wait()
            return {}

        async with AsyncClient(port=live.port) as provider:
            await provider.provide("/hang", "x/Hang", wait)
            await client.provide("/mine", "x/Mine", lambda _args: {"ok": True})
            async with aclosing(client.messages("/news")) as news:
                first = asyncio.create_task(anext(news))
                call = asyncio.create_task(client.call("/hang"))
                await asyncio.sleep(0.1)
                relay.cut()
                with pytest.raises(ConnectionError):
                    await call
                async with asyncio.timeout(10):
                    await client.connected.wait()
                    await provider.advertise("/news", "std_msgs/String")
                    while not first.done():
                        await provider.publish("/news", {"n": 1})
                        await asyncio.sleep(0.01)
                assert first.result() == {"n": 1}
                assert await provider.call("/mine") == {"ok": True}


async def test_while_there_is_no_connection_calls_fail_at_once(live: Live) -> None:
    async with Relay(live.port) as relay, AsyncClient(port=relay.port) as client:
        await client.set_param("there", 1)
        relay.server.close()
        relay.cut()
        await until(lambda: not client.connected.is_set())
        with pytest.raises(ConnectionError, match="no connection"):
            await client.get_param("x")


async def test_nobody_there_is_told_at_the_start() -> None:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        with pytest.raises(OSError, match="Connect call failed"):
            await AsyncClient(port=sock.getsockname()[1]).__aenter__()


async def test_an_answer_that_does_not_come_is_given_up(live: Live) -> None:
    async with (
        AsyncClient(port=live.port) as provider,
        AsyncClient(port=live.port, timeout_seconds=0.2) as client,
    ):

        async def never(_args: Values) -> Values:
            await asyncio.sleep(60)
            return {}

        await provider.provide("/never", "x/Never", never)
        with pytest.raises(TimeoutError):
            await client.call("/never")
        assert await client.set_param("still", 1) >= 1
