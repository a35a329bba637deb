"""A set is answered once it is kept; what has to see it waits, all else goes past."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from gateway.params import Write
from gateway.saving import BATCH_WRITES, Saving
from gateway.state_file import StateFile
from tests.support.gateways import SessionClient, TestHub, request, until

SET, GET = "/param_server/set_param", "/param_server/get_param"
FK = "/ik/forward_kinematics"


class Disk(StateFile):
    """A state file that writes when it is told to."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self.may_write = threading.Event()
        self.batches: list[list[str]] = []
        self.errors: dict[str, str] = {}  # by name

    def store(self, writes: Sequence[Write]) -> list[str]:
        """Wait, note, write."""
        assert self.may_write.wait(10)
        self.batches.append([write.name for write in writes])
        good = [write for write in writes if write.name not in self.errors]
        assert super().store(good) == [""] * len(good)
        return [self.errors.get(write.name, "") for write in writes]


class Kept:
    """A hub whose parameters are kept on such a disk."""

    def __init__(self, path: Path) -> None:
        self.disk = Disk(path)
        self.hub = TestHub()
        self.params = self.hub.hub.params
        self.saving = Saving(self.disk, self.params)

    async def write_all(self) -> None:
        """Let the disk write, until nothing is left to be written."""
        self.disk.may_write.set()
        await until(lambda: self.params.unsaved() is None)
        self.disk.may_write.clear()


@pytest.fixture
async def kept(tmp_path: Path) -> AsyncIterator[Kept]:
    made = Kept(tmp_path / "state.db")
    yield made
    made.disk.may_write.set()
    await made.saving.stop()


def put(client: SessionClient, name: str, value: object, id_: int = 0) -> list[dict[str, object]]:
    return client.say(request(SET, {"name": name, "value": value}, id=id_))


async def test_a_set_is_answered_once_it_is_kept(kept: Kept) -> None:
    client = kept.hub.client()
    assert put(client, "a", 1) == []
    assert not client.session.idle
    await kept.write_all()
    (answer,) = client.outlet.take()
    assert (answer["result"], answer["values"]) == (True, {"version": 1})
    assert client.session.idle


async def test_a_burst_shares_a_few_syncs(kept: Kept) -> None:
    clients = [kept.hub.client() for _ in range(3)]
    for n in range(300):
        put(clients[n % 3], f"name {n}", n)
    await kept.write_all()
    assert sum(map(len, kept.disk.batches)) == 300
    assert len(kept.disk.batches) <= 2
    for client in clients:
        assert all(answer["result"] for answer in client.outlet.take())


async def test_a_batch_is_bounded(kept: Kept) -> None:
    for n in range(2 * BATCH_WRITES):
        kept.params.set("a", n)
    await kept.write_all()
    assert max(map(len, kept.disk.batches)) == BATCH_WRITES
    found = kept.params.find("a")
    assert found is not None
    assert found.version == 2 * BATCH_WRITES


async def test_reads_of_the_name_wait_and_see_what_came_before_them(kept: Kept) -> None:
    client = kept.hub.client()
    put(client, "b", "old")
    await kept.write_all()
    client.outlet.take()
    for n in range(3):
        put(client, "a", n, id_=2 * n)
        assert client.say(request(GET, {"name": "a"}, id=2 * n + 1)) == []
    assert client.say(request("/param_server/list_params", id="list")) == []
    assert client.call(GET, {"name": "b"})["values"] == {"value": "old", "version": 1}
    other = kept.hub.client()
    assert other.say(request(GET, {"name": "a"})) == []
    await kept.write_all()
    answers = client.outlet.take()
    assert [answer["id"] for answer in answers] == [0, 1, 2, 3, 4, 5, "list"]
    assert [answer["values"]["version"] for answer in answers[:6]] == [1, 1, 2, 2, 3, 3]
    assert [answers[n]["values"]["value"] for n in (1, 3, 5)] == [0, 1, 2]
    assert other.outlet.take()[0]["values"] == {"value": 2, "version": 3}


