"""The error that every request about a robot can end in, and how it offers a near name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from urdf.errors import quote
from urdf.names import closest

__all__ = ["KinematicsError", "quote", "unknown"]

COMPARED_CHARS: Final = 100  # of a name that is looked for; comparing is quadratic in it


class KinematicsError(ValueError):
    """A request that cannot be answered: a stable code, and a sentence to act on."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


def unknown(kind: str, name: str, known: Iterable[str]) -> KinematicsError:
    """Return the error for a name that a robot does not have, offering the closest it has.

    Args:
        kind: "link" or "joint"; the code is `unknown_` and that.
        name: what was asked for.
        known: the names there are.
    """
    names = list(known)
    hint = closest(name, names, COMPARED_CHARS)
    if not hint:
        hint = f"the robot has {len(names)}; /ik/robot_info lists them"
    return KinematicsError(f"unknown_{kind}", f"no {kind} is named {quote(name)}; {hint}")
