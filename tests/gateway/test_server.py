"""The server over real sockets, with a pool that answers as it is told."""

from __future__ import annotations

import asyncio
import socket
import struct

import orjson
import pytest

from gateway import connection
from gateway.calling import QUICK_CALLS
from gateway.connection import HIGH_WATER_BYTES
from tests.support.gateways import (
    MAX_LINE_BYTES,
    PATIENCE_SECONDS,
    Wire,
    request,
    serving,
    until,
)

FK = "/ik/forward_kinematics"
SOLVE = "/ik/solve_robot"
SET, GET = "/param_server/set_param", "/param_server/get_param"
MIB = 1024 * 1024


def line(message: object) -> bytes:
    return orjson.dumps(message) + b"\n"


async def until_flat(gateway_pool_calls: list[object], turns: int = 50) -> int:
    """Let the gateway work until it takes no more calls; return how many it took."""
    count = -1
    while count != len(gateway_pool_calls):
        count = len(gateway_pool_calls)
        for _ in range(turns):
            await asyncio.sleep(0.002)
    return count


# -- framing


async def test_three_calls_in_one_segment_and_one_call_in_many() -> None:
    async with serving() as gateway, gateway.client() as client:
        await client.send(b"".join(line(request(FK, id=n)) for n in range(3)))
        assert [(await client.receive())["id"] for _ in range(3)] == [0, 1, 2]
        for byte in line(request(FK, id="é")):
            await client.send(bytes([byte]))
            await asyncio.sleep(0)
        assert (await client.receive())["id"] == "é"


async def test_line_ends_blank_lines_and_byte_order_marks() -> None:
    async with serving() as gateway, gateway.client() as client:
        one = orjson.dumps(request(FK, id=1))
        await client.send(b"\xef\xbb\xbf" + one + b"\r\n\r\n\n  \n\xef\xbb\xbf" + one + b"\n")
        assert [(await client.receive())["id"] for _ in range(2)] == [1, 1]


async def test_the_last_line_needs_no_end_and_everything_owed_is_sent() -> None:
    async with serving() as gateway, gateway.client() as client:
        gateway.pool.hold = True
        await client.send(line(request(SOLVE, id=1)), orjson.dumps(request(FK, id=2)))
        client.writer.write_eof()
        await until(lambda: len(gateway.pool.held) == 2)
        gateway.pool.release()
        assert [answer["id"] for answer in await client.receive_rest()] == [2, 1]


async def test_a_half_closed_client_is_owed_more_than_one_turn_of_lines() -> None:
    async with serving() as gateway, gateway.client() as client:
        await client.send(b"".join(line(request(FK, id=n)) for n in range(2000)))
        client.writer.write_eof()
        answers = await client.receive_rest()
        assert [answer["id"] for answer in answers] == list(range(2000))


async def test_nothing_sent_is_closed_at_once() -> None:
    async with serving() as gateway, gateway.client() as client:
        client.writer.write_eof()
        assert await client.receive_rest() == []


async def test_a_megabyte_both_ways_and_five_are_refused() -> None:
    async with serving() as gateway, gateway.client() as client, gateway.client() as other:
        value = "<robot>" + "x" * (MIB - 200)
        assert (await client.call(SET, {"name": "p", "value": value}))["result"]
        assert (await client.call(GET, {"name": "p"}))["values"]["value"] == value
        await client.send(line(request(SET, {"name": "p", "value": "x" * 5 * MIB})))
        status = await client.receive()
        assert (status["op"], status["level"]) == ("status", "error")
        assert "--max-line-bytes" in status["msg"]
        assert (await client.call(GET, {"name": "p"}))["values"]["version"] == 1
        assert (await other.call(GET, {"name": "p"}))["values"]["value"] == value


async def test_a_megabyte_in_small_pieces() -> None:
    async with serving() as gateway, gateway.client() as client:
        sent = line(request(SET, {"name": "p", "value": "x" * MIB}))
        for start in range(0, len(sent), 1024):
            client.writer.write(sent[start : start + 1024])
        assert (await client.receive())["result"] is True


