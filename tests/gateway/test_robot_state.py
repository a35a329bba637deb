"""When the robot's state is computed, for whom, and what becomes of what comes meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import orjson
import pytest

from gateway.calls import Call
from gateway.envelope import response_line
from gateway.robot_state import RobotState
from gateway.vitals import STATUS_PARAM
from kinematics.frames import DESCRIPTION_PARAM
from tests.support.gateways import FakePool, SessionClient, TestHub

RATE_HZ = 100.0
PATIENCE_SECONDS = 5.0
POSE = {
    "position": {"x": 1, "y": 2, "z": 3},
    "orientation": {"x": 0, "y": 0, "z": 0, "w": 1},
}


class WorkerPool(FakePool):
    """Answers like workers: a robot's text is its root's name, "bad" none, "edge" overflows."""

    def answer(self, call: Call) -> None:
        assert call.description is not None
        root = orjson.loads(call.description.value)
        args = orjson.loads(call.line)["args"]
        topic = call.service.removeprefix("/robot_state")
        if root == "bad":
            self.refuse(call, "invalid_robot_description", "it is bad")
        elif topic == "/root_link":
            call.done(orjson.dumps(root))
        elif 1e308 in args["position"] or (root == "edge" and topic == "/xform_world"):
            self.refuse(call, "invalid_request", "it would not be finite")
        else:
            message = {"robot": root, **args}
            call.done(orjson.dumps({"op": "publish", "topic": topic, "msg": message}))

    def refuse(self, call: Call, code: str, status: str) -> None:
        call.done(response_line(call.service, call.id, {"code": code}, code, status))


class Bench:
    """A robot's state on a hub whose pool is in hand."""

    def __init__(self) -> None:
        self.hub = TestHub()
        self.pool = self.hub.pool = WorkerPool()
        self.hub.hub = replace(self.hub.hub, pool=self.pool)
        self.state = RobotState(self.hub.hub, RATE_HZ)
        self.state.start()

    def load(self, root: str) -> int:
        return self.hub.hub.params.set(DESCRIPTION_PARAM, root).version

    def publish(self, topic: str, message: object) -> None:
        self.hub.hub.topics.publish(topic, message)

    def joints(self, sec: int, **positions: float) -> None:
        state = {"name": list(positions), "position": list(positions.values())}
        self.publish("/joint_states", state | {"header": {"stamp": {"sec": sec}}})

    def subscriber(self, *topics: str) -> SessionClient:
        client = self.hub.client()
        for topic in topics:
            client.say({"op": "subscribe", "topic": topic})
        return client

    def status(self) -> Any:
        parameter = self.hub.hub.params.find(STATUS_PARAM)
        return parameter and orjson.loads(parameter.value)

    async def loaded(self, root: str) -> None:
        version = self.load(root)
        await until(lambda: bool(self.status()) and self.status()["version"] == version)

    @property
    def asked(self) -> list[str]:
        return [call.service.removeprefix("/robot_state") for call in self.pool.calls]


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not condition():  # noqa: ASYNC110  there is no event for it
            await asyncio.sleep(0.001)


