"""The pool answers every call once, whatever becomes of its workers."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from gateway import children, crew, pool, worker_process
from gateway.calls import Description
from gateway.kernel_cache import KernelCache
from gateway.pool import Pool
from gateway.worker_process import WorkerProcess
from tests.support.pools import PLANAR_ARM, Client, description

MAX_LINE_BYTES = 1 << 20


@asynccontextmanager
async def running(workers: int = 1, max_pending: int = 1000) -> AsyncIterator[Pool]:
    """Run a pool of interpreted workers."""
    running_pool = Pool(workers, max_pending, MAX_LINE_BYTES, None)
    running_pool.start()
    try:
        await until(lambda: running_pool.live == workers)
        yield running_pool
    finally:
        await running_pool.stop(5.0)


async def until(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    """Wait for something to come true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come true"
        await asyncio.sleep(0.01)


def workers_of(running_pool: Pool) -> list[WorkerProcess]:
    return [worker for worker in running_pool._crew.workers if worker.serving]


def heard_once(client: Client) -> bool:
    return all(len(answers) == 1 for answers in client.heard.values())


async def test_calls_are_answered_with_their_ids_and_version() -> None:
    async with running() as running_pool:
        client = Client(running_pool, description(version=3))
        answers = await asyncio.gather(*(client.forward() for _ in range(200)))
    assert [answer["id"] for answer in answers] == list(range(200))
    assert answers[0]["values"]["version"] == 3
    assert answers[0]["values"]["poses"]["tool"]["position"] == {"x": 2.0, "y": 0.0, "z": 0.0}
    assert heard_once(client)


async def test_calls_submitted_before_a_worker_is_ready_are_answered() -> None:
    starting = Pool(1, 10, MAX_LINE_BYTES, None)
    starting.start()
    answer = await Client(starting, description()).forward()
    assert answer["result"] is True
    await starting.stop(5.0)


async def test_without_a_description_the_worker_says_not_set() -> None:
    async with running() as running_pool:
        answer = await Client(running_pool, None).forward()
    assert answer["values"] == {"version": 0, "code": "not_set"}


async def test_a_killed_worker_costs_no_call_and_is_replaced() -> None:
    async with running(workers=2) as running_pool:
        client = Client(running_pool, description())
        futures = [client.forward() for _ in range(400)]
        futures += [client.search(0.02) for _ in range(20)]
        os.kill(workers_of(running_pool)[0].pid, signal.SIGKILL)
        answers = await asyncio.gather(*futures)
        assert [answer["id"] for answer in answers] == list(range(420))
        assert all(answer["result"] for answer in answers[:400])
        assert {answer["values"]["code"] for answer in answers[400:]} == {"no_solution"}
        assert heard_once(client)
        await until(lambda: running_pool.live == 2)


async def test_all_workers_killed_at_once_come_back() -> None:
    async with running(workers=2) as running_pool:
        client = Client(running_pool, description())
        futures = [client.forward() for _ in range(50)]
        for worker in workers_of(running_pool):
            os.kill(worker.pid, signal.SIGKILL)
        assert all(answer["result"] for answer in await asyncio.gather(*futures))


async def test_a_call_that_kills_two_workers_is_refused_and_no_other_is() -> None:
    async with running() as running_pool:
        client, other = (Client(running_pool, description()) for _ in range(2))
        deadly = client.search(8.0)
        waiting = [other.search(0.01) for _ in range(3)]
        deaths = 0
        while not deadly.done():  # a kill between two slices is not this call's doing
            assert deaths < 20
            await until(lambda: deadly.done() or bool(workers_of(running_pool)))
            await asyncio.gather(*waiting)  # from here on a worker is at nothing else
            for worker in workers_of(running_pool):
                await until(lambda worker=worker: worker.at_death()[0] is not None)  # type: ignore[misc]
                os.kill(worker.pid, signal.SIGKILL)
                await worker.gone.wait()
                deaths += 1
        answer = await deadly
        assert answer["values"] == {"code": "worker_failed", "version": 1}
        assert deaths >= pool.STRIKES
        codes = [answer["values"]["code"] for answer in await asyncio.gather(*waiting)]
        assert codes == ["no_solution"] * 3
        assert (await other.forward())["result"] is True


async def test_a_description_that_kills_two_workers_is_not_read_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    robot = description()
    monkeypatch.setattr(WorkerProcess, "at_death", lambda _worker: (None, robot))
    async with running() as running_pool:
        for _ in range(pool.STRIKES):
            await until(lambda: running_pool.live == 1)
            worker = workers_of(running_pool)[0]
            worker.kill()
            await worker.gone.wait()
        refused = await Client(running_pool, robot).forward()
        assert refused["values"]["code"] == "worker_failed"
        assert (await Client(running_pool, description(2)).forward())["result"] is True


