"""Start the gateway's child processes and see them end."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Final

ROOT: Final = Path(__file__).resolve().parent.parent  # holds the packages, installed or not
POLL_SECONDS: Final = 0.02  # between two looks at a child that should be gone
THREAD_VARIABLES: Final = (  # one thread a worker: more of them fight over the same CPUs
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)


def environment(cache_folder: Path | None, *, compiled: bool) -> dict[str, str]:
    """Return a child's environment: this code, one thread, the kernels' cache."""
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    changed = dict.fromkeys(THREAD_VARIABLES, "1")
    changed["PYTHONPATH"] = path
    if cache_folder is not None:
        changed["NUMBA_CACHE_DIR"] = str(cache_folder)
    if not compiled:
        changed["KINEMATICS_KERNELS"] = "interpreted"
    return os.environ | changed


def start(
    module: str,
    arguments: Iterable[object] = (),
    *,
    env: Mapping[str, str],
    pass_fds: tuple[int, ...] = (),
    stderr: IO[bytes] | None = None,
) -> subprocess.Popen[bytes]:
    """Run `python -m module` with nothing on stdin and nobody at stdout.

    `-P` keeps the current directory off the path: a file there must not stand in for
    one of ours or of the standard library.
    """
    command = [sys.executable, "-P", "-m", module, *map(str, arguments)]
    return subprocess.Popen(
        command,
        env=env,
        pass_fds=pass_fds,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
    )


async def ended(process: subprocess.Popen[bytes], seconds: float) -> int | None:
    """Wait for a child's end and reap it; return its exit status, None if it still runs."""
    end = asyncio.get_running_loop().time() + seconds
    while (status := process.poll()) is None:
        if asyncio.get_running_loop().time() >= end:
            return None
        await asyncio.sleep(POLL_SECONDS)
    return status


async def kill(process: subprocess.Popen[bytes], seconds: float = 5.0) -> int | None:
    """Kill a child and reap it; a child in an uninterruptible wait is left to the kernel."""
    process.kill()
    return await ended(process, seconds)