async def test_a_robot_is_in_force_once_it_is_kept(kept: Kept) -> None:
    client = kept.hub.client()
    put(client, "robot_description", "first")
    assert client.say(request(FK)) == []
    put(client, "robot_description", "second")
    assert kept.hub.pool.calls == []
    assert client.say(request("/ik/validate", {"robot_description": "x"}))[0]["result"]
    await kept.write_all()
    client.outlet.take()
    call = kept.hub.pool.calls[-1]
    assert call.description is not None
    assert call.description.version == 1
    assert client.call(FK)["values"]["version"] == 2


async def test_versions_and_deletes_count_what_is_on_its_way(kept: Kept) -> None:
    client = kept.hub.client()
    put(client, "a", 1, id_=1)
    client.say(request("/param_server/delete_param", {"name": "a"}, id=2))
    put(client, "a", 2, id_=3)
    missing = client.call("/param_server/delete_param", {"name": "never"})
    assert missing["values"]["code"] == "not_set"
    await kept.write_all()
    versions = [answer["values"]["version"] for answer in client.outlet.take()]
    assert versions == [1, 1, 2]


async def test_a_disk_that_refuses(kept: Kept, caplog: pytest.LogCaptureFixture) -> None:
    client = kept.hub.client()
    put(client, "a", "kept")
    await kept.write_all()
    size = kept.params.size
    client.outlet.take()
    kept.disk.errors = {"a": "disk full"}
    put(client, "a", "lost", id_=1)
    client.say(request(GET, {"name": "a"}, id=2))
    put(client, "b", 1, id_=3)
    await asyncio.sleep(0)
    put(client, "a", "lost too", id_=4)
    await kept.write_all()
    answers = {answer["id"]: answer for answer in client.outlet.take()}
    for n in (1, 4):
        assert answers[n]["values"]["code"] == "limit_exceeded"
        assert "disk full; nothing was changed" in answers[n]["status"]
    assert answers[2]["values"] == {"value": "kept", "version": 1}
    assert answers[3]["result"]
    kept.disk.errors = {}
    put(client, "a", "kept too")
    await kept.write_all()
    assert client.outlet.take()[0]["values"] == {"version": 2}
    assert kept.params.size == size + 2 + len("b") + 256 + 1 + 2
    assert "cannot be stored" in caplog.text


async def test_what_was_sent_is_kept_though_its_client_is_gone(kept: Kept) -> None:
    client = kept.hub.client()
    put(client, "a", 1)
    client.say(request(GET, {"name": "a"}))
    client.session.closed()
    await kept.write_all()
    assert client.outlet.take() == []
    assert kept.params.find("a") is not None


async def test_a_client_that_floods_is_held_back(kept: Kept) -> None:
    client = kept.hub.client()
    sent = 0
    congested = False
    while not congested:
        put(client, "a", "x" * 100_000)
        sent += 1
        congested = client.session.congested
    assert sent < 200
    await kept.write_all()
    congested = client.session.congested
    assert not congested
    assert len(client.outlet.take()) == sent


async def test_the_end_waits_for_the_disk_and_the_next_start_goes_on(tmp_path: Path) -> None:
    first = Kept(tmp_path / "state.db")
    for n in range(5):
        first.params.set("a", n)
    first.params.set("gone", 0)
    first.params.delete("gone")
    first.disk.may_write.set()
    await first.saving.stop()
    second = Kept(tmp_path / "state.db")
    found = second.params.find("a")
    assert found is not None
    assert (found.version, found.value) == (5, b"4")
    assert second.params.find("gone") is None
    assert second.params.size == first.params.size
    second.params.set("gone", 1)
    await second.write_all()
    restored = second.params.find("gone")
    assert restored is not None
    assert restored.version == 2
    await second.saving.stop()
