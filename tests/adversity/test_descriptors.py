"""With few descriptors the gateway accepts as many as it can, and goes on when some are free."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.live import ROOT

DESCRIPTORS = 64
CLIENTS = 100
LIMITED = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]),) * 2)
os.execv(sys.argv[2], sys.argv[2:])
"""
VALIDATE = {"op": "call_service", "service": "/ik/validate", "args": {"robot_description": ""}}


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=10)


def ask(sock: socket.socket, id_: int) -> None:
    sock.sendall(json.dumps(VALIDATE | {"id": id_}).encode() + b"\n")


def answer(sock: socket.socket) -> int:
    with sock.makefile("rb") as stream:
        return int(json.loads(stream.readline())["id"])


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_descriptors_exhausted_and_freed() -> None:
    command = [sys.executable, "-m", "gateway", "--port", "0", "--workers", "1"]
    process = subprocess.Popen(
        [sys.executable, "-c", LIMITED, str(DESCRIPTORS), *command],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline().rpartition(":")[2])
        with connect(port) as first:
            ask(first, 0)
            assert answer(first) == 0  # a worker serves: what follows takes nothing from it
            used = len(os.listdir(f"/proc/{process.pid}/fd"))
            with contextlib.ExitStack() as stack:
                clients = [stack.enter_context(connect(port)) for _ in range(CLIENTS)]
                for n, client in enumerate(clients):
                    ask(client, n)
                for n, client in enumerate(clients):  # in the order in which they came
                    assert answer(client) == n
                    if n == 10:
                        assert len(os.listdir(f"/proc/{process.pid}/fd")) < DESCRIPTORS
                        worker = worker_of(process.pid)
                        os.kill(worker, 9)  # descriptors are kept for the next one
                    client.close()
            ask(first, 1)
            assert answer(first) == 1
            assert len(os.listdir(f"/proc/{process.pid}/fd")) <= used
        process.terminate()
        _, log = process.communicate(timeout=10)
        assert process.returncode == 0
        assert "no more connections accepted" in log
        assert "not accepted error" not in log
        assert "worker not started" not in log
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


def worker_of(pid: int) -> int:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
    (found,) = [
        int(child)
        for child in children
        if b"kinematics.worker" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]
    return found
