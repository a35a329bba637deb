"""The command line: `python -m urdf COMMAND FILE`, or `robot-urdf COMMAND FILE`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Final

from urdf import (
    command_check,
    command_diff,
    command_expand,
    command_format,
    command_graph,
    command_info,
    command_tree,
)
from urdf.command import REFUSED, TROUBLE, CommandError, complain, label_of, line_of
from urdf.errors import UrdfError
from urdf.finding import of_error

INTERRUPTED: Final = 130  # 128 + SIGINT, as shells say it
COMMANDS: Final = {
    "check": (command_check, "the verdict on descriptions, and what is odd about them"),
    "info": (command_info, "joints, limits and masses as tables"),
    "tree": (command_tree, "links and joints as a drawing"),
    "graph": (command_graph, "the tree for Graphviz, or drawn by it"),
    "expand": (command_expand, "the URDF that a xacro file makes"),
    "diff": (command_diff, "where two robots differ in what they say"),
    "format": (command_format, "the same description, laid out evenly"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return the exit status."""
    given = _parser().parse_args(arguments)
    try:
        status: int = COMMANDS[given.command][0].run(given)
        sys.stdout.flush()
    except UrdfError as error:
        complain(line_of(label_of(given.file), of_error(error, "")))
    except CommandError as error:
        complain(f"{error}")
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever reads has enough; what is still buffered has nowhere to go at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    else:
        return status
    return TROUBLE if given.command == "diff" else REFUSED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="robot-urdf",
        description="Look at robot descriptions (URDF, xacro).",
        epilog="The status is 0 if all is well, 1 if not, 2 for a wrong command line.",
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, (command, help_text) in COMMANDS.items():
        command.options(
            commands.add_parser(name, help=help_text, description=help_text, allow_abbrev=False)
        )
    return parser


if __name__ == "__main__":
    sys.exit(main())
