"""The number of workers follows what the process may really use."""

from __future__ import annotations

import math
import os
from pathlib import Path

import pytest

from gateway import cpus
from gateway.cpus import _quota, usable_cpus


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.mark.parametrize(
    ("own", "files", "expected"),
    [
        ("0::/\n", {"cpu.max": "150000 100000\n"}, 1.5),
        ("0::/\n", {"cpu.max": "max 100000\n"}, math.inf),
        ("0::/a/b\n", {"a/cpu.max": "50000 100000", "a/b/cpu.max": "200000 100000"}, 0.5),
        ("0::/only/the/host/sees/it\n", {"cpu.max": "200000 100000"}, 2.0),
        ("0::/\n", {}, math.inf),
        ("0::/\n", {"cpu.max": "garbage"}, math.inf),
        ("0::/\n", {"cpu.max": "100 0"}, math.inf),
        (
            "12:memory:/x\n4:cpu,cpuacct:/d\n0::/\n",
            {"cpu,cpuacct/d/cpu.cfs_quota_us": "300000", "cpu,cpuacct/d/cpu.cfs_period_us": "100000"},
            3.0,
        ),
        (
            "4:cpu,cpuacct:/unseen\n",
            {"cpu/cpu.cfs_quota_us": "100000", "cpu/cpu.cfs_period_us": "50000"},
            2.0,
        ),
        (
            "4:cpu:/\n",
            {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"},
            math.inf,
        ),
        ("12:memory:/x\n", {"memory/x/cpu.max": "1 1"}, math.inf),
        ("", {"cpu.max": "100000 100000"}, math.inf),
    ],
)  # fmt: skip
def test_quota(tmp_path: Path, own: str, files: dict[str, str], expected: float) -> None:
    write(tmp_path, {"own": own} | {f"cgroup/{name}": text for name, text in files.items()})
    assert _quota(tmp_path / "cgroup", tmp_path / "own") == expected


def test_no_cgroups(tmp_path: Path) -> None:
    assert _quota(tmp_path, tmp_path / "missing") == math.inf


@pytest.mark.parametrize(
    ("affinity", "quota", "expected"),
    [(4, math.inf, 4), (4, 1.5, 2), (4, 0.1, 1), (1, 8.0, 1), (4, 0.0, 1)],
)
def test_the_smaller_counts(
    monkeypatch: pytest.MonkeyPatch, affinity: int, quota: float, expected: int
) -> None:
    monkeypatch.setattr(cpus, "_affinity", lambda: affinity)
    monkeypatch.setattr(cpus, "_quota", lambda *_: quota)
    assert usable_cpus() == expected


def test_where_there_is_no_affinity(monkeypatch: pytest.MonkeyPatch) -> None:
    assert cpus._affinity() >= 1
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 5)
    assert cpus._affinity() == 5
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert cpus._affinity() == 1