@pytest.mark.parametrize(
    "garbage",
    [
        bytes(range(256)).replace(b"\n", b""),
        b"[" * 500_000 + b"]" * 500_000,
        b"{" * MIB,
        b'{"op":"call_service","service":"' + FK.encode() + b'","args":{"a":NaN}}',
        b'{"op":"call_service","service":"\\ud800"}',
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ],
    ids=["bytes", "arrays", "braces", "NaN", "surrogate", "TLS"],
)
async def test_garbage_gets_one_error_and_costs_nothing_else(garbage: bytes) -> None:
    async with serving() as gateway, gateway.client() as client:
        await client.send(garbage + b"\n")
        assert (await client.receive())["level"] == "error"
        assert (await client.call(FK, id=1))["id"] == 1


async def test_a_web_browser_gets_errors() -> None:
    async with serving() as gateway, gateway.client() as client:
        await client.send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert [(await client.receive())["level"] for _ in range(2)] == ["error", "error"]
        assert (await client.call(FK, id=1))["id"] == 1


async def test_characters_cut_across_segments() -> None:
    async with serving() as gateway, gateway.client() as client:
        sent = line(request(SET, {"name": "p", "value": "é\U0001f600"}))
        for i in range(len(sent)):
            client.writer.write(sent[i : i + 1])
            await asyncio.sleep(0)
        await client.receive()
        assert (await client.call(GET, {"name": "p"}))["values"]["value"] == "é\U0001f600"


# -- order


async def test_a_call_sees_every_set_before_it() -> None:
    async with serving() as gateway, gateway.client() as client:
        messages = []
        for n in range(300):
            messages += [
                line(request(SET, {"name": "robot_description", "value": n}, id="set")),
                line(request(FK, id=n)),
            ]
        await client.send(b"".join(messages))
        answers = [await client.receive() for _ in messages]
        versions = {a["id"]: a["values"]["version"] for a in answers if a["id"] != "set"}
        assert versions == {n: n + 1 for n in range(300)}


async def test_many_answers_of_mixed_size_are_never_cut() -> None:
    async with serving() as gateway, gateway.client() as client:
        count = 3000

        async def send() -> None:
            for n in range(count):
                await client.send(line(request(FK, {"x": "y" * (n * 37 % 2000)}, id=n)))

        sending = asyncio.create_task(send())
        answers = [await client.receive() for _ in range(count)]
        await sending
        assert sorted(answer["id"] for answer in answers) == list(range(count))


