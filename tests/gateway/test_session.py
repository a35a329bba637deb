"""One client, message by message, without a transport."""

from __future__ import annotations

import gc
import logging

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway import subscription
from gateway.calling import QUICK_CALLS
from gateway.envelope import FIELDS, REFUSAL_BYTES
from gateway.errors import LineError
from gateway.params import Parameter
from gateway.session import LOGGED_TOPICS, OPS
from tests.support.gateways import FakePool, SessionClient, TestHub, request

FK = "/ik/forward_kinematics"
SOLVE = "/ik/solve_robot"
SET, GET = "/param_server/set_param", "/param_server/get_param"


@pytest.fixture
def hub() -> TestHub:
    return TestHub()


@pytest.fixture
def client(hub: TestHub) -> SessionClient:
    return hub.client()


def test_every_op_is_acted_on() -> None:
    assert OPS.keys() == FIELDS.keys()


@pytest.mark.parametrize(
    "text",
    [
        *("null", "true", "false", '""', '"é\\u0000\\n"', "0", "-1", "9007199254740993"),
        *("18446744073709551615", "-9223372036854775808", "0.1", "5e-324", "1.5", "{}", "[]"),
        *('{"b":1,"a":[null,{"c":""}]}', '"' + "x" * 100_000 + '"', "[" * 190 + "]" * 190),
    ],
    ids=lambda text: text[:20],
)
def test_an_id_is_echoed_as_it_is(client: SessionClient, text: str) -> None:
    for op in ("call_service", "subscribe", "nope"):
        line = f'{{"op":"{op}","service":"{GET}","topic":"t","id":{text}}}'.encode()
        client.session.line(line)
        (sent,) = client.outlet.lines
        client.outlet.lines.clear()
        written = orjson.dumps(orjson.loads(text))
        assert b'"id":' + written in sent
        assert orjson.loads(sent)["id"] == orjson.loads(text)


def test_numbers_beyond_64_bits_come_back_as_the_same_double(client: SessionClient) -> None:
    (answer,) = client.say(b'{"op":"subscribe","topic":"t","id":123456789012345678901234567890}')
    assert answer["id"] == 1.2345678901234568e29
    (answer,) = client.say(b'{"op":"subscribe","topic":"t","id":1e2}')
    assert answer["id"] == 100


def test_no_id_in_no_id_out(client: SessionClient) -> None:
    for message in (request(GET), {"op": "subscribe", "topic": "t"}, {"op": "nope"}):
        (answer,) = client.say(message)
        assert "id" not in answer


@pytest.mark.parametrize(
    "line", [b"42", b"null", b"[]", b'"x"', b"\xff", b"{", b'{"op":5}', b'{"op":"fragment"}', b"{}"]
)
def test_a_bad_line_gets_one_error_and_the_next_line_its_answer(
    client: SessionClient, line: bytes
) -> None:
    (status,) = client.say(line)
    assert (status["op"], status["level"]) == ("status", "error")
    assert status["msg"]
    assert client.call(GET, {"name": "p"})["values"]["code"] == "not_set"


def test_a_call_with_a_service_is_always_answered_by_a_response(client: SessionClient) -> None:
    for service in ("", "/nope", "/ik/../x", "\0", "\U0001f916", "x" * 1000):
        cases: tuple[object, ...] = (None, {}, [], 5)
        for args in cases:
            answer = client.call(service, args, id=[1])
            assert (answer["service"], answer["id"], answer["result"]) == (service, [1], False)
            assert answer["status"]
            assert len(answer["status"]) < 300
            right = "unknown_service" if args in (None, {}) else "invalid_request"
            assert answer["values"] == {"code": right}


def test_an_unknown_service_offers_the_closest(hub: TestHub, client: SessionClient) -> None:
    assert "did you mean '/ik/solve_robot'" in client.call("/ik/solve")["status"]
    hub.client().say({"op": "advertise_service", "service": "/add_two", "type": "a/B"})
    assert "did you mean '/add_two'" in client.call("/add_too")["status"]


# -- the pool


