"""What rosbridge clients ask about the graph: the services `/rosapi/...`.

They look at the same parameters, topics and services as everything else. Here parameters
travel as JSON text, as rosbridge clients have it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

import orjson

from gateway.envelope import Values
from gateway.errors import ABSENT, ServiceError, quote, show
from gateway.hub import Hub

Args = Mapping[str, object]

PREFIX: Final = "/rosapi/"


@dataclass(frozen=True, slots=True)
class Node:
    """A part of the gateway that ROS would run as a node."""

    publishing: tuple[str, ...] = ()
    subscribing: tuple[str, ...] = ()


GATEWAY_NODE: Final = "/robot_gateway"  # provides every service of the gateway's own
NODES: Final[Mapping[str, Node]] = {
    GATEWAY_NODE: Node(),
    "/robot_state_publisher": Node(("/tf", "/tf_static"), ("/joint_states",)),
    "/robot_world_state_publisher": Node(("/xform_world",), ("/global_pose", "/tf")),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One service of these, without its prefix."""

    name: str
    type: str
    fields: frozenset[str]
    run: Callable[[Hub, Args], Values]  # raises ServiceError
    reads: Literal["nothing", "one", "all"]  # of the parameters, as in `services`


def _text(args: Args, field: str) -> str:
    value = args.get(field, ABSENT)
    if not isinstance(value, str) or not value:
        what = "is missing" if value is ABSENT else f"is {show(value)}"
        raise ServiceError(
            "invalid_request", f"'{field}' {what}; a string that is not empty expected"
        )
    return value


def _get_param(hub: Hub, args: Args) -> Values:
    parameter = hub.params.find(_text(args, "name"))
    if parameter is not None:
        return {"value": parameter.value.decode()}
    for field in ("default_value", "default"):
        if isinstance(args.get(field), str) and args[field]:
            return {"value": args[field]}
    return {"value": "null"}


def _set_param(hub: Hub, args: Args) -> Values:
    name, text = _text(args, "name"), _text(args, "value")
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise ServiceError(
            "invalid_request",
            f"'value' is not JSON text: {error.msg} at character {error.pos + 1}; "
            "a string is written with its quotes",
        ) from None
    hub.params.set(name, value)
    return {}


def _has_param(hub: Hub, args: Args) -> Values:
    return {"exists": hub.params.find(_text(args, "name")) is not None}


def _delete_param(hub: Hub, args: Args) -> Values:
    hub.params.delete(_text(args, "name"))
    return {}


def _get_param_names(hub: Hub, _args: Args) -> Values:
    return {"names": hub.params.names()}


def _topics(hub: Hub, _args: Args) -> Values:
    types = dict(sorted(hub.topics.types().items()))
    return {"topics": list(types), "types": list(types.values())}


def _topic_type(hub: Hub, args: Args) -> Values:
    return {"type": hub.topics.types().get(_text(args, "topic"), "")}


def _topics_for_type(hub: Hub, args: Args) -> Values:
    return {"topics": _of_type(hub.topics.types(), _text(args, "type"))}


def _services(hub: Hub, _args: Args) -> Values:
    return {"services": sorted(hub.providers.types())}


def _service_type(hub: Hub, args: Args) -> Values:
    return {"type": hub.providers.types().get(_text(args, "service"), "")}


def _services_for_type(hub: Hub, args: Args) -> Values:
    return {"services": _of_type(hub.providers.types(), _text(args, "type"))}


def _of_type(types: Mapping[str, str], wanted: str) -> list[str]:
    return sorted(name for name, type_ in types.items() if type_ == wanted)


def _nodes(_hub: Hub, _args: Args) -> Values:
    return {"nodes": list(NODES)}


def _node_details(hub: Hub, args: Args) -> Values:
    name = _text(args, "node")
    node = NODES.get(name) or NODES.get(f"/{name}")
    if node is None:
        raise ServiceError(
            "invalid_request", f"no node is named {quote(name)}; one of {', '.join(NODES)} expected"
        )
    own = sorted(hub.providers.own_types()) if node is NODES[GATEWAY_NODE] else []
    return {
        "publishing": list(node.publishing),
        "subscribing": list(node.subscribing),
        "services": own,
    }


def _get_time(_hub: Hub, _args: Args) -> Values:
    seconds, nanoseconds = divmod(time.time_ns(), 10**9)
    now = {"sec": seconds, "nanosec": nanoseconds}  # ROS 2; and for clients of ROS 1:
    return {"time": now | {"secs": seconds, "nsecs": nanoseconds}}


READS: Final[Mapping[str, Literal["one", "all"]]] = {
    "get_param": "one",
    "has_param": "one",
    "get_param_names": "all",
}


def _row(name: str, type_: str, fields: str, run: Callable[[Hub, Args], Values]) -> Row:
    reads: Literal["nothing", "one", "all"] = READS.get(name, "nothing")
    return Row(f"{PREFIX}{name}", f"rosapi_msgs/{type_}", frozenset(fields.split()), run, reads)


ROWS: Final = (
    _row("get_param", "GetParam", "name default_value default", _get_param),
    _row("set_param", "SetParam", "name value", _set_param),
    _row("has_param", "HasParam", "name", _has_param),
    _row("delete_param", "DeleteParam", "name", _delete_param),
    _row("get_param_names", "GetParamNames", "", _get_param_names),
    _row("topics", "Topics", "", _topics),
    _row("topic_type", "TopicType", "topic", _topic_type),
    _row("topics_for_type", "TopicsForType", "type", _topics_for_type),
    _row("services", "Services", "", _services),
    _row("service_type", "ServiceType", "service", _service_type),
    _row("services_for_type", "ServicesForType", "type", _services_for_type),
    _row("nodes", "Nodes", "", _nodes),
    _row("node_details", "NodeDetails", "node", _node_details),
    _row("get_time", "GetTime", "", _get_time),
)
