"""What reading a robot description can end in: one error, and kinds of it."""

from __future__ import annotations

from typing import ClassVar, Final

SHOWN_CHARS: Final = 80  # of a name or value from the text; a 1 MiB name must not fill a log


class UrdfError(ValueError):
    """A description breaks a rule; the sentence says where, what came and what would be right.

    Attributes:
        line: line of the element in the text as given, from 1; None if it has no place.
        column: column of the element, from 1; None if it has no place.
        rule: what kind of rule is broken, in one word.
    """

    rule: ClassVar[str] = "element"

    def __init__(self, sentence: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(sentence)
        self.line = line
        self.column = column


class XmlError(UrdfError):
    """The text is not well-formed XML, or the XML of something else."""

    rule = "xml"


class TreeError(UrdfError):
    """Links and joints do not make one tree of bodies with names of their own."""

    rule = "tree"


class UnsupportedJointTypeError(UrdfError):
    """A joint has a type that the reading does not know."""

    rule = "joint-type"


class MimicError(UrdfError):
    """A joint imitates itself, by way of others or not, or one that there is not."""

    rule = "mimic"


class InertialError(UrdfError):
    """A link's mass or inertia is missing, malformed or that of no body."""

    rule = "inertial"


class XacroError(UrdfError):
    """A xacro file cannot be expanded, or takes too much time or memory for it."""

    rule = "xacro"


def quote(text: str) -> str:
    """Return text from a description for use in a sentence: bounded, printable, in quotes."""
    shown = text if len(text) <= SHOWN_CHARS else text[: SHOWN_CHARS - 1] + "…"
    return repr(shown)
