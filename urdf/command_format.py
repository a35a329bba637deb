"""`format`: the same description, laid out evenly."""

from __future__ import annotations

import argparse

from urdf.command import OK, REFUSED, CommandError, add_reading, complain, label_of, source, write
from urdf.document import BEFORE_THE_DECLARATION, READ, read
from urdf.errors import UrdfError
from urdf.files import STDIN
from urdf.layout import lay_out
from urdf.model import Robot
from urdf.parser import parse


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("file", metavar="FILE", help="a description; - reads stdin")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("-o", "--output", metavar="OUT", help="the file to write; stdout if none")
    where.add_argument("--in-place", action="store_true", help="write it into the file itself")
    where.add_argument(
        "--check", action="store_true", help="write nothing; the status is 1 if it would change"
    )
    add_reading(parser)


def run(given: argparse.Namespace) -> int:
    """Write the text; or, with --check, say whether it would be another."""
    read_in = source(given.file, given)
    text = formatted(read_in.text)
    if given.check:
        if text == read_in.text:
            return OK
        complain(f"{read_in.label}: would be laid out differently")
        return REFUSED
    if given.in_place and (given.file == STDIN or read_in.label != label_of(given.file)):
        raise CommandError("--in-place writes into a URDF file; a file expected, not xacro")
    if given.in_place and text == read_in.text:
        return OK
    write(text, given.file if given.in_place else given.output)
    return OK


def formatted(text: str) -> str:
    """Return a description, laid out evenly; it says the same.

    Raises:
        UrdfError: it is not well-formed XML.
    """
    read(text, READ)
    laid_out = lay_out(text.lstrip(BEFORE_THE_DECLARATION))
    if _meaning(text) != _meaning(laid_out):
        raise CommandError("laid out, it would say something else; nothing is written")
    return laid_out


def _meaning(text: str) -> Robot | None:
    """Return the robot of a text, None where it is refused."""
    try:
        return parse(text)
    except UrdfError:
        return None
