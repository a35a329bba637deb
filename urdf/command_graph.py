"""`graph`: the tree for Graphviz, or drawn by it."""

from __future__ import annotations

import argparse
import shutil
import subprocess
from collections.abc import Iterator
from typing import Final

from urdf.command import OK, CommandError, add_reading, robot_of, write
from urdf.model import Robot

DRAWING_SECONDS: Final = 60.0  # dot takes 1 s for 200 links


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("file", metavar="FILE", help="a description; - reads stdin")
    parser.add_argument("--svg", action="store_true", help="draw it; Graphviz' dot has to be there")
    parser.add_argument("-o", "--output", metavar="OUT", help="the file to write; stdout if none")
    add_reading(parser)


def run(given: argparse.Namespace) -> int:
    """Write the graph."""
    text = "\n".join(dot(robot_of(given.file, given))) + "\n"
    write(svg(text) if given.svg else text, given.output)
    return OK


def dot(robot: Robot) -> Iterator[str]:
    """Return the lines of a graph in the DOT language: links are boxes, joints are ellipses."""
    yield f"digraph {_quoted(robot.name)} {{"
    yield "  node [shape=box];"
    for link in robot.links:
        yield f"  {_quoted('link ' + link.name)} [label={_quoted(link.name)}];"
    yield "  node [shape=ellipse, color=blue, fontcolor=blue];"
    for joint in robot.joints_parent_first():
        node = _quoted("joint " + joint.name)
        yield f"  {node} [label={_quoted(joint.name + chr(10) + joint.type)}];"
        yield f"  {_quoted('link ' + joint.parent)} -> {node} -> {_quoted('link ' + joint.child)};"
    yield "}"


def _quoted(text: str) -> str:
    """Return a quoted identifier; what is no character of a line is written as one."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("\r", " ").replace("\n", "\\n").replace("\0", " ") + '"'


def svg(text: str) -> str:
    """Return a graph as Graphviz draws it.

    Raises:
        CommandError: it is not there, or it does not draw it.
    """
    program = shutil.which("dot")
    if program is None:
        raise CommandError("no program dot here; Graphviz expected, or the graph without --svg")
    try:
        done = subprocess.run(
            [program, "-Tsvg"],
            input=text,
            capture_output=True,
            encoding="utf-8",
            timeout=DRAWING_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CommandError(f"dot: {error}") from error
    if done.returncode:
        raise CommandError(f"dot: {done.stderr.strip() or f'status {done.returncode}'}")
    return done.stdout
