"""`check`: the verdict on descriptions, one line for each thing to look at."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from urdf.command import (
    OK,
    REFUSED,
    CommandError,
    add_reading,
    as_json,
    label_of,
    line_of,
    packages,
    say,
    source,
)
from urdf.errors import UrdfError, quote
from urdf.finding import ERROR, Finding, findings, leftovers, of_error
from urdf.meshes import Places, missing_meshes
from urdf.model import EXTENDED, STRICT, Robot
from urdf.parser import parse


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("files", metavar="FILE", nargs="+", help="a description; - reads stdin")
    parser.add_argument(
        "--extended",
        action="store_true",
        help="read bodies, collisions, motors, mimics and further joint types too",
    )
    parser.add_argument(
        "--strict-inertial",
        action="store_true",
        help="as --extended, and refuse a moving body whose mass and inertia cannot be",
    )
    parser.add_argument("--no-warnings", action="store_true", help="tell of errors alone")
    parser.add_argument(
        "--warnings-as-errors", action="store_true", help="a warning too makes the status 1"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")
    add_reading(parser)


def run(given: argparse.Namespace) -> int:
    """Check the files; return 1 if one is refused or cannot be read."""
    reports = []
    failed = False
    for name in given.files:
        label, robot, found = _checked(name, given)
        errors = sum(finding.severity == ERROR for finding in found)
        failed |= errors > 0 or (given.warnings_as_errors and len(found) > 0)
        if given.format == "text":
            for finding in found:
                say(line_of(label, finding))
            if robot is not None:
                say(f"{label}: {_summary(robot)}")
        reports.append(_report(label, robot, found))
    if given.format == "json":
        say(as_json(reports))
    return REFUSED if failed else OK


def _checked(name: str, given: argparse.Namespace) -> tuple[str, Robot | None, tuple[Finding, ...]]:
    """Return what a file is called, its robot if it is one, and all there is to say."""
    label, text = label_of(name), ""
    robot = None
    found: list[Finding] = []
    try:
        read = source(name, given)
        label, text = read.label, read.text
        profile = EXTENDED if given.extended or given.strict_inertial else STRICT
        robot = parse(text, profile, strict_inertial=given.strict_inertial)
    except UrdfError as error:
        found.append(of_error(error, text))
    except CommandError as error:
        found.append(Finding(1, 1, ERROR, "file", str(error).removeprefix(f"{label}: ")))
    else:
        found += findings(robot)
        found += missing_meshes(robot, Places(read.directory, packages(given), given.package_paths))
    found += leftovers(text)
    if given.no_warnings:
        found = [finding for finding in found if finding.severity == ERROR]
    return label, robot, tuple(sorted(found, key=lambda one: (one.line, one.column)))


def _summary(robot: Robot) -> str:
    movable = sum(joint.movable for joint in robot.joints)
    return (
        f"ok: robot {quote(robot.name)}, {_counted(len(robot.links), 'link')}, "
        f"{_counted(len(robot.joints), 'joint')} ({movable} movable), "
        f"root {quote(robot.root_link)}"
    )


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _report(label: str, robot: Robot | None, found: tuple[Finding, ...]) -> dict[str, object]:
    return {
        "file": label,
        "accepted": robot is not None,
        "findings": [asdict(finding) for finding in found],
    }
