"""What Prometheus and probes are told, over HTTP, and clients over their socket."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from gateway import metrics_http
from gateway.listening import bind
from gateway.metrics import CONTENT_TYPE, Metrics
from gateway.metrics_http import CONNECTIONS, REQUEST_BYTES, MetricsServer, pages
from gateway.tally import BUCKETS_SECONDS
from gateway.vitals import STATUS_PARAM
from tests.support.gateways import TestHub
from tests.support.live import ROOT, gateway

WAIT_SECONDS = 20.0
DASHBOARD = ROOT / "docs/grafana.json"


def samples(text: bytes) -> dict[tuple[str, ...], float]:
    """Return what the library reads: values by name and labels' values, in the labels' order."""
    return {
        (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
    }


@asynccontextmanager
async def listening(hub: TestHub) -> AsyncIterator[int]:
    """Serve a hub's pages; give the port."""
    (sock,) = bind("127.0.0.1", 0)
    server = MetricsServer([sock], pages(hub.hub, Metrics(hub.hub).text, CONTENT_TYPE))
    await server.start()
    try:
        yield sock.getsockname()[1]
    finally:
        server.stop()


async def exchange(port: int, *pieces: bytes) -> tuple[str, bytes]:
    """Send a request in pieces; return the head and the body of the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for piece in pieces:
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(0)
    answer = await asyncio.wait_for(reader.read(), WAIT_SECONDS)
    writer.close()
    head, _, body = answer.partition(b"\r\n\r\n")
    return head.decode(), body


async def test_a_scrape_has_every_metric() -> None:
    hub = TestHub()
    hub.hub.tally.on = True
    client = hub.client()
    client.call("/param_server/set_param", {"name": "robot_description", "value": "<robot/>"})
    client.call("/param_server/set_param", {"name": STATUS_PARAM, "value": {"loaded_version": 1}})
    client.call("/nobody")
    hub.hub.tally.bytes_in, hub.hub.tally.bytes_out, hub.hub.tally.clients = 3, 4, 5
    async with listening(hub) as port:
        head, body = await exchange(port, b"GET /met", b"rics?x=1 HTTP/1.1\r\n", b"A: b\r\n\r\n")
    assert head.startswith("HTTP/1.1 200 OK\r\n")
    assert f"Content-Length: {len(body)}" in head
    assert CONTENT_TYPE in head
    found = samples(body)
    service = "/param_server/set_param"
    assert found["gateway_calls_total", "ok", service] == 2
    assert found["gateway_calls_total", "unknown_service", "(client)"] == 1
    assert found["gateway_call_seconds_count", service] == 2
    assert found["gateway_call_seconds_bucket", "+Inf", service] == 2
    assert found["gateway_call_seconds_bucket", str(BUCKETS_SECONDS[0]), service] == 2
    assert {name: value for (name, *rest), value in found.items() if not rest} == {
        "gateway_bytes_in_total": 3,
        "gateway_bytes_out_total": 4,
        "gateway_worker_restarts_total": 0,
        "gateway_refused_descriptions_total": 0,
        "gateway_queue_depth": 0,
        "gateway_pending_calls": 0,
        "gateway_workers_wanted": 1,
        "gateway_workers_alive": 1,
        "gateway_clients": 5,
        "gateway_robot_version": 1,
        "gateway_robot_loaded_version": 1,
    }


@pytest.mark.parametrize("status", ["text", [], {}, {"loaded_version": True}])
def test_a_status_that_a_client_wrote_does_no_harm(status: object) -> None:
    hub = TestHub()
    hub.client().call("/param_server/set_param", {"name": STATUS_PARAM, "value": status})
    assert samples(Metrics(hub.hub).text())["gateway_robot_loaded_version",] == 0


@pytest.mark.parametrize("alive", [0, 1])
async def test_probes_and_the_service_say_the_same(alive: int) -> None:
    hub = TestHub()
    hub.pool.alive = alive
    said = hub.client().call("/gateway/health")["values"]
    assert said["ready"] is bool(alive)
    assert said["workers"] == {"wanted": 1, "alive": alive, "restarted": 0}
    async with listening(hub) as port:
        for path, status in (("/healthz", "200 OK"), ("/readyz", "200 OK" if alive else "503 ")):
            head, body = await exchange(port, f"GET {path} HTTP/1.0\r\n\r\n".encode())
            assert head.startswith(f"HTTP/1.1 {status}")
            assert json.loads(body) == said


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"POST /metrics HTTP/1.1\r\n\r\n", "405"),
        (b"GET / HTTP/1.1\r\n\r\n", "404"),
        (b"GET /metrics\r\n\r\n", "400"),
        (b'{"op":"call_service"}\n\n', "400"),
        (b"\xff\xfe\x00\n\n", "400"),
        (b"\n\n", "400"),
        (b"GET /" + b"a" * REQUEST_BYTES, "431"),
    ],
)
async def test_any_other_request_is_refused(request_: bytes, status: str) -> None:
    async with listening(TestHub()) as port:
        head, body = await exchange(port, request_)
        assert head.startswith(f"HTTP/1.1 {status} ")
        assert body.endswith(b" expected\n")


async def test_more_connections_than_a_few_are_cut_and_a_slow_one_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(metrics_http, "REQUEST_SECONDS", 0.3)
    async with listening(TestHub()) as port:
        open_ = [await asyncio.open_connection("127.0.0.1", port) for _ in range(CONNECTIONS + 1)]
        for reader, writer in reversed(open_):  # none of them has said a word
            with suppress(ConnectionResetError):
                assert await asyncio.wait_for(reader.read(), WAIT_SECONDS) == b""
            writer.close()
        head, _ = await exchange(port, b"GET /healthz HTTP/1.1\r\n\r\n")
        assert head.startswith("HTTP/1.1 200 ")


def get(port: int, path: str) -> tuple[str, bytes]:
    with socket.create_connection(("127.0.0.1", port), WAIT_SECONDS) as sock:
        sock.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        with sock.makefile("rb") as stream:
            head, _, body = stream.read().partition(b"\r\n\r\n")
    return head.decode().split(" ")[1], body


def until(port: int, path: str, status: str) -> dict[str, Any]:
    end = time.monotonic() + WAIT_SECONDS
    while True:
        found, body = get(port, path)
        if found == status:
            values: dict[str, Any] = json.loads(body)
            return values
        assert time.monotonic() < end, body
        time.sleep(0.02)


def children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_gateway_is_watched_while_its_worker_dies() -> None:
    environment = {"NUMBA_DISABLE_JIT": "1"}
    options = ("--workers", "1", "--metrics-port", "0")
    with gateway(*options, env=environment) as live:
        assert live.process.stdout is not None
        line = live.process.stdout.readline()
        assert line.startswith("listening http 127.0.0.1:")
        port = int(line.rpartition(":")[2])
        until(port, "/readyz", "200")
        live.load('<robot name="a"><link name="b"/></robot>')
        assert live.call("/ik/robot_info", {})["result"]
        (worker,) = children(live.process.pid)
        os.kill(worker, signal.SIGKILL)
        until(port, "/readyz", "503")
        values = until(port, "/readyz", "200")
        assert values["workers"] == {"wanted": 1, "alive": 1, "restarted": 1}
        assert live.call("/gateway/health", {})["values"]["robot"]["version"] == 1
        found = samples(get(port, "/metrics")[1])
        assert found["gateway_calls_total", "ok", "/ik/robot_info"] == 1
        assert found["gateway_worker_restarts_total",] == 1
        assert found["gateway_bytes_in_total",] > 0
        assert found["gateway_bytes_out_total",] > 0


def test_the_dashboard_shows_every_metric_and_no_other() -> None:
    dashboard = json.loads(DASHBOARD.read_text("utf-8"))
    shown = " ".join(target["expr"] for panel in dashboard["panels"] for target in panel["targets"])
    hub = TestHub()
    hub.hub.tally.on = True
    hub.client().call("/ik/robot_info")
    names = {name for name, *_ in samples(Metrics(hub.hub).text())}
    whole = "gateway_call_seconds"
    names -= {f"{whole}_count", f"{whole}_sum"}  # its buckets are shown
    assert set(re.findall(r"gateway_\w+", shown)) == names


def test_the_library_is_not_loaded_unless_asked_for() -> None:
    script = "import sys, gateway.__main__; print('prometheus_client' in sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "False"


def refusal(*options: str, before: str = "") -> tuple[int, str]:
    """Return the status and the last words of a gateway that cannot start."""
    script = f"{before}\nimport sys; from gateway.__main__ import main; sys.exit(main())"
    command = [sys.executable, "-c", script, "--port", "0", "--workers", "1", *options]
    result = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=WAIT_SECONDS
    )
    assert "listening" not in result.stdout
    return result.returncode, result.stderr


def test_a_port_that_is_taken_ends_the_start() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        status, sentence = refusal("--metrics-port", port)
    assert status == 1
    assert f"--metrics-host 127.0.0.1 --metrics-port {port}" in sentence


def test_a_library_that_is_missing_is_named() -> None:
    missing = "import sys; sys.modules['prometheus_client'] = None"
    status, sentence = refusal("--metrics-port", "0", before=missing)
    assert status == 1
    assert "pip install 'robot-gateway[metrics]'" in sentence
