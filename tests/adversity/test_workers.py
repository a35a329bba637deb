"""Workers killed, stopped and starved: every call is answered once, and the pool heals."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.adversity import (
    ARM,
    SECONDS,
    Caller,
    children,
    descriptors,
    killable,
    line,
    read,
    until,
    workers,
    zombies,
)
from tests.support.live import Live, gateway

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
START_SECONDS = 90.0  # of a gateway that may have to compile its kernels first
HEALED_SECONDS = 10.0  # what a start takes on a busy machine; on one that is not it is one
FAILED_SHARE = 0.001
SOLVE = "/ik/solve_robot"
DOWN = {"x": 1.0, "y": 0.0, "z": 0.0, "w": 0.0}


@pytest.fixture
def live() -> Iterator[Live]:
    with gateway("--workers", "2") as running:
        running.load(ARM)
        assert until(lambda: whole(running.process.pid), START_SECONDS)
        yield running


def under(live: Live, harm: int, pause: float) -> Caller:
    """Call for a while, with a signal to a worker every so often."""
    caller = Caller(live)

    async def both() -> None:
        calls = asyncio.create_task(caller.run(SECONDS))
        while not calls.done():
            await asyncio.sleep(pause)
            for pid in workers(live.process.pid)[:1]:
                os.kill(pid, harm)
        await calls

    asyncio.run(both())
    return caller


def healed(live: Live, before: int) -> None:
    pid = live.process.pid
    assert until(lambda: whole(pid) and not zombies(pid), HEALED_SECONDS)
    assert live.call("/ik/forward_kinematics", {})["result"]
    assert until(lambda: descriptors(pid) <= before, HEALED_SECONDS)
    assert len(children(pid)) == 2


def test_without_harm_no_call_fails(live: Live) -> None:
    caller = Caller(live)
    asyncio.run(caller.run(SECONDS / 3))
    assert caller.failed == []
    assert caller.good > 100


def test_a_worker_killed_again_and_again(live: Live) -> None:
    before = descriptors(live.process.pid)
    caller = under(live, signal.SIGKILL, 1.0)
    assert caller.good > 100
    assert len(caller.failed) <= max(1, FAILED_SHARE * caller.good), caller.failed[:3]
    healed(live, before)


def test_all_workers_killed_at_once_with_calls_in_flight(live: Live) -> None:
    before = descriptors(live.process.pid)
    caller = Caller(live, depth=64)

    async def both() -> None:
        calls = asyncio.create_task(caller.run(1.0))
        await asyncio.sleep(0.5)
        for pid in workers(live.process.pid):
            os.kill(pid, signal.SIGKILL)
        await calls

    asyncio.run(both())
    assert caller.failed == []
    healed(live, before)


def test_a_worker_stopped_is_replaced(live: Live) -> None:
    before = descriptors(live.process.pid)
    stopped = workers(live.process.pid)[0]
    os.kill(stopped, signal.SIGSTOP)
    caller = Caller(live)
    asyncio.run(caller.run(1.0))
    assert caller.failed == []
    assert until(lambda: stopped not in children(live.process.pid), 15)
    healed(live, before)


def test_the_gateway_killed_leaves_no_orphan() -> None:
    with killable("--workers", "2") as (process, port):
        live = Live(process, port)
        live.load(ARM)
        assert until(lambda: whole(process.pid), START_SECONDS)
        left = children(process.pid)
        target = {"position": {"x": 0.1, "y": 0.1, "z": 0.1}, "orientation": DOWN}
        with live.connection() as sock:
            for n in range(16):
                sock.sendall(line(SOLVE, {"link": "tool", "target": target, "timeout": 10}, n))
            process.kill()
            process.wait(5)
            assert until(lambda: not any(map(running, left)), 2.0)


def test_the_gateway_killed_while_it_compiles_leaves_no_orphan(tmp_path: Path) -> None:
    env = {"NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}
    with killable("--workers", "1", env=env) as (process, _):
        assert until(lambda: len(children(process.pid)) == 2, HEALED_SECONDS)
        time.sleep(1.0)  # into the middle of it
        left = children(process.pid)
        process.kill()
        process.wait(5)
        assert until(lambda: not any(map(running, left)), 2.0)


def whole(pid: int) -> bool:
    """Return whether both workers are there, confined, and wait for work."""
    found = children(pid)
    confined = [b"files            64 " in read(f"/proc/{child}/limits") for child in found]
    asleep = [b"\nState:\tS" in read(f"/proc/{child}/status") for child in found]
    return confined == asleep == [True, True]


def running(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:
            return stat.read().rpartition(b")")[2].split()[0] != b"Z"
    except FileNotFoundError:
        return False


def test_a_storm_of_signals_ends_in_order() -> None:
    """Ctrl-C in a terminal reaches the workers too."""
    with killable("--workers", "2") as (process, port):
        live = Live(process, port)
        live.load(ARM)
        assert until(lambda: whole(process.pid), START_SECONDS)
        left = workers(process.pid)
        for child in left:
            for _ in range(20):
                os.kill(child, signal.SIGINT)
                os.kill(child, signal.SIGTERM)
        assert live.call("/ik/forward_kinematics", {})["result"]
        assert workers(process.pid) == left
        process.send_signal(signal.SIGINT)
        assert process.wait(5) == 0
        assert not any(map(running, left))
