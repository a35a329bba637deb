"""The robot's state as clients of a running gateway see it."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.support.live import ROOT, Live, gateway

ARM = (ROOT / "docs/examples/arm.urdf").read_text("utf-8")
SMALL = "<robot name='small'><link name='only'/></robot>"
STATUS_SECONDS = 30.0  # of patience: the machine may be busy


class Listener:
    """A client that subscribes, publishes, and reads what comes."""

    def __init__(self, live: Live, *topics: str) -> None:
        self._connection = live.connection()
        self._stream = self._connection.__enter__().makefile("rwb")
        for topic in topics:
            self.say(op="subscribe", topic=topic)

    def close(self) -> None:
        self._stream.close()
        self._connection.__exit__(None, None, None)

    def say(self, **message: object) -> None:
        self._stream.write(json.dumps(message).encode() + b"\n")
        self._stream.flush()

    def next(self, right: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Return the next line that is right."""
        end = time.monotonic() + STATUS_SECONDS
        while time.monotonic() < end:
            line: dict[str, Any] = json.loads(self._stream.readline())
            if right(line):
                return line
        raise AssertionError("what was waited for did not come")

    def message(self, topic: str) -> list[dict[str, Any]]:
        """Return the transforms of a topic's next message."""
        line = self.next(lambda line: line.get("topic") == topic)
        transforms: list[dict[str, Any]] = line["msg"]["transforms"]
        return transforms


@pytest.fixture(scope="module")
def live() -> Iterator[Live]:
    with gateway("--tf-rate", "50") as running:
        yield running


def load(live: Live, text: str) -> dict[str, Any]:
    """Set a description and return the status that says what became of it."""
    version = live.load(text)
    name = {"name": "/robot_state_publisher/description_status"}
    end = time.monotonic() + STATUS_SECONDS
    while time.monotonic() < end:
        status: dict[str, Any] = live.call("/param_server/get_param", name)["values"]["value"]
        if status and status["version"] == version:
            return status
        time.sleep(0.01)
    raise AssertionError("no status in time")


def test_joints_move_and_transforms_follow(live: Live) -> None:
    assert load(live, ARM)["root_link"] == "base"
    listener = Listener(live, "/tf", "/xform_world")
    stamp = {"sec": 1_700_000_000, "nanosec": 123_456_789}
    state = {"header": {"stamp": stamp}, "name": ["waist"], "position": [math.pi / 2]}
    listener.say(op="advertise", topic="/joint_states", type="sensor_msgs/JointState")
    listener.say(op="publish", topic="/joint_states", msg=state)
    while (transforms := listener.message("/tf"))[0]["header"]["stamp"] != stamp:
        pass
    (waist,) = [entry for entry in transforms if entry["child_frame_id"] == "shoulder"]
    assert waist["header"] == {"stamp": stamp, "frame_id": "base"}
    assert waist["transform"]["rotation"]["z"] == pytest.approx(math.sqrt(0.5), abs=1e-12)
    assert len(transforms) == 7
    places = {entry["child_frame_id"]: entry for entry in listener.message("/xform_world")}
    answer = live.call("/ik/forward_kinematics", {"joint_state": state})["values"]["poses"]
    assert places.keys() == answer.keys()
    for link, pose in answer.items():
        assert places[link]["header"] == {"stamp": stamp, "frame_id": "global_frame"}
        expected = [pose["position"][axis] for axis in "xyz"]
        assert places[link]["matrix"][12:15] == pytest.approx(expected, abs=1e-9)
    listener.close()


def test_a_late_subscriber_gets_all_of_it(live: Live) -> None:
    load(live, ARM)
    early = Listener(live, "/tf", "/tf_static", "/xform_world")
    late = Listener(live, "/tf", "/tf_static", "/xform_world")
    for listener in (early, late):
        assert len(listener.message("/tf_static")) == 1
        assert len(listener.message("/tf")) == 7
        assert len(listener.message("/xform_world")) == 8
        listener.close()


def test_a_replaced_robot_leaves_no_trace(live: Live) -> None:
    listener = Listener(live, "/tf", "/xform_world")
    for text, links in ((ARM, 8), (SMALL, 1)) * 3:
        status = load(live, text)
        assert (status["accepted"], status["loaded_version"]) == (True, status["version"])
        listener.say(op="subscribe", topic="/mark", id=status["version"])
        listener.next(lambda line, mark=status["version"]: line.get("id") == mark)  # type: ignore[misc]
        for _ in range(3):
            assert len(listener.message("/tf")) == links - 1
            assert len(listener.message("/xform_world")) == links
    listener.close()


def test_a_refused_description_is_told_and_the_robot_stays(live: Live) -> None:
    version = load(live, SMALL)["version"]
    status = load(live, "<robot name='x'/>")
    assert not status["accepted"]
    assert "link" in status["error"]
    assert (status["loaded_version"], status["root_link"]) == (version, "only")
    listener = Listener(live, "/xform_world")
    assert [entry["child_frame_id"] for entry in listener.message("/xform_world")] == ["only"]
    listener.close()


def test_clients_cannot_ask_what_the_gateway_asks(live: Live) -> None:
    answer = live.call("/robot_state/tf", {"name": [], "position": []})
    assert answer["values"]["code"] == "unknown_service"