async def message(
    client: SessionClient, topic: str, right: Callable[[dict[str, Any]], bool] = lambda _: True
) -> dict[str, Any]:
    """Return the next message of a topic that is right."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            for line in client.outlet.take():
                if line.get("topic") == topic and right(line["msg"]):
                    found: dict[str, Any] = line["msg"]
                    return found
            await asyncio.sleep(0.001)


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    bench = Bench()
    yield bench
    await bench.state.stop()


async def test_without_a_robot_nothing_is_computed_and_nothing_said(bench: Bench) -> None:
    client = bench.subscriber("/tf", "/tf_static", "/xform_world")
    client.outlet.take()
    bench.joints(1, a=1.0)
    bench.publish("/global_pose", POSE)
    await asyncio.sleep(0.05)
    assert bench.asked == []
    assert client.outlet.take() == []
    assert bench.status() is None


async def test_without_a_subscriber_a_robot_is_judged_and_no_more(bench: Bench) -> None:
    await bench.loaded("base")
    bench.joints(1, a=1.0)
    await asyncio.sleep(0.05)
    assert bench.asked == ["/root_link"]
    assert bench.status() == {
        "version": 1,
        "accepted": True,
        "error": "",
        "loaded_version": 1,
        "root_link": "base",
    }


async def test_only_what_is_subscribed_to_is_computed(bench: Bench) -> None:
    await bench.loaded("base")
    client = bench.subscriber("/xform_world")
    shown = await message(client, "/xform_world")
    assert shown["robot"] == "base"
    assert set(bench.asked) == {"/root_link", "/xform_world"}


async def test_what_does_not_change_is_computed_once_and_repeated(bench: Bench) -> None:
    await bench.loaded("base")
    client = bench.subscriber("/tf")
    for _ in range(5):
        await message(client, "/tf")
    assert bench.asked.count("/tf") == 1
    client.say({"op": "unsubscribe", "topic": "/tf"})
    await asyncio.sleep(0.05)
    client.outlet.take()
    await asyncio.sleep(0.05)
    assert client.outlet.take() == []


async def test_who_comes_back_sees_what_has_changed_meanwhile(bench: Bench) -> None:
    await bench.loaded("base")
    client = bench.subscriber("/tf")
    await message(client, "/tf")
    client.say({"op": "unsubscribe", "topic": "/tf"})
    bench.joints(3, a=1.0)
    await asyncio.sleep(0.01)
    client.outlet.take()
    client.say({"op": "subscribe", "topic": "/tf"})
    assert (await message(client, "/tf"))["stamp"] == {"sec": 3}


async def test_of_states_that_come_meanwhile_only_the_newest_is_computed(bench: Bench) -> None:
    await bench.loaded("base")
    client = bench.subscriber("/tf")
    await message(client, "/tf")
    bench.pool.hold = True
    bench.joints(1, a=1.0)
    await until(lambda: len(bench.pool.held) == 1)
    for sec in range(2, 100):
        bench.joints(sec, a=float(sec))
        await asyncio.sleep(0)
    assert len(bench.pool.held) == 1  # one at a time
    bench.pool.hold = False
    bench.pool.release()
    await message(client, "/tf", lambda shown: shown["stamp"] == {"sec": 99})
    assert bench.asked.count("/tf") == 3  # the first, the one that was held, the newest


async def test_while_a_computation_takes_long_what_is_known_is_repeated(bench: Bench) -> None:
    await bench.loaded("base")
    client = bench.subscriber("/tf")
    await message(client, "/tf")
    bench.pool.hold = True
    bench.joints(1, a=1.0)
    await until(lambda: len(bench.pool.held) == 1)
    client.outlet.take()
    for _ in range(3):
        assert (await message(client, "/tf"))["stamp"] == {"sec": 0, "nanosec": 0}


async def test_static_transforms_come_once_a_subscriber_and_load(bench: Bench) -> None:
    early = bench.subscriber("/tf_static")
    await bench.loaded("base")
    assert (await message(early, "/tf_static"))["robot"] == "base"
    late = bench.subscriber("/tf_static")
    late.say({"op": "subscribe", "topic": "/tf_static"})  # again, which changes nothing
    assert (await message(late, "/tf_static"))["robot"] == "base"
    await asyncio.sleep(0.05)
    assert early.outlet.take() == []
    assert late.outlet.take() == []
    await bench.loaded("other")
    for client in (early, late):
        (again,) = client.outlet.take()
        assert again["msg"]["robot"] == "other"
    late.say({"op": "unsubscribe", "topic": "/tf_static"})
    late.say({"op": "subscribe", "topic": "/tf_static"})
    assert (await message(late, "/tf_static"))["robot"] == "other"


async def test_a_new_robot_starts_from_zero_but_keeps_its_place(bench: Bench) -> None:
    await bench.loaded("one")
    bench.joints(7, a=1.0)
    bench.publish("/global_pose", POSE)
    client = bench.subscriber("/xform_world")
    assert (await message(client, "/xform_world"))["stamp"] == {"sec": 7}
    await bench.loaded("two")
    shown = await message(client, "/xform_world", lambda shown: shown["robot"] == "two")
    assert shown["stamp"] == {"sec": 0, "nanosec": 0}
    assert (shown["name"], shown["pose"]) == ([], [1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0])


async def test_a_joint_state_sent_after_a_description_is_the_new_robots(bench: Bench) -> None:
    client = bench.subscriber("/tf")
    await bench.loaded("one")
    bench.load("two")
    bench.joints(8, a=2.0)
    await message(client, "/tf", lambda shown: (shown["robot"], shown["name"]) == ("two", ["a"]))


async def test_a_refused_description_leaves_robot_and_joints(bench: Bench) -> None:
    await bench.loaded("one")
    bench.joints(7, a=1.0)
    client = bench.subscriber("/tf")
    await message(client, "/tf")
    await bench.loaded("bad")
    assert bench.status() == {
        "version": 2,
        "accepted": False,
        "error": "it is bad",
        "loaded_version": 1,
        "root_link": "one",
    }
    bench.publish("/global_pose", POSE)
    shown = await message(client, "/tf", lambda shown: shown["pose"][0] == 1.0)
    assert (shown["robot"], shown["stamp"], shown["name"]) == ("one", {"sec": 7}, ["a"])


async def test_with_no_robot_before_it_a_refused_one_leaves_none(bench: Bench) -> None:
    await bench.loaded("bad")
    assert (bench.status()["loaded_version"], bench.status()["root_link"]) == (0, "")


async def test_once_accepted_a_robot_is_all_that_is_shown(bench: Bench) -> None:
    """Nothing of the old one follows the status, whatever was under way."""
    client = bench.subscriber("/tf", "/xform_world")
    await bench.loaded("one")
    await message(client, "/tf")
    bench.pool.hold = True
    bench.joints(1, a=1.0)
    await until(lambda: len(bench.pool.held) == 2)
    old = bench.pool.held[:]
    bench.pool.held.clear()
    bench.pool.hold = False
    await bench.loaded("two")
    robots = [line["msg"]["robot"] for line in client.outlet.take() if line["op"] == "publish"]
    assert robots == sorted(robots)
    assert robots[-2:] == ["two", "two"]
    for call in old:
        bench.pool.answer(call)
    await asyncio.sleep(0.05)
    assert {line["msg"]["robot"] for line in client.outlet.take()} == {"two"}


async def test_the_status_waits_until_the_robot_is_shown(bench: Bench) -> None:
    client = bench.subscriber("/tf")
    await bench.loaded("one")
    bench.pool.hold = True
    bench.load("two")
    await until(lambda: len(bench.pool.held) == 1)
    bench.pool.release()  # it is valid
    await until(lambda: len(bench.pool.held) == 1)
    assert bench.status()["version"] == 1
    client.outlet.take()
    assert (await message(client, "/tf"))["robot"] == "one"
    bench.pool.hold = False
    bench.pool.release()
    await until(lambda: bench.status()["version"] == 2)


async def test_of_a_burst_the_newest_counts_and_before_it_the_last_good_one(bench: Bench) -> None:
    bench.pool.hold = True
    bench.load("first")
    await until(lambda: len(bench.pool.held) == 1)
    for root in ["x"] * 50 + ["good", "bad", "bad"]:
        bench.load(root)
    bench.pool.hold = False
    bench.pool.release()
    await until(lambda: bool(bench.status()) and bench.status()["version"] == 54)
    assert bench.status()["loaded_version"] == 52
    assert bench.status()["root_link"] == "good"
    assert len(bench.asked) == 4
    await bench.loaded("last")
    assert bench.status()["loaded_version"] == 55


async def test_a_deleted_description_leaves_the_robot(bench: Bench) -> None:
    await bench.loaded("one")
    bench.hub.hub.params.delete(DESCRIPTION_PARAM)
    client = bench.subscriber("/tf")
    assert (await message(client, "/tf"))["robot"] == "one"
    await bench.loaded("two")
    assert bench.status()["version"] == 2


async def test_malformed_messages_are_counted_and_change_nothing(bench: Bench) -> None:
    await bench.loaded("base")
    client = bench.subscriber("/tf")
    bench.joints(1, a=1.0)
    for broken in (None, {"name": ["a"]}, {"name": ["a"], "position": [None]}):
        bench.publish("/joint_states", broken)
    bench.publish("/global_pose", {"position": {}})
    shown = await message(client, "/tf")
    assert (shown["stamp"], shown["pose"][:3]) == ({"sec": 1}, [0.0, 0.0, 0.0])
    assert bench.state.ignored == {"/joint_states": 3, "/global_pose": 1}


async def test_a_state_beyond_all_measure_is_undone(bench: Bench) -> None:
    await bench.loaded("base")
    client = bench.subscriber("/tf")
    bench.joints(1, a=1.0)
    await message(client, "/tf", lambda shown: shown["stamp"] == {"sec": 1})
    bench.joints(2, a=1e308)
    await until(lambda: bench.state.ignored["/joint_states"] == 1)
    assert (await message(client, "/tf"))["stamp"] == {"sec": 1}
    bench.joints(3, a=2.0)
    await message(client, "/tf", lambda shown: shown["stamp"] == {"sec": 3})


async def test_a_robot_that_is_beyond_all_measure_itself_is_shown_in_part(bench: Bench) -> None:
    client = bench.subscriber("/tf", "/xform_world")
    await bench.loaded("edge")
    assert bench.status()["accepted"]
    assert (await message(client, "/tf"))["robot"] == "edge"


@pytest.mark.parametrize("busy", ["/root_link", "/tf"])
async def test_a_pool_that_is_busy_is_asked_again(
    bench: Bench, busy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = {busy: 2}
    answer = bench.pool.answer

    def at_first_busy(call: Call) -> None:
        topic = call.service.removeprefix("/robot_state")
        if left.get(topic):
            left[topic] -= 1
            call.fail("overloaded", "nothing was done, try again")
        else:
            answer(call)

    monkeypatch.setattr(bench.pool, "answer", at_first_busy)
    client = bench.subscriber("/tf")
    await bench.loaded("base")
    await message(client, "/tf")
    left["/tf"] = 2
    bench.joints(4, a=1.0)
    await message(client, "/tf", lambda shown: shown["stamp"] == {"sec": 4})


async def test_a_full_store_costs_the_status_alone(bench: Bench) -> None:
    params = bench.hub.hub.params
    client = bench.subscriber("/tf")
    bench.load("base")
    params._max_bytes = 0
    assert (await message(client, "/tf"))["robot"] == "base"
    assert bench.status() is None


async def test_clients_transforms_are_relayed_beside_the_gateways_own(bench: Bench) -> None:
    await bench.loaded("base")
    client = bench.subscriber("/tf", "/xform_world")
    other = bench.hub.client()
    other.say({"op": "advertise", "topic": "/tf", "type": "tf2_msgs/TFMessage"})
    other.say({"op": "publish", "topic": "/tf", "msg": {"transforms": ["theirs"]}})
    await message(client, "/tf", lambda shown: shown == {"transforms": ["theirs"]})
    await message(client, "/tf", lambda shown: shown.get("robot") == "base")


async def test_a_question_given_up_is_taken_out_of_the_pool(bench: Bench) -> None:
    bench.pool.hold = True
    bench.load("base")
    await until(lambda: len(bench.pool.held) == 1)
    await bench.state.stop()
    assert bench.pool.held == []


async def test_a_request_that_fits_no_line_is_not_sent(bench: Bench) -> None:
    await bench.loaded("base")
    client = bench.subscriber("/tf")
    await message(client, "/tf")
    count = 300_000
    names, positions = [f"{n:x}" for n in range(count)], [0.1234567890123456] * count
    bench.publish("/joint_states", {"name": names, "position": positions})
    await until(lambda: bench.state.ignored["/joint_states"] == 1)
    assert (await message(client, "/tf"))["name"] == []
