"""A gateway with a state file, killed at any moment or out of disk, loses nothing it answered."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from tests.support.adversity import killable
from tests.support.live import ROOT, gateway

ROUNDS = int(os.environ.get("ADVERSITY_ROUNDS", "4"))  # more where there is time
WRITERS = 3
PATIENCE_SECONDS = 20.0
FILE_BYTES = 400_000  # that a gateway out of disk may write to any one file
SET, GET = "/param_server/set_param", "/param_server/get_param"


def call(service: str, **args: object) -> bytes:
    request = {"op": "call_service", "service": service, "args": args}
    return json.dumps(request).encode() + b"\n"


def options(path: Path) -> tuple[str, ...]:
    return ("--workers", "1", "--state", str(path))


@contextmanager
def connected(port: int) -> Iterator[tuple[socket.socket, BinaryIO]]:
    """Connect to a gateway."""
    with (
        socket.create_connection(("127.0.0.1", port), timeout=10) as sock,
        sock.makefile("rb") as stream,
    ):
        yield sock, stream


class Writer(threading.Thread):
    """Sets one parameter as fast as it can, remembering what was answered."""

    def __init__(self, port: int, name: str, value: int) -> None:
        super().__init__()
        self._port = port
        self.name_ = name
        self.sent = self.kept = value  # the last of each

    def run(self) -> None:
        """Write until the gateway is gone."""
        try:
            with connected(self._port) as (sock, stream):
                while True:
                    burst = range(self.sent + 1, self.sent + 1 + random.randint(1, 20))
                    self.sent = burst[-1]
                    lines = [call(SET, name=self.name_, value=[n, "x" * 100]) for n in burst]
                    sock.sendall(b"".join(lines))
                    for n in burst:
                        answer = json.loads(stream.readline())
                        assert answer["values"] == {"version": n}
                        self.kept = n
        except (OSError, json.JSONDecodeError):
            return


def stored(port: int, name: str) -> dict[str, Any]:
    with connected(port) as (sock, stream):
        sock.sendall(call(GET, name=name))
        values: dict[str, Any] = json.loads(stream.readline())["values"]
    return values


def test_a_kill_at_any_moment_loses_nothing_that_was_answered(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    values = {f"name {n}": 0 for n in range(WRITERS)}
    written = 0
    for _ in range(ROUNDS):
        with killable(*options(path)) as (process, port):
            writers = [Writer(port, name, value) for name, value in values.items()]
            for writer in writers:
                writer.start()
            time.sleep(random.uniform(0.05, 0.5))
            process.send_signal(signal.SIGKILL)
            for writer in writers:
                writer.join(PATIENCE_SECONDS)
        with killable(*options(path)) as (_, port):
            for writer in writers:
                found = stored(port, writer.name_)
                version = found["version"]
                assert writer.kept <= version <= writer.sent
                assert version == 0 or found["value"] == [version, "x" * 100]
                written += version - values[writer.name_]
                values[writer.name_] = version
    assert written > ROUNDS
    print(f"{ROUNDS} kills, {written} sets, none lost")  # noqa: T201  seen with -s


def test_a_full_disk_refuses_sets_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    kept: dict[str, dict[str, Any]] = {}
    with (
        killable(*options(path), disk_bytes=FILE_BYTES) as (_, port),
        connected(port) as (sock, stream),
    ):
        refused = 0
        for n in range(40):
            value = str(n) * 20_000
            sock.sendall(call(SET, name=f"name {n}", value=value))
            answer = json.loads(stream.readline())
            if answer["result"]:
                kept[f"name {n}"] = {"value": value, "version": 1}
                continue
            refused += 1
            assert answer["values"] == {"code": "limit_exceeded"}
            assert "nothing was changed" in answer["status"]
        assert refused
        assert kept
        for name, values in kept.items():
            sock.sendall(call(GET, name=name))
            assert json.loads(stream.readline())["values"] == values
        sock.sendall(call("/ik/validate", robot_description="<robot"))
        assert json.loads(stream.readline())["result"]
    with killable(*options(path)) as (_, port), connected(port) as (sock, stream):
        for n in range(40):
            name = f"name {n}"
            expected = kept.get(name, {"value": None, "version": 0, "code": "not_set"})
            assert stored(port, name) == expected
        sock.sendall(call(SET, name="after", value="x" * 20_000))
        assert json.loads(stream.readline())["result"]


def test_the_robot_is_there_from_the_start(tmp_path: Path) -> None:
    kept = options(tmp_path / "state.db")
    arm = (ROOT / "docs/examples/arm.urdf").read_text("utf-8")
    with gateway(*kept) as live:
        assert live.load(arm) == 1
        expected = live.call("/ik/forward_kinematics", {})
    with gateway(*kept) as live:
        assert live.call("/ik/forward_kinematics", {}) == expected
        assert live.load(arm) == 2


@pytest.mark.parametrize("content", [b"not a state file at all" * 10, b"SQLite format 3\0"])
def test_a_file_that_is_not_ours_ends_the_start(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "state.db"
    path.write_bytes(content)
    result = subprocess.run(
        [sys.executable, "-m", "gateway", "--port", "0", "--state", str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert result.returncode == 1
    assert f"--state {path}: it is not a SQLite file" in result.stderr
    assert result.stdout == ""
    assert path.read_bytes() == content
