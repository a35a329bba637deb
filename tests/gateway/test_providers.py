"""Calls reach the newest provider, and each asker hears once, whatever the provider does."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from gateway.envelope import Message
from gateway.errors import ABSENT, LineError, ServiceError
from gateway.providers import (
    BACKLOG_BYTES,
    OPEN_CALLS_PER_PROVIDER,
    SERVICES_PER_CLIENT,
    OpenCall,
    Providers,
)
from gateway.services import SERVICES
from tests.support.gateways import FakeClock


class Peer:
    """Asks, provides, and remembers."""

    def __init__(self) -> None:
        self.backlog = 0
        self.asked: list[dict[str, Any]] = []  # the calls it was given
        self.heard: list[dict[str, Any]] = []  # the answers it was given

    def send(self, line: bytes) -> None:
        self.asked.append(orjson.loads(line))

    def replied(self, call: OpenCall, line: bytes) -> None:
        assert call.asker is self
        self.heard.append(orjson.loads(line))

    def answer(self, providers: Providers, values: object, **fields: object) -> None:
        """Answer the oldest call."""
        message = {"id": self.asked.pop(0)["id"], "values": values, "result": True} | fields
        providers.respond(self, message)


def call(service: str = "add", id_: object = 7, **fields: object) -> Message:
    message = {"op": "call_service", "service": service, **fields}
    return message if id_ is ABSENT else message | {"id": id_}


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def providers(clock: FakeClock) -> Providers:
    return Providers({"/ik/validate": SERVICES["/ik/validate"]}, 30.0, 1000, clock)


def test_a_call_goes_there_and_back_under_the_askers_id(providers: Providers) -> None:
    asker, provider = Peer(), Peer()
    providers.advertise(provider, "add", "a/B")
    providers.call(asker, call(args={"a": 1}), 50)
    (asked,) = provider.asked
    assert asked["op"] == "call_service"
    assert asked["service"] == "add"
    assert asked["args"] == {"a": 1}
    assert asked["id"] != 7
    provider.answer(providers, {"sum": 2}, status="fine")
    assert asker.heard == [
        {
            "op": "service_response",
            "service": "add",
            "id": 7,
            "values": {"sum": 2},
            "result": True,
            "status": "fine",
        }
    ]


def test_a_failure_is_passed_on_as_it_is(providers: Providers) -> None:
    asker, provider = Peer(), Peer()
    providers.advertise(provider, "add", "")
    providers.call(asker, call(id_=ABSENT), 50)
    assert provider.asked[0]["args"] == {}
    provider.answer(providers, {}, result=False)
    assert "id" not in asker.heard[0]
    assert asker.heard[0]["result"] is False
    assert asker.heard[0]["status"] == ""


def test_the_newest_provider_serves_and_the_one_before_takes_over(providers: Providers) -> None:
    asker, old, new = Peer(), Peer(), Peer()
    providers.advertise(old, "add", "old/T")
    providers.advertise(new, "add", "new/T")
    providers.advertise(old, "add", "old/T")  # repeating changes nothing
    providers.call(asker, call(), 1)
    assert (len(old.asked), len(new.asked)) == (0, 1)
    assert providers.types() == {"add": "new/T", "/ik/validate": "ik/Validate"}
    providers.unadvertise(new, "add")
    providers.unadvertise(new, "add")
    providers.call(asker, call(), 1)
    assert len(old.asked) == 1
    new.answer(providers, {"late": True})  # what it was given it may still answer
    assert asker.heard[0]["values"] == {"late": True}


def test_names_come_and_go(providers: Providers) -> None:
    provider = Peer()
    providers.advertise(provider, "a", "")
    providers.advertise(provider, "b", "")
    assert "a" in providers
    assert list(providers) == ["a", "b"]
    providers.withdraw(provider)
    providers.withdraw(provider)
    assert "a" not in providers
    assert not list(providers)


def test_own_services_cannot_be_replaced(providers: Providers) -> None:
    with pytest.raises(LineError, match=r"'/ik/validate' is the gateway's own"):
        providers.advertise(Peer(), "/ik/validate", "")


def test_only_the_provider_that_was_asked_can_answer(providers: Providers) -> None:
    asker, provider, stranger = Peer(), Peer(), Peer()
    providers.advertise(provider, "add", "")
    providers.call(asker, call(), 1)
    number = provider.asked[0]["id"]
    for peer, id_ in [(stranger, number), (provider, "nope"), (provider, 5), (provider, [])]:
        with pytest.raises(LineError, match="no call with this 'id'"):
            providers.respond(peer, {"id": id_, "values": {}, "result": True})
    assert not asker.heard
    providers.respond(provider, {"id": number, "values": {}, "result": True})
    with pytest.raises(LineError, match="no call with this 'id'"):
        providers.respond(provider, {"id": number, "values": {}, "result": True})
    assert len(asker.heard) == 1


def test_a_silent_provider_costs_the_timeout(providers: Providers, clock: FakeClock) -> None:
    asker, provider = Peer(), Peer()
    providers.expire()
    providers.advertise(provider, "add", "")
    providers.call(asker, call(), 1)
    providers.call(asker, call(id_=8, timeout=0.5), 1)
    providers.call(asker, call(id_=9, timeout=1000), 1)
    clock.now += 0.4
    providers.expire()
    assert not asker.heard
    clock.now += 0.2
    providers.expire()
    assert [answer["id"] for answer in asker.heard] == [8]
    assert asker.heard[0]["result"] is False
    assert asker.heard[0]["values"] == {"code": "timeout"}
    assert "'add'" in asker.heard[0]["status"]
    clock.now += 30
    providers.expire()
    assert sorted(answer["id"] for answer in asker.heard) == [7, 8, 9]
    with pytest.raises(LineError, match="no call"):
        provider.answer(providers, {})


@pytest.mark.parametrize("timeout", [-1, True, "1", []])
def test_a_timeout_is_a_number_of_seconds(providers: Providers, timeout: object) -> None:
    providers.advertise(Peer(), "add", "")
    with pytest.raises(ServiceError, match="'timeout'") as caught:
        providers.call(Peer(), call(timeout=timeout), 1)
    assert caught.value.code == "invalid_request"


def test_no_timeout_may_be_said_with_null(providers: Providers, clock: FakeClock) -> None:
    asker = Peer()
    providers.advertise(Peer(), "add", "")
    providers.call(asker, call(timeout=None), 1)
    clock.now += 29
    providers.expire()
    assert not asker.heard


def test_a_provider_that_leaves_fails_what_it_had(providers: Providers) -> None:
    asker, provider = Peer(), Peer()
    providers.advertise(provider, "add", "")
    providers.call(asker, call(), 1)
    providers.withdraw(provider)
    assert asker.heard[0]["values"] == {"code": "unknown_service"}
    assert "disconnected" in asker.heard[0]["status"]
    assert len(asker.heard) == 1


def test_an_asker_that_leaves_hears_no_more(providers: Providers, clock: FakeClock) -> None:
    asker, other, provider = Peer(), Peer(), Peer()
    providers.advertise(provider, "add", "")
    providers.call(asker, call(), 1)
    providers.call(other, call(), 1)
    providers.forget(asker)
    clock.now += 60
    providers.expire()
    assert (len(asker.heard), len(other.heard)) == (0, 1)


def test_a_provider_that_does_not_read_is_given_no_more(providers: Providers) -> None:
    provider = Peer()
    providers.advertise(provider, "add", "")
    provider.backlog = BACKLOG_BYTES + 1
    with pytest.raises(ServiceError, match="does not keep up") as caught:
        providers.call(Peer(), call(), 1)
    assert caught.value.code == "overloaded"
    provider.backlog = 0
    for _ in range(OPEN_CALLS_PER_PROVIDER):
        providers.call(Peer(), call(), 1)
    with pytest.raises(ServiceError, match="does not keep up"):
        providers.call(Peer(), call(), 1)


def test_lines_stay_within_the_limit(providers: Providers) -> None:
    asker, provider = Peer(), Peer()
    providers.advertise(provider, "add", "")
    with pytest.raises(ServiceError, match="at most 1000") as caught:
        providers.call(asker, call(args={"x": "y" * 1000}), 1)
    assert caught.value.code == "limit_exceeded"
    assert not provider.asked
    providers.call(asker, call(), 1)
    provider.answer(providers, {"x": "y" * 1000})
    assert asker.heard[0]["values"] == {"code": "limit_exceeded"}


def test_numbers_and_names_are_bounded(providers: Providers) -> None:
    provider = Peer()
    for n in range(SERVICES_PER_CLIENT):
        providers.advertise(provider, f"s{n}", "")
    providers.advertise(provider, "s0", "")
    with pytest.raises(LineError, match="1000 services"):
        providers.advertise(provider, "more", "")
    with pytest.raises(LineError, match="service"):
        providers.advertise(Peer(), "x" * 5000, "")
    with pytest.raises(LineError, match="type"):
        providers.advertise(Peer(), "x", "x" * 5000)


def test_a_failure_needs_no_values_but_a_success_does(providers: Providers) -> None:
    asker, provider = Peer(), Peer()
    providers.advertise(provider, "add", "")
    providers.call(asker, call(), 1)
    answer = {"op": "service_response", "id": provider.asked[0]["id"]}
    with pytest.raises(LineError, match="'values' of 'service_response' is missing"):
        providers.respond(provider, answer | {"result": True})
    providers.respond(provider, answer | {"result": False})
    (heard,) = asker.heard
    assert (heard["values"], heard["result"]) == ({}, False)
