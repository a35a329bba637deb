"""A gateway under attack: what it is made of as /proc shows it, and calls that are counted."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.live import ROOT, Live

ARM = (ROOT / "docs/examples/arm.urdf").read_text("utf-8")
SECONDS = float(os.environ.get("ADVERSITY_SECONDS", "3"))  # more where there is time
FK = "/ik/forward_kinematics"
LIMITED = """
import os, resource, sys
limit = int(sys.argv[1])
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
os.execv(sys.argv[2], sys.argv[2:])
"""
LINE_BYTES = 8 * 1024 * 1024


@contextmanager
def killable(
    *options: str, disk_bytes: int = 0, env: Mapping[str, str] | None = None
) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Run a gateway that is to be ended by a SIGKILL; return it and its port.

    Args:
        options: its own.
        disk_bytes: that it may write to any one file; 0 for no bound.
        env: what it finds in its environment beside what is there.
    """
    command = [sys.executable, "-m", "gateway", "--port", "0", *options]
    process = subprocess.Popen(
        [sys.executable, "-c", LIMITED, str(disk_bytes), *command],
        cwd=ROOT,
        env=os.environ | (env or {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        listening = process.stdout.readline()
        assert listening.startswith("listening tcp"), listening
        yield process, int(listening.rpartition(":")[2])
    finally:
        process.kill()
        process.communicate()


def line(service: str, args: object, id_: object) -> bytes:
    """Return a call."""
    request = {"op": "call_service", "service": service, "args": args, "id": id_}
    return json.dumps(request).encode() + b"\n"


def workers(pid: int) -> list[int]:
    """Return the gateway's worker processes."""
    return [
        child for child in children(pid) if b"kinematics.worker\0" in read(f"/proc/{child}/cmdline")
    ]


def children(pid: int) -> list[int]:
    """Return a process's children, zombies too."""
    return [int(child) for child in read(f"/proc/{pid}/task/{pid}/children").split()]


def zombies(pid: int) -> int:
    """Return how many children have ended without being waited for."""
    return sum(b"\nState:\tZ" in read(f"/proc/{child}/status") for child in children(pid))


def descriptors(pid: int) -> int:
    """Return how many descriptors a process has open."""
    return len(os.listdir(f"/proc/{pid}/fd"))


def read(path: str) -> bytes:
    """Return a file's content, nothing if it is gone."""
    try:
        return Path(path).read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def memory_bytes(pid: int) -> int:
    """Return what a process has in memory."""
    return int(read(f"/proc/{pid}/statm").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def until(condition: Callable[[], bool], seconds: float) -> bool:
    """Wait for something to come true; return whether it did."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


class Caller:
    """A client that keeps calls in flight, and sees that each is answered once, by its id."""

    def __init__(self, live: Live, depth: int = 8) -> None:
        self._live = live
        self._depth = depth
        self.good = 0
        self.failed: list[dict[str, Any]] = []
        self.seconds: list[float] = []

    async def run(self, seconds: float) -> None:
        """Call for so long, then wait for what is owed."""
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", self._live.port, limit=LINE_BYTES
        )
        sent: dict[int, float] = {}
        number = 0
        end = time.monotonic() + seconds
        async with asyncio.timeout(seconds + 30):
            while sent or time.monotonic() < end:
                while len(sent) < self._depth and time.monotonic() < end:
                    sent[number] = time.monotonic()
                    writer.write(line(FK, {}, number))
                    number += 1
                answer = json.loads(await reader.readline())
                self.seconds.append(time.monotonic() - sent.pop(answer["id"]))
                if answer["result"]:
                    self.good += 1
                else:
                    self.failed.append(answer)
        writer.close()

    @property
    def p99_seconds(self) -> float:
        """The time that 99 of 100 calls took at most."""
        return sorted(self.seconds)[len(self.seconds) * 99 // 100]