async def test_answers_of_one_turn_are_one_write(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving() as gateway, gateway.client() as client:
        await client.call(FK)
        (server_side,) = gateway.server._connections
        writes: list[bytes] = []
        transport = server_side._transport
        monkeypatch.setattr(transport, "write", writes.append)
        server_side.data_received(b"".join(line(request(FK, id=n)) for n in range(10)))
        await asyncio.sleep(0.01)
        assert len(writes) == 1
        assert writes[0].count(b"\n") == 10


# -- many clients, slow clients, clients that vanish


async def test_two_hundred_clients_at_once() -> None:
    async with serving() as gateway:

        async def one(n: int) -> None:
            async with gateway.client() as client:
                assert (await client.call(FK, id=n))["id"] == n

        await asyncio.gather(*(one(n) for n in range(200)))


async def test_connecting_calling_and_leaving_again_and_again() -> None:
    async with serving() as gateway:

        async def one(n: int) -> None:
            for i in range(20):
                async with gateway.client() as client:
                    assert (await client.call(FK, id=[n, i]))["id"] == [n, i]

        await asyncio.gather(*(one(n) for n in range(16)))


async def test_one_client_too_many_waits_until_another_is_gone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with serving(max_connections=2) as gateway:
        for _ in range(3):
            async with gateway.client() as a, gateway.client() as c, gateway.client() as b:
                await a.call(FK)
                await c.call(FK)
                await b.send(line(request(FK, id="waiting")))
                with pytest.raises(TimeoutError):
                    async with asyncio.timeout(0.05):
                        await b.reader.readline()
                assert gateway.server.clients == 2
                c.writer.transport.abort()
                assert (await b.receive())["id"] == "waiting"
            await until(lambda: gateway.server.clients == 0)
    assert "no more connections accepted" in caplog.text


async def test_descriptors_that_run_out_come_back(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving() as gateway:
        real, failures = socket.socket.accept, [24, 23, 12]

        def accept(sock: socket.socket) -> object:
            if failures:
                raise OSError(failures.pop(), "no more of it")
            return real(sock)

        monkeypatch.setattr(socket.socket, "accept", accept)
        async with gateway.client() as client:
            assert (await client.call(FK, id=1))["id"] == 1
        assert not failures
    assert caplog.text.count("connection not accepted") == 3


async def test_a_client_that_never_reads_is_read_no_more() -> None:
    """It asks for 5,000 MiB of answers; a few MiB are made."""
    async with serving() as gateway, gateway.client() as client, gateway.client() as other:
        value = "x" * MIB
        await client.call(SET, {"name": "p", "value": value})
        flood = b"".join(line(request(GET, {"name": "p"}, id=n)) for n in range(5000))
        client.reader._transport.pause_reading()  # type: ignore[attr-defined]
        client.writer.write(flood)
        for n in range(100):
            assert (await other.call(FK, id=n))["id"] == n
        server_side = max(gateway.server._connections, key=lambda c: c.backlog)
        assert server_side.full
        assert server_side.backlog < HIGH_WATER_BYTES + 3 * MIB
        client.reader._transport.resume_reading()  # type: ignore[attr-defined]
        for n in range(20):
            assert (await client.receive())["id"] == n


async def test_a_client_with_much_under_way_is_read_no_more() -> None:
    async with serving() as gateway, gateway.client() as client, gateway.client() as other:
        gateway.pool.hold = True
        await client.send(b"".join(line(request(FK, id=n)) for n in range(1000)))
        calls: list[object] = gateway.pool.calls  # type: ignore[assignment]
        assert await until_flat(calls) == QUICK_CALLS
        await other.send(line(request(FK, id="other")))
        assert await until_flat(calls) == QUICK_CALLS + 1
        gateway.pool.hold = False
        gateway.pool.release()
        ids = {(await client.receive())["id"] for _ in range(1000)}
        assert ids == set(range(1000))
        assert (await other.receive())["id"] == "other"


async def test_a_subscriber_that_never_reads_keeps_only_the_newest() -> None:
    async with serving() as gateway, gateway.client() as slow, gateway.client() as publisher:
        await slow.send(line({"op": "subscribe", "topic": "t"}))
        await slow.receive()
        slow.reader._transport.pause_reading()  # type: ignore[attr-defined]
        await publisher.send(line({"op": "advertise", "topic": "t", "type": ""}))
        await publisher.send(line({"op": "subscribe", "topic": "t"}))
        await publisher.receive()
        count, padding = 200, "x" * 100_000
        for n in range(count):
            await publisher.send(
                line({"op": "publish", "topic": "t", "msg": {"n": n, "padding": padding}})
            )
            assert (await publisher.receive())["msg"]["n"] == n
        slow.reader._transport.resume_reading()  # type: ignore[attr-defined]
        seen: list[int] = []
        while not seen or seen[-1] != count - 1:
            seen.append((await slow.receive())["msg"]["n"])
        assert seen == sorted(seen)
        assert len(seen) < count


async def reset(client: Wire) -> None:
    """Cut the connection with a reset instead of an end."""
    sock: socket.socket = client.writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.writer.transport.abort()


async def test_a_reset_in_the_middle_of_a_line_or_a_call() -> None:
    async with serving() as gateway, gateway.client() as other:
        gateway.pool.hold = True
        async with gateway.client() as client:
            await client.send(line(request(FK)), b'{"op":"call_serv')
            await until(lambda: bool(gateway.pool.held))
            await reset(client)
        await until(lambda: bool(gateway.pool.cancelled))
        assert not gateway.pool.held
        gateway.pool.hold = False
        assert (await other.call(FK, id=1))["id"] == 1


async def test_a_reset_while_it_is_owed_megabytes() -> None:
    async with serving() as gateway, gateway.client() as other:
        await other.call(SET, {"name": "p", "value": "x" * 3 * MIB})
        async with gateway.client() as client:
            client.reader._transport.pause_reading()  # type: ignore[attr-defined]
            await client.send(*[line(request(GET, {"name": "p"}))] * 5)
            await asyncio.sleep(0.01)
            await reset(client)
        await until(lambda: len(gateway.server._connections) == 1)
        assert (await other.call(FK, id=1))["id"] == 1


async def test_a_client_that_ended_and_does_not_read_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connection, "STALLED_SECONDS", 0.1)
    async with serving(max_line_bytes=32 * MIB) as gateway, gateway.client() as client:
        await client.call(SET, {"name": "p", "value": "x" * 24 * MIB})  # more than a kernel holds
        client.reader._transport.pause_reading()  # type: ignore[attr-defined]
        await client.send(line(request(GET, {"name": "p"})))
        client.writer.write_eof()
        await until(lambda: not gateway.server._connections)


async def test_a_client_that_ended_and_waits_for_its_answer_is_not_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connection, "STALLED_SECONDS", 0.02)
    async with serving() as gateway, gateway.client() as client:
        gateway.pool.hold = True
        await client.send(line(request(FK, id=1)))
        client.writer.write_eof()
        await asyncio.sleep(0.1)
        gateway.pool.release()
        assert [answer["id"] for answer in await client.receive_rest()] == [1]


