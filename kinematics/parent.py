"""Make sure that a worker does not outlive the gateway that started it."""

from __future__ import annotations

import os
import signal
import sys
from typing import Final

PR_SET_PDEATHSIG: Final = 1  # prctl(2), Linux


def die_with(parent_pid: int) -> bool:
    """Ask the kernel for a SIGKILL at the parent's death; return False if it is dead already.

    Elsewhere than on Linux there is no such signal: there the end of file on the socket
    pair, looked for between slices, is what ends a worker.
    """
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415  only here: it costs milliseconds of every start

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    return os.getppid() == parent_pid  # it may have died before the signal was armed
