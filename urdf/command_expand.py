"""`expand`: the URDF text that a xacro file makes."""

from __future__ import annotations

import argparse

from urdf.command import OK, add_expansion, source, write


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("file", metavar="FILE", help="a xacro file; - reads stdin")
    parser.add_argument("-o", "--output", metavar="OUT", help="the file to write; stdout if none")
    add_expansion(parser.add_argument_group("expansion"))
    parser.set_defaults(xacro=True)


def run(given: argparse.Namespace) -> int:
    """Write the text."""
    text = source(given.file, given).text
    write(text if text.endswith("\n") else text + "\n", given.output)
    return OK