async def test_a_stopped_worker_is_replaced_and_its_calls_given_to_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worker_process, "PING_SECONDS", 0.1)
    monkeypatch.setattr(worker_process, "STALL_SECONDS", 0.5)
    async with running() as running_pool:
        stopped = workers_of(running_pool)[0].pid
        os.kill(stopped, signal.SIGSTOP)
        client = Client(running_pool, description())
        answers = await asyncio.gather(*(client.forward() for _ in range(5)))
        assert [answer["status"] for answer in answers] == [""] * 5
        assert workers_of(running_pool)[0].pid != stopped


async def test_an_answer_that_does_not_come_in_time_is_a_timeout() -> None:
    async with running() as running_pool:
        worker = workers_of(running_pool)[0]
        os.kill(worker.pid, signal.SIGSTOP)
        client = Client(running_pool, description())
        held = client.ask("/ik/forward_kinematics", {}, seconds=0.3)
        answer = await held
        assert answer["values"] == {"code": "timeout", "version": 1}
        os.kill(worker.pid, signal.SIGCONT)
        assert (await client.forward())["result"] is True
        assert heard_once(client)  # the late answer of the first reached nobody


async def test_calls_that_wait_time_out_too() -> None:
    async with running() as running_pool:
        os.kill(workers_of(running_pool)[0].pid, signal.SIGSTOP)
        client = Client(running_pool, description())
        futures = [client.ask("/ik/forward_kinematics", {}, seconds=0.3) for _ in range(200)]
        codes = {answer["values"]["code"] for answer in await asyncio.gather(*futures)}
        assert codes == {"timeout"}
        os.kill(workers_of(running_pool)[0].pid, signal.SIGCONT)


async def test_more_calls_than_may_be_pending_are_refused_at_once() -> None:
    async with running(max_pending=10) as running_pool:
        client = Client(running_pool, description())
        answers = await asyncio.gather(*(client.forward() for _ in range(30)))
        refused = [answer for answer in answers if not answer["result"]]
        assert len(refused) == 20
        assert refused[0]["values"] == {"code": "overloaded", "version": 1}
        assert "--max-pending 10" in refused[0]["status"]
        assert (await client.forward())["result"] is True


async def test_searches_hold_up_neither_quick_calls_nor_other_clients() -> None:
    async with running() as running_pool:
        greedy, modest = (Client(running_pool, description()) for _ in range(2))
        flood = [greedy.search(0.5) for _ in range(300)]
        assert (await modest.forward())["result"] is True
        solvable = {"position": {"x": 1.0, "y": 1.0, "z": 0.0}}
        asked = modest.ask("/ik/solve_robot", {"link": "tool", "target": solvable}, "solve")
        assert (await asked)["result"] is True
        assert len(greedy.heard) < len(flood)
        running_pool.cancel(greedy)
        await until(lambda: running_pool._pending == 0)
        assert (await modest.forward())["result"] is True


async def test_long_calls_of_one_client_delay_anothers_by_one() -> None:
    async with running() as running_pool:
        flooding, other = (Client(running_pool, description()) for _ in range(2))
        links = "".join(f'<link name="l{i}"/>' for i in range(20_000))  # two roots, soon refused
        text = f"<robot>{links}</robot>"
        flood = [flooding.ask("/ik/validate", {"robot_description": text}) for _ in range(10)]
        assert (await other.forward())["result"] is True
        assert len(flooding.heard) <= 3  # what was under way, not all that waited
        assert len(await asyncio.gather(*flood)) == 10


async def test_at_the_end_of_the_time_to_stop_every_call_is_answered() -> None:
    async with running() as running_pool:
        client = Client(running_pool, description())
        futures = [client.search(9.0) for _ in range(100)]
        running_pool.give_up()
        codes = {answer["values"]["code"] for answer in await asyncio.gather(*futures)}
        assert codes == {"timeout"}
        assert heard_once(client)


async def test_a_client_that_is_gone_hears_nothing_more() -> None:
    async with running() as running_pool:
        client = Client(running_pool, description())
        for _ in range(100):
            client.search(0.2)
        running_pool.cancel(client)
        heard = len(client.heard)
        assert running_pool._pending == 0
        assert (await Client(running_pool, description()).forward())["result"] is True
        assert len(client.heard) == heard


