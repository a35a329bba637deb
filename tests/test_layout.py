"""The packages depend on each other in one direction, and stay light where they should."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kinematics.sources import SOURCES
from tests.support.live import ROOT

PACKAGES = ("urdf", "kinematics", "gateway")
LONGEST_FILE = 300
ALONE = "client.py"  # one file to copy, however long
# What a process that imports the gateway must not load with it.
HEAVY = ("numpy", "numba", "llvmlite", "xml")


def files() -> list[tuple[str, Path]]:
    return [(name, path) for name in PACKAGES for path in sorted((ROOT / name).glob("*.py"))]


def imports_of(path: Path) -> set[str]:
    """Return the modules that a file imports when it is imported itself."""
    names: set[str] = set()
    tree = ast.parse(path.read_text("utf-8"))
    guarded = {
        node
        for test in ast.walk(tree)
        if isinstance(test, ast.If) and ast.unparse(test.test) == "TYPE_CHECKING"
        for node in ast.walk(test)
    }
    for node in ast.walk(tree):
        if node in guarded:
            continue
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


@pytest.mark.parametrize(("package", "path"), files(), ids=[path.stem for _, path in files()])
def test_a_package_imports_only_those_below_it(package: str, path: Path) -> None:
    above = PACKAGES[PACKAGES.index(package) + 1 :]
    assert not {name for name in imports_of(path) if name.split(".")[0] in above}


def test_urdf_needs_the_standard_library_alone() -> None:
    for package, path in files():
        if package == "urdf":
            roots = {name.split(".")[0] for name in imports_of(path)}
            assert roots <= sys.stdlib_module_names | {"urdf"}, path


@pytest.mark.parametrize("package", PACKAGES)
def test_files_import_only_those_before_them_in_the_reading_order(package: str) -> None:
    design = (ROOT / "docs/design.md").read_text("utf-8")
    (row,) = re.findall(rf"^\| `{package}` \| (.*) \|$", design, re.MULTILINE)
    order = row.split(", ")
    own = {path.stem: path for of, path in files() if of == package and path.stem[:2] != "__"}
    assert sorted(order) == sorted(own)
    for i, name in enumerate(order):
        needed = {
            module.split(".")[1]
            for module in imports_of(own[name])
            if module.startswith(f"{package}.")
        }
        assert needed & own.keys() <= set(order[:i]), name


def test_importing_the_gateway_loads_nothing_heavy() -> None:
    script = (
        f"import sys, gateway.__main__; print([name for name in {HEAVY} if name in sys.modules])"
    )
    # Without what measures coverage in child processes, and loads more than the gateway does.
    env = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    result = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.strip() == "[]"


def test_the_client_needs_the_standard_library_alone() -> None:
    roots = {name.split(".")[0] for name in imports_of(ROOT / "gateway/client.py")}
    assert roots <= sys.stdlib_module_names


def test_files_stay_short() -> None:
    long = {
        path.name: n for _, path in files() if (n := path.read_text().count("\n")) > LONGEST_FILE
    }
    assert long.keys() <= {ALONE}


def test_every_package_says_that_it_is_typed() -> None:
    assert all((ROOT / package / "py.typed").exists() for package in PACKAGES)


def test_every_file_with_a_kernel_is_a_source() -> None:
    marked = {path.name for _, path in files() if "\n@kernel\n" in path.read_text("utf-8")}
    assert marked | {"compiling.py", "places.py"} == set(SOURCES)
