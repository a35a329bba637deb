"""What is a WebSocket's own: its handshake, frames, pings, and its end."""

from __future__ import annotations

import asyncio
import random
import sys

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.asyncio.client import connect
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.typing import Origin

from gateway.config import Config
from gateway.errors import LineError, ListenError
from gateway.frame_gate import FrameGate
from gateway.origins import DEFAULT_ORIGINS, is_allowed, read_origins
from gateway.websocket_frames import HANDSHAKE_BYTES, WebSocketFrames
from tests.support.gateways import PATIENCE_SECONDS, FakePool, request
from tests.support.transports import WebSocketClient, serving_both

FK = "/ik/forward_kinematics"
LIMIT = 100


def frame(opcode: Opcode, data: bytes, *, fin: bool = True, mask: bool = True) -> bytes:
    return Frame(opcode, data, fin).serialize(mask=mask)


def handshake(**headers: str) -> bytes:
    fields = {
        "Host": "x",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "13",
    }
    return Request("/any/path?x=1", Headers(fields | headers)).serialize()


def opened(limit: int = LIMIT) -> WebSocketFrames:
    frames = WebSocketFrames(limit, DEFAULT_ORIGINS)
    frames.feed(handshake())
    assert frames.own().startswith(b"HTTP/1.1 101 ")
    return frames


def taken(frames: WebSocketFrames) -> list[bytes | None]:
    """Return every whole message; None for one that was too long."""
    found: list[bytes | None] = []
    while frames:
        try:
            message = frames.take()
        except LineError:
            found.append(None)
            continue
        if message is None:
            break
        found.append(message)
    return found


# -- frames


@given(
    messages=st.lists(st.integers(1, 3 * LIMIT), max_size=6),
    seed=st.integers(0, 2**32),
)
def test_messages_come_whole_however_they_are_cut(messages: list[int], seed: int) -> None:
    choices = random.Random(seed)
    stream = bytearray()
    for n, size in enumerate(messages):
        data, opcode = bytes([65 + n]) * size, choices.choice([Opcode.TEXT, Opcode.BINARY])
        while choices.random() < 0.5:
            cut = choices.randint(0, len(data))
            stream += frame(opcode, data[:cut], fin=False) + frame(Opcode.PING, b"p")
            data, opcode = data[cut:], Opcode.CONT
        stream += frame(opcode, data)
    frames = opened()
    found: list[bytes | None] = []
    while stream:
        size = choices.choice([1, 2, 7, 1000])
        frames.feed(bytes(stream[:size]))
        found += taken(frames)
        frames.own()
        del stream[:size]
    assert found == [
        bytes([65 + n]) * size if size <= LIMIT else None for n, size in enumerate(messages)
    ]


def test_a_ping_may_come_between_the_parts_of_the_longest_message() -> None:
    frames = opened()
    frames.feed(frame(Opcode.TEXT, b"x" * LIMIT, fin=False))
    frames.feed(frame(Opcode.PING, b"p" * 125) + frame(Opcode.CONT, b""))
    assert taken(frames) == [b"x" * LIMIT]
    assert not frames.closed


def test_of_a_message_that_is_too_long_nothing_is_kept() -> None:
    gate = FrameGate(LIMIT)
    head = frame(Opcode.TEXT, b"x" * 70_000)[:14]
    assert gate.feed(head[:5]) == b""
    passed = gate.feed(head[5:])
    assert len(passed) == 6
    assert passed[:2] == b"\x81\x80"
    assert gate.feed(b"y" * 60_000) == b""
    assert list(gate.too_long) == [True]


def test_a_ping_is_answered_and_a_close_too() -> None:
    frames = opened()
    frames.feed(frame(Opcode.PING, b"hello"))
    assert frames
    assert frames.own() == frame(Opcode.PONG, b"hello", mask=False)
    frames.feed(frame(Opcode.PONG, b"unasked"))
    assert not frames
    frames.feed(frame(Opcode.CLOSE, b"\x03\xe8"))
    assert frames.own() == frame(Opcode.CLOSE, b"\x03\xe8", mask=False)
    assert frames.closed
    frames.feed(frame(Opcode.TEXT, b"late"))
    assert taken(frames) == []
    assert frames.wrap([b"late"]) == b""


@pytest.mark.parametrize(
    "broken",
    [
        frame(Opcode.TEXT, b"x", mask=False),
        frame(Opcode.CONT, b"x"),
        b"\xf1\x81" + b"mask" + b"x",  # reserved bits
        b"\x83\x81" + b"mask" + b"x",  # an unknown opcode
        b"\x89\xfe\x01\x00mask",  # a ping of 256 bytes
        frame(Opcode.TEXT, b"x", fin=False) + frame(Opcode.TEXT, b"y"),
    ],
)
def test_what_breaks_the_protocol_closes(broken: bytes) -> None:
    frames = opened()
    frames.feed(broken)
    goodbye = frames.own()
    assert goodbye[0] == 0x88
    assert int.from_bytes(goodbye[2:4]) in (1002, 1009)  # a protocol error, or too much
    assert frames.closed


# -- handshakes


