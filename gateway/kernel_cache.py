"""Where the compiled kernels are kept between starts, and whether they are there.

numba's own choice fails at import where neither the package's folder nor a home is
writable, even beside a valid cache. So the folder is chosen here, and always given to
the workers as NUMBA_CACHE_DIR: the caller's, else one under the user's cache folder,
else a private one that lasts as long as this gateway.

The folder's name carries a digest of all that compiled code depends on. A stamp in it
says that a compilation ran to its end, so nobody has to guess from numba's files.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final

from kinematics.sources import SOURCES

STAMP: Final = "robot-gateway-{key}.compiled"
KERNELS: Final = Path(__file__).resolve().parent.parent / "kinematics"


@dataclass(frozen=True, slots=True)
class KernelCache:
    """A writable folder for numba's cache."""

    folder: Path
    stamp: Path
    private: bool  # made for this process alone, removed with it

    @property
    def warm(self) -> bool:
        """Whether every kernel is there, compiled for this machine."""
        return self.stamp.exists()

    def mark_warm(self) -> None:
        """Record that a compilation ran to its end."""
        self.stamp.touch()

    def remove(self) -> None:
        """Remove a private folder; another one stays for the next start."""
        if self.private:
            shutil.rmtree(self.folder, ignore_errors=True)


def find(environ: Mapping[str, str]) -> KernelCache:
    """Choose the folder: the first of the candidates that can be written to."""
    key = _key(environ)
    for folder in _candidates(environ, key):
        stamp = folder / STAMP.format(key=key)
        with contextlib.suppress(OSError):  # one that can't be made is not a candidate
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _is_ours(folder):
            return KernelCache(folder, stamp, private=False)
        if stamp.exists():  # read-only, as in an image: numba wants to write all the same
            private = _private_folder()
            shutil.copytree(folder, private, dirs_exist_ok=True)
            return KernelCache(private, private / stamp.name, private=True)
    private = _private_folder()
    return KernelCache(private, private / STAMP.format(key=key), private=True)


def _candidates(environ: Mapping[str, str], key: str) -> list[Path]:
    if chosen := environ.get("NUMBA_CACHE_DIR"):
        return [Path(chosen) / f"kernels-{key}"]
    candidates = []
    if caches := environ.get("XDG_CACHE_HOME"):
        candidates.append(Path(caches))
    with contextlib.suppress(RuntimeError):  # no home: no HOME and a uid without an account
        candidates.append(Path.home() / ".cache")
    return [folder / "robot-gateway" / f"kernels-{key}" for folder in candidates]


def _is_ours(folder: Path) -> bool:
    """Whether we can write there and nobody else could have: the cache is code we will run."""
    try:
        status = folder.stat()
    except OSError:
        return False
    others_write = status.st_mode & 0o022 and not status.st_mode & 0o1000
    return not others_write and os.access(folder, os.W_OK | os.X_OK)


def _private_folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="robot-gateway-kernels-"))


def _key(environ: Mapping[str, str]) -> str:
    """Digest what the compiled code depends on: the kernels, the compilers and the CPU."""
    digest = hashlib.blake2b(digest_size=8)
    for name in SOURCES:
        source = KERNELS / name
        digest.update(f"{source}:{source.stat().st_mtime_ns}".encode())
        digest.update(source.read_bytes())
    for package in ("numba", "llvmlite", "numpy"):
        digest.update(f"{package} {metadata.version(package)}".encode())
    digest.update(sys.version.encode())
    digest.update(_cpu(environ).encode())
    return digest.hexdigest()


def _cpu(environ: Mapping[str, str]) -> str:
    """Name the CPU that numba compiles for."""
    if named := environ.get("NUMBA_CPU_NAME"):
        return f"{named} {environ.get('NUMBA_CPU_FEATURES', '')}"
    wanted = ("model name", "flags", "CPU part", "Features")
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
    except OSError:
        return f"{platform.machine()} {platform.processor()}"
    return "\n".join(sorted({line for line in lines if line.startswith(wanted)}))
