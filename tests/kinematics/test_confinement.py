"""A confined process fails at the bound, not the machine."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.live import ROOT, START_SECONDS, gateway

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems bound less")

SCRIPT = """
import os, resource
from kinematics.confinement import FILES, MEMORY_BYTES, confine
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
confine(4096)
confine(1 << 30)  # a second time raises nothing
assert resource.getrlimit(resource.RLIMIT_DATA)[1] == MEMORY_BYTES + 16 * 4096
bytearray(MEMORY_BYTES // 2)
try:
    bytearray(MEMORY_BYTES + (1 << 20))
except MemoryError:
    print("no memory")
try:
    while True:
        os.dup(0)
except OSError as error:
    print(error.strerror)
"""


def test_memory_and_files_are_bounded() -> None:
    result = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert result.stdout == "no memory\nToo many open files\n"


def test_workers_are_confined_and_have_their_own_descriptors_alone() -> None:
    with gateway("--workers", "2") as live:
        assert live.call("/ik/validate", {"robot_description": ""})["result"]
        seen = 0
        for pid in children_of(live.process.pid):
            if b"kinematics.worker" not in Path(f"/proc/{pid}/cmdline").read_bytes():
                continue
            end = time.monotonic() + START_SECONDS
            while "Max open files            64" not in Path(f"/proc/{pid}/limits").read_text():
                assert time.monotonic() < end  # one that starts has not got to it yet
                time.sleep(0.02)
            kinds = [os.readlink(entry) for entry in Path(f"/proc/{pid}/fd").iterdir()]
            assert sum(kind.startswith("socket:") for kind in kinds) == 1
            assert sum(kind == "/dev/null" for kind in kinds) == 2
            assert len(kinds) <= 6  # stdin, stdout, stderr, the socket, the mark and its mapping
            seen += 1
        assert seen >= 1


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