def test_a_call_goes_to_the_pool_as_it_came(hub: TestHub, client: SessionClient) -> None:
    line = b'{"op":"call_service", "service":"/ik/jacobian","args":{"link":"a"},"id":1.0}'
    (answer,) = client.say(line)
    (call,) = hub.pool.calls
    assert call.line == line
    assert (call.service, call.id) == ("/ik/jacobian", 1.0)
    assert (call.cost, call.deadline, call.description) == ("quick", 1010.0, None)
    assert answer["values"]["args"] == {"link": "a"}
    client.call(SOLVE, {"timeout": 1})
    assert (hub.pool.calls[1].cost, hub.pool.calls[1].deadline) == ("solve", 1003.0)


@pytest.mark.parametrize("args", [None, [], 5, "x"])
def test_the_worker_judges_the_arguments(hub: TestHub, client: SessionClient, args: object) -> None:
    client.call(SOLVE, args)
    assert len(hub.pool.calls) == 1
    assert hub.pool.calls[0].deadline == 1010.0


def test_a_call_reads_the_description_of_its_moment(hub: TestHub, client: SessionClient) -> None:
    hub.pool.hold = True
    client.say(request(FK))
    for version in (1, 2):
        client.call(SET, {"name": "robot_description", "value": version})
        client.say(request(FK))
    hub.client().call(SET, {"name": "robot_description", "value": 3})
    client.say(request(FK))
    found = [call.description for call in hub.pool.calls]
    assert found[0] is None
    assert [(d.version, d.value) for d in found if d] == [(1, b"1"), (2, b"2"), (3, b"3")]


def test_a_call_may_name_another_description(hub: TestHub, client: SessionClient) -> None:
    client.call(SET, {"name": "other", "value": 1})
    client.call(SET, {"name": "robot_description", "value": 2})
    for name in ("other", "robot_description", "nope", 5):
        client.call(FK, {"description_param": name})
    found = [call.description for call in hub.pool.calls]
    assert [d and d.name for d in found] == [
        "other",
        *["robot_description"],
        None,
        *["robot_description"],
    ]
    client.call("/ik/validate", {"robot_description": "<robot/>"})
    assert hub.pool.calls[-1].description is None


def test_the_pools_refusal_is_the_callers(hub: TestHub, client: SessionClient) -> None:
    hub.pool.hold = True
    client.call(SET, {"name": "robot_description", "value": 1})
    client.say(request(FK, id="a"))
    client.say(request("/ik/validate", id="a"))
    for call in hub.pool.held:
        call.fail("overloaded", "try again")
    robot, judged = client.outlet.take()
    assert robot["values"] == {"code": "overloaded", "version": 1}
    assert judged["values"] == {"code": "overloaded"}
    assert (robot["result"], robot["status"], robot["id"]) == (False, "try again", "a")
    assert client.session.idle


def test_answers_come_as_they_are_ready(hub: TestHub, client: SessionClient) -> None:
    hub.pool.hold = True
    for n in range(3):
        assert client.say(request(SOLVE, id=n)) == []
    assert client.call(GET, {"name": "p"}, id="quick")["id"] == "quick"
    assert not client.session.idle
    hub.pool.release()
    assert [answer["id"] for answer in client.outlet.take()] == [2, 1, 0]
    assert client.session.idle


def test_searches_do_not_keep_quick_calls_waiting(hub: TestHub, client: SessionClient) -> None:
    hub.pool.hold = True
    for _ in range(3 * QUICK_CALLS):
        client.say(request(SOLVE))
    assert not client.session.congested


def test_a_client_with_too_much_under_way_has_to_wait(hub: TestHub, client: SessionClient) -> None:
    hub.pool.hold = True
    for _ in range(QUICK_CALLS):
        assert not client.session.congested
        client.say(request(FK))
    assert client.session.congested
    assert not hub.client().session.congested
    hub.pool.answer(hub.pool.held.pop())
    assert not client.session.congested


def test_calls_of_a_client_that_left_are_dropped(hub: TestHub, client: SessionClient) -> None:
    hub.pool.hold = True
    client.say(request(FK))
    client.session.closed()
    hub.client().session.closed()
    assert hub.pool.cancelled == [hub.pool.calls[0].client]


# -- sizes


def test_an_answer_that_fits_no_line_is_a_refusal() -> None:
    client = TestHub(max_line_bytes=4096).client()
    for n in range(100):
        client.call(SET, {"name": f"parameter {n}", "value": 0})
    answer = client.call("/param_server/list_params", id=3)
    assert (answer["id"], answer["values"]) == (3, {"code": "limit_exceeded"})
    assert "--max-line-bytes" in answer["status"]