async def test_of_a_burst_of_descriptions_the_newest_is_read_ahead() -> None:
    read: list[int] = []
    async with running() as running_pool:
        worker = workers_of(running_pool)[0]
        original = running_pool.on_loaded

        def on_loaded(worker: WorkerProcess, description: Description, report: bytes) -> None:
            read.append(description.version)
            original(worker, description, report)

        running_pool.on_loaded = on_loaded  # type: ignore[method-assign]
        for version in range(1, 101):
            running_pool.describe(description(version))
        await until(lambda: not worker._loading and worker._next_prefetch is None)
        assert read == [1, 100]
        assert (await Client(running_pool, description(100)).forward())["result"] is True
        assert read == [1, 100]  # it was there already


async def test_stop_answers_what_is_under_way_and_leaves_no_child() -> None:
    stopping = Pool(2, 100, MAX_LINE_BYTES, None)
    stopping.start()
    client = Client(stopping, description())
    future = client.search(0.3)
    await stopping.stop(5.0)
    assert (await future)["values"]["code"] == "no_solution"
    assert all(worker._process is None or worker._process.poll() is not None
               for worker in workers_of(stopping))  # fmt: skip


async def test_workers_that_cannot_start_are_tried_again_with_pauses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    starts: list[str] = []
    real = children.start

    def start(_module: str, *args: Any, **kwargs: Any) -> subprocess.Popen[bytes]:
        starts.append(_module)
        return real("no.such.module", *args, **kwargs)

    monkeypatch.setattr(children, "start", start)
    monkeypatch.setattr(crew, "RETRY_SECONDS", (0.0, 0.05, 5.0))
    broken = Pool(1, 10, MAX_LINE_BYTES, None)
    broken.start()
    await until(lambda: len(starts) == 2)
    await asyncio.sleep(0.2)
    monkeypatch.setattr(children, "start", real)
    assert len(starts) == 2
    await broken.stop(0.1)


async def test_compiled_kernels_are_given_up_once_and_for_all(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A compiled worker that never serves makes room for interpreted ones, which stay."""
    real, starts = children.start, []

    def start(
        module: str, *args: Any, env: dict[str, str], **kwargs: Any
    ) -> subprocess.Popen[bytes]:
        compiled = "KINEMATICS_KERNELS" not in env
        starts.append(compiled)
        return real("no.such.module" if compiled else module, *args, env=env, **kwargs)

    monkeypatch.setattr(children, "start", start)
    monkeypatch.setattr(crew, "RETRY_SECONDS", (0.0, 0.01))
    cache = KernelCache(tmp_path, tmp_path / "stamp", private=False)
    cache.mark_warm()
    failing = Pool(1, 10, MAX_LINE_BYTES, cache)
    failing._crew._outdated.set()  # as if they had been compiled while it ran
    failing.start()
    await until(lambda: failing.live == 1)
    assert starts == [True] * crew.COMPILED_FAILURES + [False]
    await asyncio.sleep(0.5)
    assert len(starts) == crew.COMPILED_FAILURES + 1
    await failing.stop(5.0)


async def test_a_want_of_descriptors_is_not_held_against_the_kernels(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    starts: list[bool] = []

    def start(*_args: Any, env: dict[str, str], **_kwargs: Any) -> subprocess.Popen[bytes]:
        starts.append("KINEMATICS_KERNELS" not in env)
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(children, "start", start)
    monkeypatch.setattr(crew, "RETRY_SECONDS", (0.0, 0.01))
    cache = KernelCache(tmp_path, tmp_path / "stamp", private=False)
    cache.mark_warm()
    starved = Pool(1, 10, MAX_LINE_BYTES, cache)
    starved.start()
    await until(lambda: len(starts) > 2 * crew.COMPILED_FAILURES)
    assert all(starts)
    await starved.stop(0.1)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_workers_of_a_killed_gateway_are_gone_within_two_seconds() -> None:
    script = (
        "import asyncio\n"
        "from gateway.pool import Pool\n"
        "async def main():\n"
        "    pool = Pool(2, 10, 1 << 20, None)\n"
        "    pool.start()\n"
        "    while pool.live < 2: await asyncio.sleep(0.01)\n"
        "    print(*(worker.pid for worker in pool._crew.workers), flush=True)\n"
        "    await asyncio.sleep(60)\n"
        "asyncio.run(main())\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=children.ROOT
    ) as parent:
        assert parent.stdout is not None
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        assert len(pids) == 2
        parent.kill()
    end = time.monotonic() + 2.0
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        assert time.monotonic() < end
        time.sleep(0.02)


def test_the_arm_of_these_tests_is_a_robot() -> None:
    from urdf import parse

    assert parse(PLANAR_ARM).root_link == "base"
