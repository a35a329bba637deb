"""Each of the gateway's own services says what the contract says."""

from __future__ import annotations

from typing import Any

import pytest

from gateway.services import IGNORED_NAMES, SERVICES, PoolService
from tests.support.gateways import SessionClient, TestHub

SET, GET, DELETE = (f"/param_server/{verb}_param" for verb in ("set", "get", "delete"))
LIST = "/param_server/list_params"


@pytest.fixture
def client() -> SessionClient:
    return TestHub().client()


def refusal(answer: dict[str, Any]) -> tuple[str, str]:
    assert answer["result"] is False
    return answer["values"]["code"], answer["status"]


def test_set_and_get(client: SessionClient) -> None:
    value = {"b": [1, 2.5, None], "a": "é\u2028\U0001f600"}
    assert client.call(SET, {"name": "p", "value": value})["values"] == {"version": 1}
    assert client.call(SET, {"name": "p", "value": value})["values"] == {"version": 2}
    answer = client.call(GET, {"name": "p"}, id=1)
    assert answer == {
        "op": "service_response",
        "service": GET,
        "id": 1,
        "values": {"value": value, "version": 2},
        "result": True,
        "status": "",
    }


def test_null_is_a_value(client: SessionClient) -> None:
    client.call(SET, {"name": "p", "value": None})
    assert client.call(GET, {"name": "p"})["values"] == {"value": None, "version": 1}


def test_what_was_never_set(client: SessionClient) -> None:
    answer = client.call(GET, {"name": "p"})
    assert answer["values"] == {"value": None, "version": 0, "code": "not_set"}
    assert "'p' was never set" in answer["status"]
    answer = client.call(DELETE, {"name": "p"})
    assert answer["values"] == {"version": 0, "code": "not_set"}


def test_delete_and_set_again(client: SessionClient) -> None:
    client.call(SET, {"name": "p", "value": 1})
    client.call(SET, {"name": "p", "value": 2})
    assert client.call(DELETE, {"name": "p"})["values"] == {"version": 2}
    assert client.call(GET, {"name": "p"})["values"]["code"] == "not_set"
    assert client.call(SET, {"name": "p", "value": 3})["values"] == {"version": 3}


def test_list(client: SessionClient) -> None:
    assert client.call(LIST)["values"] == {"params": []}
    client.call(SET, {"name": "/b", "value": "xy"})
    client.call(SET, {"name": "/a", "value": 1})
    assert client.call(LIST, {})["values"]["params"] == [
        {"name": "/a", "version": 1, "bytes": 1},
        {"name": "/b", "version": 1, "bytes": 4},
    ]
    assert [p["name"] for p in client.call(LIST, {"prefix": "/b"})["values"]["params"]] == ["/b"]


@pytest.mark.parametrize(
    ("service", "args", "words"),
    [
        (SET, {"value": 1}, "'name' is missing; a string expected"),
        (SET, {"name": 5, "value": 1}, "'name' is the number 5; a string expected"),
        (SET, {"name": None, "value": 1}, "'name' is null"),
        (SET, {"name": "", "value": 1}, "'name' is empty"),
        (SET, {"name": "p"}, "'value' is missing"),
        (GET, {}, "'name' is missing"),
        (GET, {"name": []}, "'name' is an array of 0"),
        (DELETE, {"name": {}}, "'name' is an object"),
        (LIST, {"prefix": True}, "'prefix' is true; a string expected"),
        (GET, [], "'args' is an array of 0; an object expected"),
        (GET, 3, "'args' is the number 3"),
        (GET, "x", "'args' is 'x'"),
    ],
)
def test_wrong_arguments(client: SessionClient, service: str, args: object, words: str) -> None:
    code, sentence = refusal(client.call(service, args))
    assert code == "invalid_request"
    assert words in sentence


def test_null_arguments_are_no_object(client: SessionClient) -> None:
    (answer,) = client.say({"op": "call_service", "service": GET, "args": None})
    assert refusal(answer) == ("invalid_request", "'args' is null; an object expected")


def test_fields_that_mean_nothing_are_listed(client: SessionClient) -> None:
    answer = client.call(SET, {"name": "p", "value": 1, "valu": 2, "x": 3})
    assert answer["values"] == {"version": 1, "ignored": ["valu", "x"]}
    answer = client.call(GET, {"nam": "p"})
    assert answer["values"] == {"code": "invalid_request", "ignored": ["nam"]}
    many = {f"x{n}": n for n in range(1000)}
    assert len(client.call(LIST, many)["values"]["ignored"]) == IGNORED_NAMES


@pytest.mark.parametrize(
    ("args", "seconds"),
    [
        ({}, 10.0),
        ({"timeout": 0}, 2.0),
        ({"timeout": 0.5}, 2.5),
        ({"timeout": 10}, 12.0),
        ({"timeout": 11}, 10.0),
        ({"timeout": -1}, 10.0),
        ({"timeout": "1"}, 10.0),
    ],
)
def test_a_search_has_the_time_it_asks_for(args: dict[str, object], seconds: float) -> None:
    solve, forward = SERVICES["/ik/solve_robot"], SERVICES["/ik/forward_kinematics"]
    assert isinstance(solve, PoolService)
    assert isinstance(forward, PoolService)
    assert solve.deadline_seconds(args) == seconds
    assert forward.deadline_seconds(args) == 10.0


def test_every_service_has_a_name_and_a_type() -> None:
    aliases = {"", "/"}  # rosbridge clients leave the first slash out
    assert all(service.name.removesuffix(name) in aliases for name, service in SERVICES.items())
    assert all(service.type.count("/") == 1 for service in SERVICES.values())
