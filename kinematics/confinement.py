"""Bound what a worker may take of the machine, whatever a request makes it do."""

from __future__ import annotations

import contextlib
import resource
from typing import Final

MEMORY_BYTES: Final = 2 * 1024**3  # ten times a worker with a few large robots
LINES: Final = 16  # as many of the longest lines may be in work at once on top of that
FILES: Final = 64  # two of its own, and the kernels' cache while they are loaded


def confine(max_line_bytes: int) -> None:
    """Bound this process's memory and open files; never above what bounds it already.

    An allocation beyond it fails, so the request that asks for it does, or the worker dies
    of it, and nothing else on the machine is slowed down. There are no core files: they
    would hold what clients sent. Data, not address space, is bounded: compilers and
    libraries reserve addresses that they never use. Where the system has no such bound
    there is none.

    Args:
        max_line_bytes: the gateway's bound on a line.
    """
    bounds = (
        (resource.RLIMIT_DATA, MEMORY_BYTES + LINES * max_line_bytes),
        (resource.RLIMIT_NOFILE, FILES),
        (resource.RLIMIT_CORE, 0),
    )
    for kind, wanted in bounds:
        _, hard = resource.getrlimit(kind)
        bound = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with contextlib.suppress(OSError, ValueError):  # macOS has less than it names
            resource.setrlimit(kind, (bound, bound))
