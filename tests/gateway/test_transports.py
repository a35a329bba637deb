"""What a client can rely on is the same over TCP and over WebSockets."""

from __future__ import annotations

import asyncio

import orjson
import pytest

from gateway.calling import QUICK_CALLS
from gateway.connection import HIGH_WATER_BYTES
from tests.support.gateways import PATIENCE_SECONDS, request, until
from tests.support.transports import TRANSPORTS, serving_both

FK = "/ik/forward_kinematics"
SET, GET = "/param_server/set_param", "/param_server/get_param"
MIB = 1024 * 1024

pytestmark = pytest.mark.parametrize("transport", TRANSPORTS)


async def test_calls_are_answered_under_their_ids_in_order_of_sending(transport: str) -> None:
    async with serving_both() as gateway, gateway.client(transport) as client:
        ids: list[object] = [1, "é", None, {"a": [True]}, 2**63, 1.5]
        await client.send(*(request(FK, id=id_) for id_ in ids))
        assert [(await client.receive())["id"] for _ in ids] == ids
        await client.send(request(FK))
        assert "id" not in await client.receive()


async def test_a_call_sees_what_was_set_before_it(transport: str) -> None:
    async with serving_both() as gateway, gateway.client(transport) as client:
        for n in range(20):
            await client.send(request(SET, {"name": "robot_description", "value": n}), request(FK))
            await client.receive()
            assert (await client.receive())["values"]["version"] == n + 1


