"""When kernels are compiled, when they run as they are, and that warming up calls every one."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kinematics import compiling, warmup
from kinematics.sources import SOURCES

PACKAGE = Path(compiling.__file__).parent


def test_the_environment_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    monkeypatch.delenv("KINEMATICS_KERNELS", raising=False)
    assert compiling._wanted()
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    assert compiling._wanted()
    monkeypatch.setenv("KINEMATICS_KERNELS", "interpreted")
    assert not compiling._wanted()
    monkeypatch.delenv("KINEMATICS_KERNELS")
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert not compiling._wanted()


def test_without_numba_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    monkeypatch.delenv("KINEMATICS_KERNELS", raising=False)
    monkeypatch.setitem(sys.modules, "numba", None)
    assert not compiling._wanted()


def test_the_mode_is_the_one_in_use() -> None:
    assert compiling.mode() == ("compiled" if compiling.COMPILED else "interpreted")


def test_warming_up_calls_every_kernel() -> None:
    """Every one that Python calls; else a worker would compile in the middle of a request.

    A kernel that only kernels call is compiled with them.
    """
    program = """
import sys
called = set()
sys.setprofile(lambda frame, event, arg: called.add(frame.f_code.co_qualname))
from kinematics.warmup import call_every_kernel
call_every_kernel()
sys.setprofile(None)
print(" ".join(sorted(called)))
"""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, check=True, text=True
    )
    names = {name for name, _ in _kernels()}
    used: set[str] = set()
    for path in set(PACKAGE.glob("*.py")) - {PACKAGE / file for file in SOURCES}:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                used.add(ast.unparse(node.func).rpartition(".")[2])
    assert {"search", "link_frames", "chain_jacobian"} <= used & names
    assert used & names <= set(ran.stdout.split())


def test_every_file_with_a_kernel_is_a_source_of_the_cache() -> None:
    """And every file that theirs import numbers from: those are compiled in."""
    files = {file for _, file in _kernels()}
    assert files <= set(SOURCES)
    for file in files:
        for node in ast.walk(ast.parse((PACKAGE / file).read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                imported = node.module.removeprefix("kinematics.") + ".py"
                if node.module.startswith("kinematics.") and imported != "arrays.py":
                    assert imported in SOURCES, (file, imported)


def _kernels() -> list[tuple[str, str]]:
    """Return the name and the file of every kernel."""
    found = []
    for path in sorted(PACKAGE.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef):
                names = {ast.unparse(decorator) for decorator in node.decorator_list}
                if names & {"kernel", "inlined_kernel"}:
                    found.append((node.name, path.name))
    assert len(found) > 15
    return found


@pytest.mark.parametrize(("disabled", "status"), [("0", 0), ("1", 1)])
def test_the_process_that_compiles(disabled: str, status: int) -> None:
    environment = os.environ | {"NUMBA_DISABLE_JIT": disabled}
    ran = subprocess.run(
        [sys.executable, "-m", "kinematics.warmup", "--parent-pid", str(os.getpid())],
        env=environment,
        capture_output=True,
        check=False,
        text=True,
    )
    assert ran.returncode == status
    said = "the kernels are not to be compiled here, or numba is missing\n" if status else ""
    assert ran.stderr == said


def test_warming_up_here() -> None:
    warmup.call_every_kernel()