def test_no_answer_is_longer_than_a_line_may_be() -> None:
    client = TestHub(max_line_bytes=4096).client()
    for size in (500, 2000, 3000, 3900):
        for fields in ({"id": "x" * size}, {"id": [1e15] * (size // 20)}, {"id": 1}):
            for op in ("subscribe", "nope", "call_service"):
                name = "t" if "x" in str(fields) else "t" * size
                line = orjson.dumps({"op": op, "topic": name, "service": name, **fields})
                client.session.line(line[:4096])
    assert client.outlet.lines
    assert max(map(len, client.outlet.lines)) <= 4096


@pytest.mark.parametrize("service", [GET, "/ik/robot_info", "/nobody/provides/it"])
def test_a_call_that_takes_up_its_answers_line_is_refused_by_name(service: str) -> None:
    client = TestHub(max_line_bytes=4096).client()
    (answer,) = client.say(request(service, {}, id="x" * 2500))
    assert (answer["op"], answer["service"]) == ("service_response", service)
    assert (answer["id"], answer["result"]) == ("x" * 2500, False)
    assert answer["values"] == {"code": "invalid_request"}
    assert "'id' and 'service'" in answer["status"]
    assert client.session.idle


def test_whoever_has_no_token_is_told_so_whatever_the_id() -> None:
    client = TestHub(max_line_bytes=4096, token=b"secret").client()
    (answer,) = client.say(request(GET, {}, id="x" * 2500))
    assert answer["values"] == {"code": "unauthorized"}


def test_every_size_of_id_gets_one_answer_that_fits() -> None:
    for token in (b"", b"secret"):
        client = TestHub(max_line_bytes=4096, token=token).client()
        for size in range(1900, 4020, 7):
            (answer,) = client.say(request(GET, {"name": "p"}, id="x" * size))
            assert len(orjson.dumps(answer)) <= 4096
            shell = len(orjson.dumps({**answer, "values": {}, "result": True, "status": ""}))
            if answer["op"] == "status":
                assert size > 4096 - REFUSAL_BYTES - 150  # that the rest of an answer takes
            else:
                assert shell + REFUSAL_BYTES <= 4096


def test_a_call_whose_answer_could_not_name_it_gets_a_status() -> None:
    client = TestHub(max_line_bytes=4096).client()
    (status,) = client.say(request(GET, {}, id="x" * 3900))
    assert (status["op"], status["level"]) == ("status", "error")
    assert "'id' and 'service'" in status["msg"]


def test_a_status_that_does_not_fit_goes_without_its_id() -> None:
    client = TestHub(max_line_bytes=4096).client()
    (status,) = client.say({"op": "nope", "id": "x" * 4050})
    assert "id" not in status
    assert "unknown op" in status["msg"]


# -- topics


def test_publish_and_subscribe(hub: TestHub, client: SessionClient) -> None:
    other = hub.client()
    (ack,) = client.say({"op": "subscribe", "topic": "t", "type": "a/B", "id": 5})
    assert (ack["op"], ack["level"], ack["id"]) == ("status", "info", 5)
    assert client.say({"op": "subscribe", "topic": "t"})[0]["level"] == "info"
    assert other.say({"op": "advertise", "topic": "t", "type": "a/B"}) == []
    assert other.say({"op": "publish", "topic": "t", "msg": {"x": [1, 2.5]}}) == []
    assert client.outlet.take() == [{"op": "publish", "topic": "t", "msg": {"x": [1, 2.5]}}]
    assert client.say({"op": "unsubscribe", "topic": "t"}) == []
    other.say({"op": "publish", "topic": "t", "msg": 1})
    assert client.outlet.take() == []


def test_a_publisher_gets_its_own_messages(client: SessionClient) -> None:
    client.say({"op": "advertise", "topic": "t", "type": "a/B"})
    client.say({"op": "subscribe", "topic": "t"})
    assert client.say({"op": "publish", "topic": "t", "msg": 1})[0]["msg"] == 1


def test_publishing_without_advertising_is_dropped_and_logged_once(
    hub: TestHub, client: SessionClient, caplog: pytest.LogCaptureFixture
) -> None:
    listener = hub.client()
    listener.say({"op": "subscribe", "topic": "t"})
    client.say({"op": "advertise", "topic": "t", "type": ""})
    client.say({"op": "unadvertise", "topic": "t"})
    client.say({"op": "unadvertise", "topic": "t"})
    for topic in ("t", "t", "u", "t"):
        assert client.say({"op": "publish", "topic": topic, "msg": 1}) == []
    assert listener.outlet.take() == []
    logged = [vars(record)["topic"] for record in caplog.records]
    assert logged == ["t", "u"]
    for n in range(2 * LOGGED_TOPICS):
        client.say({"op": "publish", "topic": f"t{n}", "msg": 1})
    assert len(caplog.records) == LOGGED_TOPICS


def test_a_client_that_is_behind_gets_the_newest_of_each_topic(
    hub: TestHub, client: SessionClient
) -> None:
    publisher = hub.client()
    for topic in "abc":
        client.say({"op": "subscribe", "topic": topic})
        publisher.say({"op": "advertise", "topic": topic, "type": ""})
    client.outlet.full = True
    for n in range(100):
        for topic in "abc":
            publisher.say({"op": "publish", "topic": topic, "msg": n})
    client.session.line(orjson.dumps({"op": "unsubscribe", "topic": "c"}))
    assert client.outlet.take() == []
    client.outlet.full = False
    client.session.drained()
    sent = {message["topic"]: message["msg"] for message in client.outlet.take()}
    assert sent == {"a": 99, "b": 99}
    publisher.say({"op": "publish", "topic": "a", "msg": 100})
    assert [message["msg"] for message in client.outlet.take()] == [100]


def test_what_is_kept_for_a_client_that_is_behind_is_bounded(
    hub: TestHub, client: SessionClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscription, "KEPT_BYTES", 2500)
    publisher = hub.client()
    client.outlet.full = True
    for topic in "abc":
        client.say({"op": "subscribe", "topic": topic})
        publisher.say({"op": "advertise", "topic": topic, "type": ""})
        publisher.say({"op": "publish", "topic": topic, "msg": "x" * 1000})
    client.outlet.full = False
    client.session.drained()
    assert [message["topic"] for message in client.outlet.take()] == ["b", "c"]


def test_a_message_too_long_to_send_is_the_publishers_to_hear_of() -> None:
    hub = TestHub(max_line_bytes=4096)
    listener, publisher = hub.client(), hub.client()
    listener.say({"op": "subscribe", "topic": "t"})
    publisher.say({"op": "advertise", "topic": "t", "type": ""})
    (status,) = publisher.say(
        b'{"op":"publish","topic":"t","id":1,"msg":[' + b"1e15," * 600 + b"0]}"
    )
    assert (status["level"], status["id"]) == ("error", 1)
    assert listener.outlet.lines == []


def test_closing_withdraws_everything(hub: TestHub, client: SessionClient) -> None:
    other = hub.client()
    client.say({"op": "advertise_service", "service": "s", "type": "a/B"})
    client.say({"op": "subscribe", "topic": "t"})
    client.say({"op": "advertise", "topic": "u", "type": ""})
    assert other.say(request("s", id=1)) == []
    client.session.closed()
    (answer,) = other.outlet.take()
    assert (answer["id"], answer["values"]["code"]) == (1, "unknown_service")
    assert hub.hub.topics.types() == {}
    assert other.call("s")["values"] == {"code": "unknown_service"}


# -- services of clients


def test_a_clients_service(hub: TestHub, client: SessionClient) -> None:
    provider = hub.client()
    for _ in range(2):
        (ack,) = provider.say({"op": "advertise_service", "service": "s", "type": "a/B", "id": 1})
        assert (ack["level"], ack["id"]) == ("info", 1)
    assert client.say(request("s", {"a": 1}, id="mine")) == []
    (asked,) = provider.outlet.take()
    answer = {"op": "service_response", "id": asked["id"], "values": {"b": 2}, "result": True}
    assert provider.say(answer) == []
    (heard,) = client.outlet.take()
    assert (heard["id"], heard["service"], heard["values"]) == ("mine", "s", {"b": 2})
    (stale,) = provider.say(answer)
    assert (stale["level"], stale["id"]) == ("error", asked["id"])
    assert client.outlet.take() == []
    provider.say({"op": "unadvertise_service", "service": "s"})
    assert client.call("s")["values"] == {"code": "unknown_service"}


def test_the_gateways_own_services_cannot_be_replaced(client: SessionClient) -> None:
    (status,) = client.say({"op": "advertise_service", "service": GET, "type": "", "id": 4})
    assert (status["level"], status["id"]) == ("error", 4)


def test_a_refused_call_of_a_clients_service_leaves_nothing_under_way(
    hub: TestHub, client: SessionClient
) -> None:
    hub.client().say({"op": "advertise_service", "service": "s", "type": ""})
    assert client.call("s", timeout="soon")["values"] == {"code": "invalid_request"}
    assert client.session.idle


def test_a_silent_provider(hub: TestHub, client: SessionClient) -> None:
    hub.client().say({"op": "advertise_service", "service": "s", "type": ""})
    client.say(request("s", timeout=1, id=1))
    hub.clock.now += 1.1
    hub.hub.providers.expire()
    (answer,) = client.outlet.take()
    assert (answer["result"], answer["values"]) == (False, {"code": "timeout"})
    assert client.session.idle


def test_an_asker_that_left_is_not_answered(hub: TestHub, client: SessionClient) -> None:
    provider = hub.client()
    provider.say({"op": "advertise_service", "service": "s", "type": ""})
    client.say(request("s"))
    client.session.closed()
    (asked,) = provider.outlet.take()
    (status,) = provider.say(
        {"op": "service_response", "id": asked["id"], "values": {}, "result": True}
    )
    assert status["level"] == "error"
    assert client.outlet.lines == []


# -- the rest


def test_auth_is_acknowledged(client: SessionClient) -> None:
    (status,) = client.say({"op": "auth", "token": "x", "id": 1})
    assert (status["level"], status["id"]) == ("info", 1)


def test_a_line_that_was_too_long(client: SessionClient) -> None:
    client.session.bad_line(LineError("too long"))
    assert client.outlet.take() == [{"op": "status", "level": "error", "msg": "too long"}]


def test_a_fault_of_our_own_is_logged_and_answered(
    hub: TestHub,
    client: SessionClient,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr(FakePool, "submit", broken)
    monkeypatch.setattr(type(hub.hub.topics), "subscribe", broken)
    (answer,) = client.say(request(FK, id=1))
    assert (answer["id"], answer["values"]) == (1, {"code": "worker_failed"})
    (status,) = client.say({"op": "subscribe", "topic": "t", "id": 2})
    assert (status["level"], status["id"]) == ("error", 2)
    assert "secret" not in answer["status"] + status["msg"]
    assert [record.levelno for record in caplog.records] == [logging.ERROR] * 2


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just("t"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
MESSAGES = st.fixed_dictionaries(
    {"op": st.sampled_from(sorted(FIELDS)) | JSON},
    optional=dict.fromkeys(
        ("id", "topic", "type", "msg", "service", "args", "values", "result", "token"), JSON
    )
    | {"service": st.sampled_from([FK, GET, SET, "s"]) | JSON, "result": st.booleans() | JSON},
)


@given(st.lists(MESSAGES, max_size=8))
def test_any_message_is_survived_and_every_call_answered_once(
    messages: list[dict[str, object]],
) -> None:
    hub = TestHub()
    client = hub.client()
    for message in messages:
        try:
            line = orjson.dumps(message)
        except TypeError:  # an integer beyond 64 bits
            continue
        provided = hub.hub.providers
        service = message.get("service")
        is_call = message["op"] == "call_service" and isinstance(service, str)
        was_provided = isinstance(service, str) and service in provided
        answers = [a for a in client.say(line) if a["op"] == "service_response"]
        if not was_provided:
            assert len(answers) == is_call
    assert client.say({"op": "auth", "token": ""})[0]["level"] == "info"


def test_a_client_keeps_no_description_that_it_asked_about(hub: TestHub) -> None:
    client = hub.client()
    for text in ("first", "second", "third"):
        client.say(request(SET, {"name": "robot_description", "value": text}))
        assert client.say(request(FK))[0]["result"] is True
    hub.pool.calls.clear()
    hub.pool.described.clear()
    gc.collect()
    kept = [thing.value for thing in gc.get_objects() if isinstance(thing, Parameter)]
    assert kept.count(b'"third"') == 1
    assert b'"first"' not in kept
    assert b'"second"' not in kept
