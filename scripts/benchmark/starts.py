"""How long a gateway takes to start, and how much memory it holds; without a cache and with one."""

from __future__ import annotations

import tempfile
from typing import Any, Final

from scripts.benchmark import processes
from scripts.benchmark.arms import Arm
from scripts.benchmark.processes import resident_mb

WARM_STARTS: Final = 5
WORKERS: Final = 1


def measure(arm: Arm) -> list[dict[str, Any]]:
    """Return a row for a start without compiled kernels, and one for the median of warm ones."""
    with tempfile.TemporaryDirectory(prefix="benchmark-kernels-") as folder:
        env = {"NUMBA_CACHE_DIR": folder}
        cold = start(arm, env)
        warm = [start(arm, env) for _ in range(WARM_STARTS)]
    middle = {name: sorted(one[name] for one in warm)[WARM_STARTS // 2] for name in cold}
    return [{"start": "cold"} | cold, {"start": "warm"} | middle]


def start(arm: Arm, env: dict[str, str]) -> dict[str, float]:
    """Start once, load a robot and solve, and read the memory then."""
    with processes.gateway(WORKERS, env) as running:
        compiled = running.wait_compiled(WORKERS)
        running.load(arm.text)
        answer = running.call("/ik/forward_kinematics", {"links": [arm.tip]})
        if not answer["result"]:
            raise ValueError(answer)
        return {
            "listening_s": running.listening_seconds,
            "compiled_s": compiled,
            "gateway_mb": resident_mb(running.process.pid),
            "worker_mb": max(resident_mb(pid) for pid in running.workers()),
        }
