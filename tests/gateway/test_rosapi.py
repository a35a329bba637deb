"""What rosbridge clients ask about the graph is answered from what is there."""

from __future__ import annotations

import time
from typing import Any

import orjson
import pytest

from gateway.robot_state import RobotState
from gateway.services import OWN
from tests.support.gateways import SessionClient, TestHub

SET, GET = "/param_server/set_param", "/param_server/get_param"


@pytest.fixture
def hub() -> TestHub:
    return TestHub()


@pytest.fixture(params=["/rosapi/", "rosapi/"])
def prefix(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


def ask(client: SessionClient, service: str, /, **args: object) -> dict[str, Any]:
    """Return the values of an answer that is `result:true`."""
    answer = client.call(service, args, id="call_service:x:1")
    assert answer["result"], answer
    assert (answer["service"], answer["id"]) == (service, "call_service:x:1")
    values: dict[str, Any] = answer["values"]
    return values


def test_parameters_are_json_text_over_the_same_store(hub: TestHub, prefix: str) -> None:
    client = hub.client()
    assert ask(client, f"{prefix}set_param", name="a", value='{"x": [1, "é"]}') == {}
    assert client.call(GET, {"name": "a"})["values"]["value"] == {"x": [1, "é"]}
    client.call(SET, {"name": "b", "value": '"<robot/>"'})
    assert orjson.loads(ask(client, f"{prefix}get_param", name="b")["value"]) == '"<robot/>"'
    assert ask(client, f"{prefix}get_param_names")["names"] == ["a", "b"]
    assert ask(client, f"{prefix}has_param", name="a") == {"exists": True}
    assert ask(client, f"{prefix}delete_param", name="a") == {}
    assert ask(client, f"{prefix}delete_param", name="a") == {}
    assert ask(client, f"{prefix}has_param", name="a") == {"exists": False}
    assert ask(client, f"{prefix}get_param", name="a") == {"value": "null"}
    assert ask(client, f"{prefix}get_param", name="a", default_value="3") == {"value": "3"}


@pytest.mark.parametrize(
    ("service", "args", "sentence"),
    [
        ("set_param", {"name": "a", "value": "<robot/>"}, "'value' is not JSON text"),
        ("set_param", {"name": "a", "value": 3}, "'value' is the number 3; a string"),
        ("set_param", {"name": "a"}, "'value' is missing"),
        ("set_param", {"value": "1"}, "'name' is missing"),
        ("get_param", {"name": ""}, "'name' is ''"),
        ("node_details", {"node": "/turtle"}, "no node is named '/turtle'"),
    ],
)
def test_what_cannot_be_answered_is_told(
    hub: TestHub, service: str, args: dict[str, Any], sentence: str
) -> None:
    answer = hub.client().call(f"/rosapi/{service}", args)
    assert (answer["result"], answer["values"]["code"]) == (False, "invalid_request")
    assert sentence in answer["status"]


def test_topics_are_those_of_clients_and_of_the_gateway(hub: TestHub, prefix: str) -> None:
    RobotState(hub.hub, 20.0)
    client = hub.client()
    client.say({"op": "advertise", "topic": "/chat", "type": "std_msgs/String"})
    client.say({"op": "subscribe", "topic": "/quiet"})
    found = ask(client, f"{prefix}topics")
    types = dict(zip(found["topics"], found["types"], strict=True))
    assert types == {
        "/chat": "std_msgs/String",
        "/global_pose": "geometry_msgs/Pose",
        "/joint_states": "sensor_msgs/JointState",
        "/quiet": "",
        "/tf": "tf2_msgs/TFMessage",
        "/tf_static": "tf2_msgs/TFMessage",
        "/xform_world": "robot_world_state/LinkMatrices",
    }
    assert ask(client, f"{prefix}topic_type", topic="/chat") == {"type": "std_msgs/String"}
    assert ask(client, f"{prefix}topic_type", topic="/none") == {"type": ""}
    names = ask(client, f"{prefix}topics_for_type", type="tf2_msgs/TFMessage")["topics"]
    assert names == ["/tf", "/tf_static"]


def test_services_are_those_of_clients_and_of_the_gateway(hub: TestHub, prefix: str) -> None:
    client = hub.client()
    client.say({"op": "advertise_service", "service": "/add", "type": "a/Add"})
    names = ask(client, f"{prefix}services")["services"]
    assert names == sorted(["/add", *(service.name for service in OWN)])
    assert ask(client, f"{prefix}service_type", service="/add") == {"type": "a/Add"}
    assert ask(client, f"{prefix}service_type", service="/ik/validate") == {"type": "ik/Validate"}
    assert ask(client, f"{prefix}service_type", service="/none") == {"type": ""}
    assert ask(client, f"{prefix}services_for_type", type="a/Add") == {"services": ["/add"]}


def test_no_name_of_a_service_can_be_taken_over(hub: TestHub, prefix: str) -> None:
    (status,) = hub.client().say(
        {"op": "advertise_service", "service": f"{prefix}get_time", "type": "x"}
    )
    assert status["level"] == "error"


def test_nodes_and_what_they_do(hub: TestHub, prefix: str) -> None:
    client = hub.client()
    nodes = ask(client, f"{prefix}nodes")["nodes"]
    assert nodes == ["/robot_gateway", "/robot_state_publisher", "/robot_world_state_publisher"]
    details = ask(client, f"{prefix}node_details", node="/robot_state_publisher")
    assert details == {
        "publishing": ["/tf", "/tf_static"],
        "subscribing": ["/joint_states"],
        "services": [],
    }
    own = ask(client, f"{prefix}node_details", node="robot_gateway")["services"]
    assert own == sorted(service.name for service in OWN)


def test_the_time_has_the_names_of_both_ros_versions(hub: TestHub, prefix: str) -> None:
    now = ask(hub.client(), f"{prefix}get_time")["time"]
    assert abs(now["sec"] + now["nanosec"] * 1e-9 - time.time()) < 60
    assert (now["secs"], now["nsecs"]) == (now["sec"], now["nanosec"])


# -- what a subscription may ask for


def test_a_throttle_leaves_out_what_comes_too_soon(hub: TestHub) -> None:
    client, publisher = hub.client(), hub.client()
    client.say({"op": "subscribe", "topic": "t", "throttle_rate": 100})
    publisher.say({"op": "advertise", "topic": "t", "type": "x"})
    seen = []
    for n in range(10):
        publisher.say({"op": "publish", "topic": "t", "msg": n})
        seen += [line["msg"] for line in client.outlet.take()]
        hub.clock.now += 0.04
    assert seen == [0, 3, 6, 9]
    client.say({"op": "subscribe", "topic": "t"})  # and now all of them
    for n in range(3):
        publisher.say({"op": "publish", "topic": "t", "msg": n})
    assert [line["msg"] for line in client.outlet.take()] == [0, 1, 2]


@pytest.mark.parametrize("rate", [-1, "fast", True, 1e9])
def test_a_throttle_that_is_none_is_refused(hub: TestHub, rate: object) -> None:
    message = {"op": "subscribe", "topic": "t", "throttle_rate": rate, "id": 5}
    (status,) = hub.client().say(message)
    assert (status["level"], status["id"]) == ("error", 5)
    assert "milliseconds from 0 to 3600000" in status["msg"]
    assert hub.hub.topics.types() == {}
    (status,) = hub.client().say(message | {"id": None})
    assert status["id"] is None
    del message["id"]
    (status,) = hub.client().say(message)
    assert "id" not in status


def test_what_has_no_effect_is_said_in_the_acknowledgement(hub: TestHub) -> None:
    client = hub.client()
    usual = {"op": "subscribe", "topic": "t", "throttle_rate": 0, "queue_length": 0}
    (status,) = client.say(usual | {"compression": "none"})
    assert status["msg"] == "messages of 't' come to this client"
    (status,) = client.say(usual | {"compression": "png", "fragment_size": 9, "queue_length": 5})
    assert status["level"] == "info"
    for field in ("compression", "fragment_size", "queue_length"):
        assert field in status["msg"]


def test_statuses_below_the_level_are_not_sent(hub: TestHub) -> None:
    client = hub.client()
    subscribe, bad = {"op": "subscribe", "topic": "t"}, {"op": "dance"}
    for level, count in [("info", 2), ("warning", 1), ("error", 1), ("none", 0), ("info", 2)]:
        assert client.say({"op": "set_level", "level": level}) == []
        assert len(client.say(subscribe) + client.say(bad)) == count