async def test_a_mebibyte_passes_both_ways(transport: str) -> None:
    async with serving_both() as gateway, gateway.client(transport) as client:
        value = "ü" * (MIB // 2)
        await client.send(request(SET, {"name": "a", "value": value}))
        assert (await client.receive())["result"]
        await client.send(request(GET, {"name": "a"}))
        assert (await client.receive())["values"]["value"] == value


async def test_what_is_too_long_costs_itself_alone(transport: str) -> None:
    async with serving_both(max_line_bytes=1000) as gateway, gateway.client(transport) as client:
        for size in (1001, 5000, 300_000):
            await client.send(request(FK, id=1), b"x" * size, request(FK, id=2))
            answers = [await client.receive() for _ in range(3)]
            assert [answer.get("id") for answer in answers] == [1, None, 2]
            assert answers[1]["op"] == "status"
            assert "1000 bytes" in answers[1]["msg"]
        shell = len(orjson.dumps(request(FK, {"a": ""})))
        await client.send(request(FK, {"a": "y" * (1000 - shell)}))
        assert (await client.receive())["op"] == "service_response"


@pytest.mark.parametrize(
    "bad",
    [
        *(b"\xff", b"{", b"[]", b"NaN", b"[" * 300, b"{}{}"),
        *(b'{"op":1}', b'{"op":"dance"}', b'{"op":"publish"}', b'{"op":"auth"}'),
        *(b'{"op":"png","data":""}', b'{"op":"set_level","level":"loud"}'),
        b'{"op":"fragment","id":"1","data":"","num":0,"total":1}',
    ],
)
async def test_a_bad_message_gets_a_status_and_the_connection_goes_on(
    transport: str, bad: bytes
) -> None:
    async with serving_both() as gateway, gateway.client(transport) as client:
        await client.send(bad, request(FK, id=1))
        status, answer = await client.receive(), await client.receive()
        assert (status["op"], status["level"], answer["id"]) == ("status", "error", 1)


async def test_blank_messages_and_byte_order_marks_do_no_harm(transport: str) -> None:
    async with serving_both() as gateway, gateway.client(transport) as client:
        await client.send(b"", b"  \r", b"\xef\xbb\xbf" + orjson.dumps(request(FK, id=1)))
        assert (await client.receive())["id"] == 1


async def test_messages_reach_subscribers_over_any_transport(transport: str) -> None:
    async with (
        serving_both() as gateway,
        gateway.client(transport) as one,
        gateway.client("tcp") as two,
        gateway.client("websocket") as publisher,
    ):
        for client in (one, two):
            await client.send({"op": "subscribe", "topic": "t", "id": "s"})
            assert (await client.receive())["level"] == "info"
        await publisher.send({"op": "advertise", "topic": "t", "type": "x"})
        await publisher.send({"op": "publish", "topic": "t", "msg": {"n": 1.25}})
        for client in (one, two):
            assert (await client.receive())["msg"] == {"n": 1.25}


async def test_a_provider_answers_for_others_and_its_leaving_is_told(transport: str) -> None:
    async with serving_both() as gateway, gateway.client("tcp") as asker:
        async with gateway.client(transport) as provider:
            await provider.send({"op": "advertise_service", "service": "/add", "type": "a/B"})
            await provider.receive()
            await asker.send(request("/add", {"a": 1}, id=7), request("/add", {"a": 2}, id=8))
            asked = await provider.receive()
            assert asked["args"] == {"a": 1}
            answer = {"op": "service_response", "id": asked["id"], "values": {"sum": 3}}
            await provider.send(answer | {"service": "/add", "result": True})
            heard = await asker.receive()
            assert (heard["id"], heard["values"]) == (7, {"sum": 3})
        heard = await asker.receive()
        assert (heard["id"], heard["result"]) == (8, False)
        await asker.send(request("/add", id=9))
        assert (await asker.receive())["values"]["code"] == "unknown_service"


async def test_a_slow_reader_gets_the_newest_and_nobody_notices(transport: str) -> None:
    async with (
        serving_both() as gateway,
        gateway.client(transport) as slow,
        gateway.client("tcp") as publisher,
    ):
        await slow.send({"op": "subscribe", "topic": "t"})
        await slow.receive()
        await slow.read_nothing()
        await publisher.send({"op": "advertise", "topic": "t", "type": "x"})
        padding = "x" * (HIGH_WATER_BYTES // 2)
        for n in range(100):
            await publisher.send({"op": "publish", "topic": "t", "msg": {"n": n, "p": padding}})
        await publisher.send(request(FK, id="done"))
        assert (await publisher.receive())["id"] == "done"
        await slow.read_on()
        seen = [-1]
        while seen[-1] != 99:
            seen.append((await slow.receive())["msg"]["n"])
        assert seen == sorted(seen)
        assert len(seen) < 60


async def test_who_reads_no_answers_is_not_read_from(transport: str) -> None:
    async with serving_both() as gateway, gateway.client(transport) as client:
        gateway.pool.answer_bytes = HIGH_WATER_BYTES
        await client.read_nothing()
        sending = asyncio.create_task(client.send(*(request(FK, id=n) for n in range(200))))
        await until(lambda: len(gateway.pool.calls) > 2)
        await asyncio.sleep(0.1)
        assert len(gateway.pool.calls) < 30
        await client.read_on()
        assert [(await client.receive())["id"] for _ in range(200)] == list(range(200))
        await sending


async def test_calls_under_way_are_bounded(transport: str) -> None:
    async with serving_both() as gateway, gateway.client(transport) as client:
        gateway.pool.hold = True
        await client.send(*(request(FK, id=n) for n in range(QUICK_CALLS + 50)))
        await until(lambda: len(gateway.pool.calls) == QUICK_CALLS)
        await asyncio.sleep(0.05)
        assert len(gateway.pool.calls) == QUICK_CALLS
        gateway.pool.hold = False
        gateway.pool.release()
        answers = [(await client.receive())["id"] for _ in range(QUICK_CALLS + 50)]
        assert sorted(answers) == list(range(QUICK_CALLS + 50))


async def test_a_client_that_leaves_takes_all_with_it(transport: str) -> None:
    async with serving_both() as gateway:
        gateway.pool.hold = True
        async with gateway.client(transport) as client:
            await client.send({"op": "subscribe", "topic": "t"})
            await client.send({"op": "advertise", "topic": "u", "type": "x"})
            await client.send({"op": "advertise_service", "service": "s", "type": "x"})
            await client.send(request(FK))
            await until(lambda: len(gateway.pool.held) == 1)
        await until(lambda: not gateway.pool.held)
        assert gateway.hub.hub.topics.types() == {}
        assert "s" not in gateway.hub.hub.providers


async def test_a_stop_answers_what_has_come(transport: str) -> None:
    async with serving_both() as gateway, gateway.client(transport) as client:
        gateway.pool.hold = True
        await client.send(request(FK, id=1))
        await until(lambda: len(gateway.pool.held) == 1)
        stopping = asyncio.create_task(gateway.server.stop(PATIENCE_SECONDS))
        await asyncio.sleep(0.05)
        gateway.pool.release()
        (answer,) = await client.receive_rest()
        assert answer["id"] == 1
        await stopping
