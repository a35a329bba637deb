"""A gateway as users run it: a process of its own, on a free port."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 20.0
ANSWER_SECONDS = 30.0


@dataclass
class Live:
    """A running gateway."""

    process: subprocess.Popen[str]
    port: int
    websocket_port: int = 0  # if it was given the option

    @contextmanager
    def connection(self) -> Iterator[socket.socket]:
        """Connect to it."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=ANSWER_SECONDS) as sock:
            yield sock

    def exchange(self, data: bytes) -> list[dict[str, Any]]:
        """Send bytes, end the input, and return every line that comes back."""
        with self.connection() as sock:
            sock.sendall(data)
            sock.shutdown(socket.SHUT_WR)
            with sock.makefile("rb") as stream:
                return [json.loads(line) for line in stream]

    def call(self, service: str, args: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to one call."""
        request = {"op": "call_service", "service": service, "args": args}
        (answer,) = self.exchange(json.dumps(request).encode() + b"\n")
        return answer

    def load(self, text: str) -> int:
        """Store a robot description; return its version."""
        stored = {"name": "robot_description", "value": text}
        answer = self.call("/param_server/set_param", stored)
        assert answer["result"], answer
        return int(answer["values"]["version"])


@contextmanager
def gateway(*options: str, env: Mapping[str, str] | None = None) -> Iterator[Live]:
    """Run a gateway; it ends with status 0, at a SIGTERM."""
    process = subprocess.Popen(
        [sys.executable, "-m", "gateway", "--port", "0", *options],
        cwd=ROOT,
        env=os.environ | (env or {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("listening tcp 127.0.0.1:"), process.stderr and process.stderr.read()
        live = Live(process, int(line.rpartition(":")[2]))
        if "--websocket-port" in options:
            line = process.stdout.readline()
            assert line.startswith("listening websocket 127.0.0.1:"), line
            live.websocket_port = int(line.rpartition(":")[2])
        yield live
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=START_SECONDS)
        assert process.returncode == 0, log
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
