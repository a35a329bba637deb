"""What is counted, of answers as they are sent."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest

from gateway.envelope import raw_response_line, response_line
from gateway.tally import BUCKETS_SECONDS, CLIENTS, CODES, FAILED, OK, Tally, outcome_of
from tests.support.gateways import SessionClient, TestHub, request

TRICK = 'x","code":"timeout","result":false,"status":"'


@pytest.mark.parametrize("code", CODES.values())
def test_the_outcome_of_a_refusal_is_its_code(code: str) -> None:
    values = {"closest": {"code": 3}, "code": code, "ignored": [TRICK]}
    line = response_line("/ik/solve_robot", {"code": "mine"}, values, code, TRICK)
    assert outcome_of(line) == code


def test_text_of_clients_does_not_pass_for_an_outcome() -> None:
    assert outcome_of(response_line(TRICK, TRICK, {"value": TRICK})) == OK
    value = {"code": "timeout", "result": False, "status": TRICK}
    assert outcome_of(response_line("/a", value, {"value": value})) == OK
    line = raw_response_line("/a", 1, {"code": "of its own"}, result=False, status=TRICK)
    assert outcome_of(line) == FAILED
    assert outcome_of(raw_response_line("/a", 1, {}, result=False, status="")) == FAILED
    assert outcome_of(raw_response_line("/a", 1, {}, result=True, status=TRICK)) == OK


def test_every_call_is_in_one_bucket() -> None:
    tally = Tally(on=True)
    for seconds in (-inf, 0.0, BUCKETS_SECONDS[0], 0.3, BUCKETS_SECONDS[-1], 99.0):
        tally.count("/a", OK, seconds)
    latency = tally.latencies["/a"]
    assert latency.counts[0] == 3
    assert latency.counts[BUCKETS_SECONDS.index(0.5)] == 1
    assert latency.counts[-2:] == [1, 1]
    assert sum(latency.counts) == tally.calls["/a", OK] == 6
    assert latency.seconds == pytest.approx(BUCKETS_SECONDS[0] + 0.3 + BUCKETS_SECONDS[-1] + 99)


def counting(**options: Any) -> TestHub:
    hub = TestHub(**options)
    hub.hub.tally.on = True
    return hub


def test_calls_are_counted_by_who_answers() -> None:
    hub = counting()
    client = hub.client()
    client.call("/param_server/set_param", {"name": "a", "value": 1})
    client.call("/param_server/get_param", {"name": "b"})
    client.call("/rosapi/get_time")
    client.call("rosapi/get_time")
    client.call("/ik/robot_info")
    client.call("/nobody")
    client.call("/nobody/else")
    assert hub.hub.tally.calls == {
        ("/param_server/set_param", OK): 1,
        ("/param_server/get_param", "not_set"): 1,
        ("/rosapi/get_time", OK): 2,
        ("/ik/robot_info", OK): 1,
        (CLIENTS, "unknown_service"): 2,
    }


def test_calls_to_clients_are_counted_with_the_time_they_took() -> None:
    hub = counting()
    provider, client = hub.client(), hub.client()
    provider.say({"op": "advertise_service", "service": "/add", "type": "t"})
    client.say(request("/add"))
    (passed_on,) = provider.outlet.take()
    hub.clock.now += 0.3
    answer = {"op": "service_response", "id": passed_on["id"], "values": {}, "result": True}
    provider.say(answer)
    assert len(client.outlet.take()) == 1
    assert hub.hub.tally.calls == {(CLIENTS, OK): 1}
    assert hub.hub.tally.latencies[CLIENTS].seconds == pytest.approx(0.3)


def test_calls_to_workers_are_counted_with_the_time_they_took() -> None:
    hub = counting()
    hub.pool.hold = True
    client = hub.client()
    client.say(request("/ik/robot_info"))
    hub.clock.now += 0.02
    hub.pool.answer(hub.pool.held[0])
    assert hub.hub.tally.latencies["/ik/robot_info"].seconds == pytest.approx(0.02)


def test_a_call_without_the_token_is_counted() -> None:
    hub = counting(token=b"secret")
    hub.client().call("/ik/robot_info")
    assert hub.hub.tally.calls == {("/ik/robot_info", "unauthorized"): 1}
    assert hub.hub.tally.latencies["/ik/robot_info"].seconds == 0.0


def test_nothing_is_counted_unless_asked_for() -> None:
    hub = TestHub()
    client: SessionClient = hub.client()
    client.call("/ik/robot_info")
    client.call("/nobody")
    assert hub.hub.tally.calls == {}
    assert hub.hub.tally.latencies == {}
