"""How many CPUs this process may use: what it may run on, and what it is given of that."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

CGROUPS: Final = Path("/sys/fs/cgroup")
OWN_CGROUPS: Final = Path("/proc/self/cgroup")


def usable_cpus() -> int:
    """Return the number of CPUs, at least 1: affinity, cut to the cgroup's quota."""
    return max(1, math.ceil(min(_affinity(), _quota(CGROUPS, OWN_CGROUPS))))


def _affinity() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1  # macOS has neither affinity nor cgroups


def _quota(cgroups: Path, own: Path) -> float:
    """Return the smallest quota of this process's cgroups, inf without one.

    Args:
        cgroups: where the cgroup file systems are mounted.
        own: the file with one `number:controllers:path` per line.
    """
    return min((_quota_of(folder) for folder in _folders(cgroups, own)), default=math.inf)


def _folders(cgroups: Path, own: Path) -> Iterator[Path]:
    """Yield the folder of each CPU cgroup of this process, and of each one above it.

    In a container the path can be one that only the host sees. The mount's own root
    is then the container's cgroup, and it is among those yielded in any case.
    """
    for line in (_read(own) or "").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        root = cgroups / controllers if controllers else cgroups
        inner = PurePosixPath(path.lstrip("/"))
        for folder in (inner, *inner.parents):
            yield root / folder
            if controllers:
                yield cgroups / "cpu" / folder


def _quota_of(folder: Path) -> float:
    """Return a cgroup's CPUs: v2 has both numbers in one file, v1 in two."""
    both = _read(folder / "cpu.max")
    if both is not None:
        quota, _, period = both.partition(" ")
    else:
        quota = _read(folder / "cpu.cfs_quota_us") or ""
        period = _read(folder / "cpu.cfs_period_us") or ""
    try:
        cpus = int(quota) / int(period)
    except (ValueError, ZeroDivisionError):  # "max", or no such files
        return math.inf
    return cpus if cpus > 0 else math.inf  # v1 says -1 for no quota


def _read(path: Path) -> str | None:
    try:
        return path.read_text("ascii").strip()
    except (OSError, ValueError):
        return None
