"""The blocking client, against a server with a pool that echoes."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

from gateway.client import CallError, Client
from tests.support.gateways import Serving, serving, until

T = TypeVar("T")
MIB = 1024 * 1024


async def use(gateway: Serving, work: Callable[[Client], T], timeout_seconds: float = 10.0) -> T:
    """Do blocking work with a client in a thread."""

    def run() -> T:
        with Client("127.0.0.1", gateway.port, timeout_seconds) as client:
            return work(client)

    return await asyncio.to_thread(run)


async def test_parameters() -> None:
    def work(client: Client) -> None:
        value = {"a": [1, 2.5, None], "é": "\u2028\U0001f600"}
        assert client.set_param("p", value) == 1
        assert client.get_param("p") == value
        assert client.list_params() == [{"name": "p", "version": 1, "bytes": 33}]
        assert client.list_params("q") == []
        assert client.delete_param("p") == 1
        with pytest.raises(CallError, match="never set") as caught:
            client.get_param("p")
        assert caught.value.code == "not_set"
        assert caught.value.values["version"] == 0

    async with serving() as gateway:
        await use(gateway, work)


@pytest.mark.parametrize(
    ("work", "args"),
    [
        (lambda c: c.robot_info(), {}),
        (lambda c: c.validate("<robot/>"), {"robot_description": "<robot/>"}),
        (lambda c: c.forward_kinematics(), {}),
        (
            lambda c: c.forward_kinematics({"a": 0.5}, ["tool"], base_link="b"),
            {
                "joint_state": {"name": ["a"], "position": [0.5]},
                "links": ["tool"],
                "base_link": "b",
            },
        ),
        (
            lambda c: c.jacobian("tool", {"a": 1}, reference="link"),
            {
                "link": "tool",
                "joint_state": {"name": ["a"], "position": [1]},
                "reference": "link",
            },
        ),
        (
            lambda c: c.solve("tool", {"position": {}}, seed={"a": 2}, timeout=1),
            {
                "link": "tool",
                "target": {"position": {}},
                "seed": {"name": ["a"], "position": [2]},
                "timeout": 1,
            },
        ),
    ],
)
async def test_calls(work: Callable[[Client], dict[str, Any]], args: dict[str, object]) -> None:
    async with serving() as gateway:
        assert (await use(gateway, work))["args"] == args


async def test_megabytes_both_ways_at_once() -> None:
    def work(client: Client) -> None:
        for n in range(5):
            client.set_param("p", f"{n}" * 3 * MIB)
            assert client.get_param("p") == f"{n}" * 3 * MIB

    async with serving() as gateway:
        await use(gateway, work)


async def test_topics() -> None:
    def work(client: Client) -> None:
        client.advertise("t", "a/B")
        client.subscribe("t")
        for n in range(3):
            client.publish("t", {"n": n})
            client.set_param("p", n)  # the messages that come meanwhile are kept
        messages = client.messages()
        assert [next(messages) for _ in range(3)] == [("t", {"n": n}) for n in range(3)]
        with pytest.raises(TimeoutError):
            next(client.messages(0.01))
        with pytest.raises(CallError, match="longer than"):
            client.subscribe("x" * 5000)

    async with serving() as gateway:
        await use(gateway, work)


async def test_what_a_topic_was_refused_for_is_not_laid_on_the_next_call() -> None:
    def work(client: Client) -> None:
        client.advertise("x" * 5000, "t")
        assert client.set_param("p", 1) == 1
        with pytest.raises(CallError, match="longer than 4096 bytes"):
            client.publish("y", 1)
        client.advertise("y", "t")
        client.subscribe("y")
        client.publish("y", 2)
        assert next(client.messages()) == ("y", 2)

    async with serving() as gateway:
        await use(gateway, work)


async def test_a_line_that_the_gateway_refuses() -> None:
    def work(client: Client) -> None:
        with pytest.raises(CallError, match="surrogate"):
            client.set_param("p", "\ud800")
        with pytest.raises(CallError, match="--max-line-bytes"):
            client.set_param("p", "x" * 10_000)
        with pytest.raises(ValueError, match=r"NaN|float"):
            client.set_param("p", float("nan"))
        assert client.set_param("p", 1) == 1

    async with serving(max_line_bytes=8192) as gateway:
        await use(gateway, work)


async def test_a_call_that_takes_too_long_and_the_one_after_it() -> None:
    async with serving() as gateway:
        gateway.pool.hold = True

        def work(client: Client) -> int:
            with pytest.raises(TimeoutError):
                client.robot_info()
            loop.call_soon_threadsafe(gateway.pool.release)  # the late answer comes first
            return client.set_param("p", 1)

        loop = asyncio.get_running_loop()
        assert await use(gateway, work, timeout_seconds=0.2) == 1


async def test_calls_fail_at_once_when_the_connection_is_lost() -> None:
    async with serving() as gateway:
        gateway.pool.hold = True

        def work(client: Client) -> None:
            with pytest.raises(ConnectionError):
                client.robot_info()

        working = [asyncio.create_task(use(gateway, work, 60.0)) for _ in range(5)]
        await until(lambda: len(gateway.pool.held) == 5)
        await gateway.server.stop(0.01)
        await asyncio.gather(*working)


def test_nobody_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as sock:
        port = sock.getsockname()[1]
    with pytest.raises(ConnectionRefusedError):
        Client("127.0.0.1", port)


@contextmanager
def scripted(*pieces: bytes) -> Iterator[int]:
    """Serve one client that is sent these pieces, whatever it says."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(MIB)
                for piece in pieces:
                    connection.sendall(piece)

        thread = threading.Thread(target=serve)
        thread.start()
        yield listener.getsockname()[1]
        thread.join()


def test_an_answer_in_pieces_among_others() -> None:
    answer = json.dumps({"op": "service_response", "id": "1", "values": {"version": 5}})
    answer = answer.replace("}}", '}, "result": true}')
    other = json.dumps({"op": "service_response", "id": "other", "values": {}})
    data = (other + "\n" + answer + "\n").encode()
    pieces = [data[i : i + 7] for i in range(0, len(data), 7)]
    with scripted(*pieces) as port, Client(port=port) as client:
        assert client.set_param("p", 1) == 5


def test_values_that_are_no_object() -> None:
    answer = b'{"op":"service_response","id":"1","values":[1],"result":true}\n'
    with scripted(answer) as port, Client(port=port) as client:
        assert client.call("s") == {"values": [1]}


def test_a_line_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gateway.client.MAX_LINE_BYTES", 100)
    with (
        scripted(b"x" * 200) as port,
        Client(port=port) as client,
        pytest.raises(ConnectionError, match="over 100 bytes"),
    ):
        client.robot_info()


def test_it_is_one_file_of_the_standard_library(tmp_path: Path) -> None:
    source = Path(__file__).resolve().parents[2] / "gateway/client.py"
    copy = tmp_path / "client.py"
    copy.write_text(source.read_text("utf-8"))
    compiled = compile(copy.read_text("utf-8"), str(copy), "exec")
    names: dict[str, Any] = {"__name__": "copied"}
    exec(compiled, names)
    assert names["Client"] is not Client
