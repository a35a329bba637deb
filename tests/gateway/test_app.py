"""The whole process: how it starts, what it does on a signal, how it ends."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest

from gateway import __version__, app
from gateway.app import serve
from gateway.config import Config
from gateway.errors import ListenError
from tests.support.gateways import FakePool, Wire, request, until
from tests.support.live import ROOT, gateway

FK = "/ik/forward_kinematics"
SET = "/param_server/set_param"
WAIT_SECONDS = 20.0
# The gateway with a pool that never answers: starts at once, has no children.
SCRIPT = """
import asyncio, sys
from gateway import logs
from gateway.app import serve
from gateway.config import Config
from tests.support.gateways import FakePool
logs.set_up("info", "text", 2 if sys.stderr else -1)
asyncio.run(serve(Config(port=int(sys.argv[1])), FakePool(hold=True)))
"""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as sock:
        port: int = sock.getsockname()[1]
        return port


@contextmanager
def process(port: int = 0, redirection: str = "") -> Iterator[subprocess.Popen[str]]:
    """Run SCRIPT in a process that is ended in any case."""
    command = f'exec "$0" -c "$1" "$2" {redirection}'
    running = subprocess.Popen(
        ["/bin/sh", "-c", command, sys.executable, SCRIPT, str(port)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield running
    finally:
        running.kill()
        running.communicate()


def listening_port(running: subprocess.Popen[str]) -> int:
    assert running.stdout is not None
    line = running.stdout.readline()
    assert line.startswith("listening tcp 127.0.0.1:")
    return int(line.rpartition(":")[2])


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=WAIT_SECONDS)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_with_an_idle_client(number: signal.Signals) -> None:
    with process() as running, connect(listening_port(running)) as idle:
        running.send_signal(number)
        assert idle.recv(1) == b""
        out, log = running.communicate(timeout=WAIT_SECONDS)
        assert (running.returncode, out) == (0, "")
        assert "gateway stopped" in log
        assert "Traceback" not in log


def test_a_call_that_is_late_is_answered_and_more_signals_change_nothing() -> None:
    with process() as running, connect(listening_port(running)) as client:
        call = json.dumps(request(FK)) + "\n" + json.dumps(request("/nope")) + "\n"
        client.sendall(call.encode())
        assert b"/nope" in client.recv(1000)
        running.send_signal(signal.SIGTERM)
        assert running.stderr is not None
        while "gateway stopping" not in running.stderr.readline():
            pass
        assert running.poll() is None  # it waits for the call under way
        for number in (signal.SIGTERM, signal.SIGINT):
            running.send_signal(number)
        with client.makefile("rb") as stream:
            (answer,) = [json.loads(line) for line in stream]
        assert answer["values"]["code"] == "timeout"
        assert running.wait(WAIT_SECONDS) == 0


def test_it_starts_again_on_the_same_port_at_once() -> None:
    port = free_port()
    for _ in range(2):
        with process(port) as running, connect(listening_port(running)):
            running.send_signal(signal.SIGTERM)
            assert running.wait(WAIT_SECONDS) == 0


def connect_when_ready(port: int, running: subprocess.Popen[str]) -> socket.socket:
    end = time.monotonic() + WAIT_SECONDS
    while running.poll() is None and time.monotonic() < end:
        try:
            return connect(port)
        except ConnectionRefusedError:
            time.sleep(0.01)
    raise AssertionError("it does not listen")


@pytest.mark.parametrize("redirection", [">&-", "2>&-", ">&- 2>&- <&-", "> /dev/full"])
def test_it_serves_without_anybody_at_its_outputs(redirection: str) -> None:
    port = free_port()
    with process(port, redirection) as running:
        with connect_when_ready(port, running) as client:
            client.sendall(json.dumps(request("/nope")).encode() + b"\n")
            assert b"unknown_service" in client.recv(1000)
        running.send_signal(signal.SIGTERM)
        assert running.wait(WAIT_SECONDS) == 0


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gateway", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=WAIT_SECONDS,
        check=False,
    )


def test_a_busy_port_is_a_sentence_and_a_failure() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = command("--port", str(port))
    assert (result.returncode, result.stdout) == (1, "")
    assert f"cannot listen on --host 127.0.0.1 --port {port}" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_wrong_option_is_a_sentence_and_a_failure() -> None:
    result = command("--port", "70000")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "robot-gateway: --port: 70000 is not in 0..65535\n"


def test_version() -> None:
    assert command("--version").stdout == f"robot-gateway {__version__}\n"


@asynccontextmanager
async def running_here(
    pool: FakePool, capfd: pytest.CaptureFixture[str], **settings: object
) -> AsyncIterator[tuple[asyncio.Task[None], Wire]]:
    """Run the gateway in this process, with one client connected."""
    settings = {"port": 0} | settings
    serving = asyncio.create_task(serve(Config(**settings), pool))  # type: ignore[arg-type]
    announced = ""

    def is_announced() -> bool:
        nonlocal announced
        announced += capfd.readouterr().out
        return announced.endswith("\n")

    await until(is_announced)
    port = int(announced.rpartition(":")[2])
    wire = Wire(*await asyncio.open_connection("127.0.0.1", port))
    try:
        yield serving, wire
    finally:
        wire.writer.transport.abort()
        if not serving.done():
            os.kill(os.getpid(), signal.SIGTERM)
        await serving


async def test_what_is_in_flight_is_answered(capfd: pytest.CaptureFixture[str]) -> None:
    pool = FakePool(hold=True)
    async with running_here(pool, capfd) as (serving, client):
        await client.send(request(FK, id=1), request(FK, id=2))
        await until(lambda: len(pool.held) == 2)
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.sleep(0.02)
        assert not serving.done()
        pool.release()
        assert {answer["id"] for answer in await client.receive_rest()} == {1, 2}
        await serving
    assert pool.started
    assert pool.stopped


async def test_what_takes_too_long_is_cut(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "STOP_SECONDS", 0.1)
    pool = FakePool(hold=True)
    async with running_here(pool, capfd) as (serving, client):
        await client.send(request(FK, id=1))
        await until(lambda: bool(pool.held))
        os.kill(os.getpid(), signal.SIGTERM)
        await serving
    assert not pool.held


async def test_the_pool_hears_of_every_robot_description(
    capfd: pytest.CaptureFixture[str],
) -> None:
    pool = FakePool()
    async with running_here(pool, capfd) as (_, client):
        for name in ("robot_description", "other", "robot_description"):
            await client.call(SET, {"name": name, "value": "<robot/>"})
        await client.call("/param_server/delete_param", {"name": "robot_description"})
    assert [d and d.version for d in pool.described] == [1, 2, None]


async def test_a_silent_provider_costs_the_configured_time(
    capfd: pytest.CaptureFixture[str],
) -> None:
    async with running_here(FakePool(), capfd, service_timeout_seconds=0.05) as (_, client):
        await client.send({"op": "advertise_service", "service": "s", "type": ""})
        await client.receive()
        await client.send(request("s", id=1))
        assert (await client.receive())["op"] == "call_service"
        assert (await client.receive())["values"] == {"code": "timeout"}


async def test_without_a_port_nothing_is_started() -> None:
    pool = FakePool()
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(ListenError):
        await serve(Config(port=taken.getsockname()[1]), pool)
    assert not pool.started
    assert pool.stopped


def test_what_shall_not_be_compiled_is_not_tried(tmp_path: Path) -> None:
    env = {"NUMBA_DISABLE_JIT": "1", "NUMBA_CACHE_DIR": str(tmp_path), "GATEWAY_WORKERS": "1"}
    with gateway(env=env) as live:
        answer = live.call("/ik/validate", {"robot_description": "<robot name='r'/>"})
        assert answer["values"]["valid"] is False
        live.process.send_signal(signal.SIGTERM)
        assert live.process.stderr is not None
        log = live.process.stderr.read()
    assert "kernels=interpreted" in log
    assert "compiled" not in log
    assert list(tmp_path.iterdir()) == []
