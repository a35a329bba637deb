"""Descriptions and meshes as files."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from urdf.errors import UrdfError, XmlError, quote
from urdf.finding import WARNING, Finding
from urdf.model import Link, Mesh, Robot, Shape

STDIN: Final = "-"
MAX_BYTES: Final = 64 << 20  # of a description; the largest of real robots has 1 MB
PACKAGE: Final = "package://"
FILE: Final = "file://"
PACKAGE_PATHS: Final = ("ROS_PACKAGE_PATH",)  # directories of packages
PREFIX_PATHS: Final = ("AMENT_PREFIX_PATH", "COLCON_PREFIX_PATH")  # packages in their share/


def read_text(name: str) -> str:
    """Return the text of a file, or of standard input for "-".

    Raises:
        OSError: the file cannot be read.
        UrdfError: it is too large, or not UTF-8.
    """
    if name == STDIN:
        data = sys.stdin.buffer.read(MAX_BYTES + 1)
    else:
        with Path(name).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise UrdfError(f"larger than {MAX_BYTES} bytes; a robot description expected")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise XmlError(
            f"byte {data[error.start]:#04x} (line {line}, column {column}) is not UTF-8; "
            "a text in UTF-8 expected",
            line,
            column,
        ) from error


def find_mesh(filename: str, directory: Path, packages: Mapping[str, Path]) -> Path | None:
    """Return the file that a mesh's name means, None for one that is not on this machine's disk.

    Args:
        filename: as in the description: package://NAME/PATH, file://PATH, or a path.
        directory: where the description is; a path that is not absolute begins there.
        packages: where packages are; the environment and the directories above the description
            are looked through besides.

    Raises:
        LookupError: there is no such package; the message is a clause.
    """
    if filename.startswith(PACKAGE):
        name, _, rest = filename[len(PACKAGE) :].partition("/")
        for root in _packages_named(name, directory, packages):
            return root / rest
        raise LookupError(f"there is no package {quote(name)} around; --package {name}=DIR helps")
    if filename.startswith(FILE):
        return Path(filename[len(FILE) :])
    return None if "://" in filename else directory / filename


def _packages_named(name: str, directory: Path, packages: Mapping[str, Path]) -> Iterator[Path]:
    if name in packages:
        yield packages[name]
    above = directory.resolve()
    candidates = [above, *above.parents]
    yield from (path for path in candidates if path.name == name)
    for variable in PACKAGE_PATHS:
        candidates += map(Path, filter(None, os.environ.get(variable, "").split(os.pathsep)))
    for variable in PREFIX_PATHS:
        prefixes = filter(None, os.environ.get(variable, "").split(os.pathsep))
        candidates += [Path(prefix) / "share" for prefix in prefixes]
    yield from (path / name for path in candidates if (path / name).is_dir())


def missing_meshes(
    robot: Robot, directory: Path, packages: Mapping[str, Path]
) -> tuple[Finding, ...]:
    """Return the mesh files of a robot that are not there, each once."""
    found: dict[str, Finding] = {}
    for link in robot.links:
        for shape in shapes(link):
            if isinstance(shape, Mesh) and shape.filename not in found:
                problem = _problem(shape.filename, directory, packages)
                if problem:
                    sentence = f"link {quote(link.name)}: mesh {quote(shape.filename)}: {problem}"
                    found[shape.filename] = Finding(
                        link.line, link.column, WARNING, "mesh", sentence
                    )
    return tuple(found.values())


def shapes(link: Link) -> Iterator[Shape]:
    """Return all shapes of a link that were read, drawn ones first."""
    visuals = link.visuals or ((link.visual,) if link.visual is not None else ())
    yield from (visual.shape for visual in visuals)
    yield from (collision.shape for collision in link.collisions)


def _problem(filename: str, directory: Path, packages: Mapping[str, Path]) -> str:
    try:
        path = find_mesh(filename, directory, packages)
        if path is None or path.is_file():
            return ""
    except (LookupError, ValueError, OSError) as error:  # a name can hold what no path may
        return f"{error.args[0] if isinstance(error, LookupError) else error}"
    return f"no file at {path}; the mesh there expected"