async def test_options_of_the_socket() -> None:
    async with serving() as gateway, gateway.client() as client:
        await client.call(FK)
        (server_side,) = gateway.server._connections
        sock = server_side._transport.get_extra_info("socket")
        assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)


# -- clients that serve


async def test_a_provider_that_leaves_during_a_call() -> None:
    async with serving() as gateway, gateway.client() as client:
        async with gateway.client() as provider:
            await provider.send(line({"op": "advertise_service", "service": "s", "type": ""}))
            await provider.receive()
            await client.send(line(request("s", id=1)))
            assert (await provider.receive())["op"] == "call_service"
        answer = await client.receive()
        assert (answer["id"], answer["values"]["code"]) == (1, "unknown_service")
        assert (await client.call("s"))["values"]["code"] == "unknown_service"


async def test_a_slow_provider_does_not_hold_its_askers_other_calls() -> None:
    async with serving() as gateway, gateway.client() as client, gateway.client() as provider:
        await provider.send(line({"op": "advertise_service", "service": "s", "type": ""}))
        await provider.receive()
        await client.send(line(request("s", id=1)))
        assert (await client.call(FK, id=2))["id"] == 2
        asked = await provider.receive()
        await provider.send(
            line({"op": "service_response", "id": asked["id"], "values": {}, "result": True})
        )
        assert (await client.receive())["id"] == 1


# -- the end


async def test_a_stop_with_idle_clients_closes_them() -> None:
    async with serving() as gateway, gateway.client() as idle, gateway.client() as half:
        await idle.call(FK)
        await half.send(b'{"op":"call_ser')
        await until(lambda: len(gateway.server._connections) == 2)
        await gateway.server.stop(PATIENCE_SECONDS)
        assert await idle.receive_rest() == []
        with pytest.raises(ConnectionRefusedError):
            async with gateway.client():
                pass


async def test_a_stop_answers_what_has_come_and_takes_no_more() -> None:
    async with serving() as gateway, gateway.client() as client:
        gateway.pool.hold = True
        await client.send(b"".join(line(request(FK, id=n)) for n in range(QUICK_CALLS + 10)))
        await until(lambda: len(gateway.pool.held) == QUICK_CALLS)
        stopping = asyncio.create_task(gateway.server.stop(PATIENCE_SECONDS))
        await asyncio.sleep(0.01)
        await client.send(line(request(FK, id="late")))
        await asyncio.sleep(0.01)
        gateway.pool.hold = False
        gateway.pool.release()
        ids = [answer["id"] for answer in await client.receive_rest()]
        await stopping
        assert sorted(ids) == list(range(QUICK_CALLS + 10))


async def test_a_stop_waits_only_so_long() -> None:
    async with serving() as gateway, gateway.client() as client:
        gateway.pool.hold = True
        await client.send(line(request(FK, id=1)))
        await until(lambda: bool(gateway.pool.held))
        await gateway.server.stop(0.05)
        assert not gateway.server._connections
        assert len(gateway.pool.cancelled) == 1


async def test_the_limit_of_a_line_is_exact() -> None:
    async with serving(max_line_bytes=4096) as gateway, gateway.client() as client:
        shell = len(orjson.dumps({"op": "nope", "x": ""}))
        for size, word in [(4096, "unknown op"), (4097, "longer than 4096")]:
            await client.send(line({"op": "nope", "x": "x" * (size - shell)}))
            assert word in (await client.receive())["msg"]
    assert MAX_LINE_BYTES > 4096
