"""The files that meshes name, and those that are not there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from urdf.errors import quote
from urdf.finding import WARNING, Finding
from urdf.model import Link, Mesh, Robot, Shape

PACKAGE: Final = "package://"
FILE: Final = "file://"
PACKAGE_PATHS: Final = ("ROS_PACKAGE_PATH",)  # directories of packages
PREFIX_PATHS: Final = ("AMENT_PREFIX_PATH", "COLCON_PREFIX_PATH")  # packages in their share/


@dataclass(frozen=True, slots=True)
class Places:
    """Where to look for meshes.

    Attributes:
        directory: where the description is; a path that is not absolute begins there.
        packages: where packages are, by name.
        package_paths: directories of packages. The environment's and the directories above the
            description are looked through besides.
    """

    directory: Path
    packages: Mapping[str, Path] = field(default_factory=dict)
    package_paths: Sequence[Path] = ()

    def package(self, name: str) -> Path | None:
        """Return where a package is, None if it is not around."""
        return next(self._named(name), None)

    def _named(self, name: str) -> Iterator[Path]:
        if name in self.packages:
            yield self.packages[name]
        above = self.directory.resolve()
        parents = [above, *above.parents]
        yield from (path for path in parents if path.name == name)
        candidates = [*self.package_paths, *parents, *_paths_of(PACKAGE_PATHS)]
        candidates += [prefix / "share" for prefix in _paths_of(PREFIX_PATHS)]
        yield from (path / name for path in candidates if (path / name).is_dir())


def _paths_of(variables: Sequence[str]) -> Iterator[Path]:
    for variable in variables:
        yield from map(Path, filter(None, os.environ.get(variable, "").split(os.pathsep)))


def missing_meshes(robot: Robot, places: Places) -> tuple[Finding, ...]:
    """Return the mesh files of a robot that are not there.

    Each is told of once, at the first link that names it; those of a package that is not around
    are told of together.
    """
    first: dict[str, Link] = {}
    for link in robot.links:
        for shape in shapes(link):
            if isinstance(shape, Mesh):
                first.setdefault(shape.filename, link)
    found: list[Finding] = []
    unknown: dict[str, list[str]] = {}
    for filename, link in first.items():
        name = filename[len(PACKAGE) :].partition("/")[0] if filename.startswith(PACKAGE) else None
        try:
            if name is not None and (not name or places.package(name) is None):
                unknown.setdefault(name, []).append(filename)
                continue
            path = _path(filename, places)
            problem = "" if path is None or path.is_file() else f"no file at {_shown(path)}"
        except (ValueError, OSError) as error:  # a name can hold what no path may
            problem = str(error)
        if problem:
            found.append(_finding(link, filename, f"{problem}; the mesh there expected"))
    for name, filenames in unknown.items():
        others = f" ({len(filenames) - 1} more are in it)" if len(filenames) > 1 else ""
        problem = f"there is no package {quote(name)} around{others}; --package {quote(name)[1:-1]}=DIR helps"
        found.append(_finding(first[filenames[0]], filenames[0], problem))
    return tuple(found)


def _finding(link: Link, filename: str, problem: str) -> Finding:
    sentence = f"link {quote(link.name)}: mesh {quote(filename)}: {problem}"
    return Finding(link.line, link.column, WARNING, "mesh", sentence)


def shapes(link: Link) -> Iterator[Shape]:
    """Return all shapes of a link that were read, drawn ones first."""
    visuals = link.visuals or ((link.visual,) if link.visual is not None else ())
    yield from (visual.shape for visual in visuals)
    yield from (collision.shape for collision in link.collisions)


def _path(filename: str, places: Places) -> Path | None:
    """Return the file that a mesh's name means, None for one on no disk of this machine."""
    if filename.startswith(PACKAGE):
        name, _, rest = filename[len(PACKAGE) :].partition("/")
        root = places.package(name)
        return None if root is None else root / rest
    if filename.startswith(FILE):
        return Path(filename[len(FILE) :])
    return None if "://" in filename else places.directory / filename


def _shown(path: Path) -> str:
    """Return a path in full, as it is if that is one line."""
    return str(path) if str(path).isprintable() else quote(str(path))
