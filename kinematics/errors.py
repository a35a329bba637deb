"""The error that every request about a robot can end in, and how it offers a near name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Final

SHOWN_CHARS: Final = 80  # of a name in a sentence
COMPARED_NAMES: Final = 500  # for the closest one; a larger robot is not worth the wait
COMPARED_CHARS: Final = 100  # of a name that is looked for; comparing is quadratic in it


class KinematicsError(ValueError):
    """A request that cannot be answered: a stable code, and a sentence to act on."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


def quote(name: str) -> str:
    """Return a name for use in a sentence: bounded, printable, in quotes."""
    return repr(name if len(name) <= SHOWN_CHARS else name[: SHOWN_CHARS - 1] + "…")


def unknown(kind: str, name: str, known: Iterable[str]) -> KinematicsError:
    """Return the error for a name that a robot does not have, offering the closest it has.

    Args:
        kind: "link" or "joint"; the code is `unknown_` and that.
        name: what was asked for.
        known: the names there are.
    """
    names = list(known)
    hint = f"the robot has {len(names)}; /ik/robot_info lists them"
    if len(names) <= COMPARED_NAMES and len(name) <= COMPARED_CHARS:
        short = [other for other in names if len(other) <= COMPARED_CHARS]
        if close := difflib.get_close_matches(name, short, 1):
            hint = f"did you mean {quote(close[0])}?"
    return KinematicsError(f"unknown_{kind}", f"no {kind} is named {quote(name)}; {hint}")