@pytest.mark.parametrize("cut", [1, 3, 50, 10_000])
def test_a_handshake_may_come_in_pieces_with_a_message_behind_it(cut: int) -> None:
    frames = WebSocketFrames(LIMIT, DEFAULT_ORIGINS)
    stream = handshake() + frame(Opcode.TEXT, b"x" * (LIMIT + 1)) + frame(Opcode.TEXT, b"hello")
    assert frames.wrap([b"too early"]) == b""
    for start in range(0, len(stream), cut):
        frames.feed(stream[start : start + cut])
    assert b" 101 " in frames.own()
    assert taken(frames) == [None, b"hello"]


@pytest.mark.parametrize(
    ("data", "answer"),
    [
        (b'{"op":"call_service"}\n', b"400"),
        (b"POST / HTTP/1.1\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"426"),
        (handshake(**{"Sec-WebSocket-Version": "8"}), b"400"),
        (handshake(Origin="https://strange.example"), b"403"),
        (b"GET /" + b"x" * HANDSHAKE_BYTES, b"400"),
    ],
)
def test_what_is_no_handshake_is_refused(data: bytes, answer: bytes) -> None:
    frames = WebSocketFrames(LIMIT, DEFAULT_ORIGINS)
    frames.feed(data)
    assert frames.own().split()[1] == answer
    assert frames.closed
    assert taken(frames) == []


@pytest.mark.parametrize(
    ("origin", "allowed", "verdict"),
    [
        ("http://localhost:3000", "loopback", True),
        ("https://127.0.0.1", "loopback", True),
        ("http://[::1]:80", "loopback", True),
        ("http://localhost.evil.example", "loopback", False),
        ("http://127.0.0.1.evil.example", "loopback", False),
        ("http://evil.example/localhost", "loopback", False),
        ("http://[", "loopback", False),
        ("null", "loopback", False),
        ("null", "loopback,null", True),
        ("https://app.example.org", "https://app.example.org", True),
        ("HTTPS://App.example.org", "https://app.example.org/", True),
        ("http://app.example.org", "https://app.example.org", False),
        ("https://app.example.org:8443", "https://app.example.org", False),
        ("http://localhost", "https://app.example.org", False),
        ("http://anything", "*", True),
    ],
)
def test_pages_connect_as_the_option_says(origin: str, allowed: str, verdict: bool) -> None:
    assert is_allowed(origin, read_origins(allowed)) is verdict


@pytest.mark.parametrize(
    "text", ["", "example.org", "http://", "https://a.b/c", "loop back", "://x"]
)
def test_an_origin_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not an origin such as"):
        read_origins(text)


async def test_browsers_of_strange_pages_are_kept_out() -> None:
    async with serving_both() as gateway:
        with pytest.raises(InvalidStatus) as refused:
            await connect(gateway.url, origin=Origin("https://strange.example")).__aenter__()
        assert refused.value.response.status_code == 403
        async with connect(gateway.url, origin=Origin("http://localhost:8000")) as connection:
            await connection.ping()


# -- connections


async def test_any_path_no_extension_and_no_subprotocol() -> None:
    async with (
        serving_both() as gateway,
        connect(f"{gateway.url}/some/path?a=b", subprotocols=None) as connection,
    ):
        assert connection.subprotocol is None
        assert connection.protocol.extensions == []
        await connection.send(orjson.dumps(request(FK, id=1)))  # a binary frame, read as text
        assert (await WebSocketClient(connection).receive())["id"] == 1
        await (await connection.ping(b"x"))


async def test_a_stop_says_that_it_goes_away() -> None:
    async with serving_both() as gateway, connect(gateway.url) as connection:
        await gateway.server.stop(PATIENCE_SECONDS)
        with pytest.raises(ConnectionClosed) as closed:
            await connection.recv()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1001


async def test_who_floods_with_pings_and_reads_nothing_is_not_read_from() -> None:
    async with serving_both() as gateway:
        reader, writer = await asyncio.open_connection("127.0.0.1", gateway.websocket_port)
        writer.write(handshake())
        await reader.readuntil(b"\r\n\r\n")
        reader._transport.pause_reading()  # type: ignore[attr-defined]
        ping = frame(Opcode.PING, b"x" * 125)

        async def flood() -> None:
            for _ in range(1000):
                writer.write(ping * 1000)
                await writer.drain()

        flooding = asyncio.create_task(flood())
        done, _ = await asyncio.wait([flooding], timeout=0.5)
        assert not done
        flooding.cancel()
        writer.transport.abort()


async def test_a_client_without_a_goodbye_is_forgotten() -> None:
    async with serving_both() as gateway, gateway.client("websocket") as client:
        assert isinstance(client, WebSocketClient)
        await client.send({"op": "subscribe", "topic": "t"})
        await client.receive()
        client.connection.transport.abort()
        async with asyncio.timeout(PATIENCE_SECONDS):
            while gateway.hub.hub.topics.types():  # noqa: ASYNC110  there is no event for it
                await asyncio.sleep(0.001)


async def test_without_the_library_the_option_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from gateway.app import serve

    monkeypatch.setitem(sys.modules, "gateway.websocket", None)
    with pytest.raises(ListenError, match=r"takes the library 'websockets'.*\[rosbridge\]"):
        await serve(Config(port=0, websocket_port=0), FakePool())
