"""What the commands of the command line share: their options, what they read and write."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from urdf.errors import UrdfError
from urdf.expansion import TIMEOUT_SECONDS, Xacro, expand
from urdf.files import STDIN, read_text
from urdf.finding import Finding, of_error
from urdf.model import EXTENDED, Robot
from urdf.parser import parse

OK: Final = 0
REFUSED: Final = 1  # also: they differ, it would change
TROUBLE: Final = 2  # argparse's own status for a wrong command line


@dataclass(frozen=True, slots=True)
class Source:
    """A description, and what to call it where it is complained about."""

    label: str
    directory: Path
    text: str


class CommandError(Exception):
    """A command ends here; its argument is the line to say."""


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add the options of every command that reads descriptions."""
    group = parser.add_argument_group("xacro files")
    group.add_argument(
        "--xacro", action="store_true", help="expand the file first; *.xacro always is"
    )
    add_expansion(group)


def add_expansion(group: argparse._ArgumentGroup) -> None:
    """Add the options that say how to expand a xacro file, and where packages are."""
    group.add_argument(
        "--arg",
        dest="arguments",
        metavar="NAME:=VALUE",
        action="append",
        type=_pair(":="),
        default=[],
        help="the value of a <xacro:arg>; repeatable",
    )
    group.add_argument(
        "--package",
        dest="packages",
        metavar="NAME=DIR",
        action="append",
        type=_pair("="),
        default=[],
        help="where a package is, for $(find NAME) and package://NAME; repeatable",
    )
    group.add_argument(
        "--package-path",
        dest="package_paths",
        metavar="DIR",
        action="append",
        type=Path,
        default=[],
        help="a directory to look for packages in; repeatable",
    )
    group.add_argument(
        "--xacro-timeout",
        metavar="SECONDS",
        type=_seconds,
        default=TIMEOUT_SECONDS,
        help="the longest that expanding may take (default %(default)g)",
    )


class _pair:  # noqa: N801 stands as a type, like int
    """Two texts with a separator between them."""

    def __init__(self, separator: str) -> None:
        self._separator = separator

    def __call__(self, text: str) -> tuple[str, str]:
        name, found, value = text.partition(self._separator)
        if not found or not name:
            raise argparse.ArgumentTypeError(f"{text!r}; NAME{self._separator}… expected")
        return name, value


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 < value <= 3600.0:
        raise argparse.ArgumentTypeError(f"{text!r}; seconds, above 0 and at most 3600, expected")
    return value


def packages(given: argparse.Namespace) -> dict[str, Path]:
    """Return where packages are, by name."""
    return {name: Path(path) for name, path in given.packages}


def source(name: str, given: argparse.Namespace) -> Source:
    """Return a description, expanded if it is xacro.

    Raises:
        CommandError: it cannot be read.
        UrdfError: it cannot be expanded.
    """
    directory = Path.cwd() if name == STDIN else Path(name).parent
    label = label_of(name)
    try:
        if not (given.xacro or name.endswith(".xacro")):
            return Source(label, directory, read_text(name))
        text = expand(name, xacro_of(given))
    except (OSError, ValueError) as error:
        if isinstance(error, UrdfError):
            raise
        reason = error.strerror if isinstance(error, OSError) else error  # a NUL in a name
        raise CommandError(f"{label}: {reason or error}") from error
    return Source(f"{label} (expanded)", directory, text)


def label_of(name: str) -> str:
    """Return what a file is called where it is complained about."""
    return "<stdin>" if name == STDIN else name


def xacro_of(given: argparse.Namespace) -> Xacro:
    """Return how the command line wants xacro files to be expanded."""
    return Xacro(dict(given.arguments), packages(given), given.package_paths, given.xacro_timeout)


def robot_of(name: str, given: argparse.Namespace) -> Robot:
    """Return the robot of a file, read in full.

    Raises:
        CommandError: there is none; the line says where and why.
    """
    text = ""
    label = label_of(name)
    try:
        read = source(name, given)
        text, label = read.text, read.label
        return parse(text, EXTENDED)
    except UrdfError as error:
        raise CommandError(line_of(label, of_error(error, text))) from error


def line_of(label: str, finding: Finding) -> str:
    """Return a finding as compilers write theirs."""
    kind = "warning: " if finding.severity == "warning" else ""
    return f"{label}:{finding.line}:{finding.column}: {finding.rule}: {kind}{finding.sentence}"


def say(text: str) -> None:
    """Write a line to standard output."""
    sys.stdout.write(f"{text}\n")


def complain(text: str) -> None:
    """Write a line to standard error."""
    sys.stderr.write(f"{text}\n")


def write(text: str, output: str | None) -> None:
    """Write a text to a file, or to standard output.

    Raises:
        CommandError: the file cannot be written.
    """
    if output is None or output == STDIN:
        sys.stdout.write(text)
        return
    try:
        Path(output).write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise CommandError(f"{output}: {error.strerror or error}") from error


def as_json(value: object) -> str:
    """Return JSON for people and programs; what is not finite is null there."""
    return json.dumps(_plain(value), indent=2, ensure_ascii=False, allow_nan=False)


def _plain(value: object) -> object:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def table(rows: Iterable[Sequence[str]]) -> str:
    """Return rows as columns that are as wide as they need to be."""
    lines = list(rows)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )
