"""A gateway and a bare echo as processes of their own, and what they cost (Linux)."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
READY_SECONDS: Final = 120.0  # of a first start on a busy machine
SETTLE_SECONDS: Final = 1.0  # for workers with interpreted kernels to leave, and to be waited for


@dataclass
class Gateway:
    """A running gateway."""

    process: subprocess.Popen[str]
    started: float  # on the clock of time.perf_counter
    port: int = 0
    listening_seconds: float = 0.0
    ready: list[tuple[float, str]] = field(default_factory=list)  # seconds and kernels, a worker

    @property
    def compiled_workers(self) -> list[float]:
        """How long after the start each worker with compiled kernels was ready, s."""
        return [seconds for seconds, kernels in list(self.ready) if kernels == "compiled"]

    def wait_compiled(self, workers: int) -> float:
        """Wait until so many workers have compiled kernels; return the seconds since the start.

        Raises:
            TimeoutError: they did not.
        """
        end = time.perf_counter() + READY_SECONDS
        while len(self.compiled_workers) < workers:
            if time.perf_counter() > end:
                raise TimeoutError(f"no {workers} compiled workers within {READY_SECONDS} s")
            time.sleep(0.01)
        time.sleep(SETTLE_SECONDS)
        return sorted(self.compiled_workers)[workers - 1]

    def call(self, service: str, args: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to one call, on a connection of its own."""
        with (
            socket.create_connection(("127.0.0.1", self.port)) as sock,
            sock.makefile("rb") as stream,
        ):
            sock.sendall(request(service, args))
            answer: dict[str, Any] = json.loads(stream.readline())
        return answer

    def load(self, text: str) -> None:
        """Store a robot description."""
        answer = self.call("/param_server/set_param", {"name": "robot_description", "value": text})
        if not answer["result"]:
            raise ValueError(answer)

    def workers(self) -> list[int]:
        """Return the ids of its worker processes."""
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [int(child) for child in children if b"kinematics.worker" in command(int(child))]

    def _read_log(self) -> None:
        for line in self.process.stderr or ():
            try:
                event = json.loads(line)
            except json.JSONDecodeError:
                continue  # what an interpreter says is no event
            if event.get("event") == "worker ready":
                self.ready.append((time.perf_counter() - self.started, event["kernels"]))


@contextmanager
def gateway(workers: int, env: Mapping[str, str] | None = None) -> Iterator[Gateway]:
    """Run a gateway on a free port."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "gateway",
            "--port",
            "0",
            "--workers",
            str(workers),
            "--log-format",
            "json",
        ],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | (env or {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    running = Gateway(process, started)
    reader = threading.Thread(target=running._read_log, daemon=True)
    reader.start()
    try:
        running.port = port_said(process)
        running.listening_seconds = time.perf_counter() - started
        yield running
    finally:
        end(process)
        reader.join()


@contextmanager
def echo(answer_bytes: int) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Run a server that answers every line with so many bytes; yield it and its port."""
    process = subprocess.Popen(
        [sys.executable, "-m", "scripts.benchmark.echo", str(answer_bytes)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process, port_said(process)
    finally:
        end(process)


def port_said(process: subprocess.Popen[str]) -> int:
    """Return the port in the first line that a process writes."""
    line = process.stdout.readline() if process.stdout else ""
    return int(line.rpartition(":")[2])


def end(process: subprocess.Popen[str]) -> None:
    """Ask a process to end, and wait."""
    process.send_signal(signal.SIGTERM)
    process.wait(timeout=20)


def request(service: str, args: Mapping[str, Any]) -> bytes:
    """Return a call's line."""
    return json.dumps({"op": "call_service", "service": service, "args": args}).encode() + b"\n"


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of all threads of a process; Linux has a clock for each process."""
    return time.clock_gettime((~pid << 3) | 2)


def command(pid: int) -> bytes:
    """Return a process's command line; of one that has ended there is none."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except FileNotFoundError:
        return b""


def resident_mb(pid: int) -> float:
    """Return what a process holds in memory, MB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise ValueError(f"process {pid} has no memory")
