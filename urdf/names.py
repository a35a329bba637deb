"""Names in sentences: several of them, and the one that was perhaps meant."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence
from typing import Final

from urdf.errors import quote

LISTED: Final = 4  # names of several; more of them help nobody
# The closest name is looked for among so many, of such a length. A comparison costs more than
# the square of the length: 2,000 names of 200 chars, all alike, would take seconds, these 0.1 s.
COMPARED_NAMES: Final = 500
COMPARED_CHARS: Final = 48


def listed(names: Sequence[str]) -> str:
    """Return some names in quotes, and how many more there are."""
    text = ", ".join(quote(name) for name in names[:LISTED])
    return text if len(names) <= LISTED else f"{text} and {len(names) - LISTED} more"


def closest(name: str, names: Collection[str], most_chars: int = COMPARED_CHARS) -> str:
    """Return a question with the name that one of these may have been, or nothing.

    Args:
        name: what there is not.
        names: what there is.
        most_chars: longer names are not compared.
    """
    if len(names) <= COMPARED_NAMES and len(name) <= most_chars:
        known = sorted(known for known in names if len(known) <= most_chars)
        if close := difflib.get_close_matches(name, known, 1):
            return f"did you mean {quote(close[0])}?"
    return ""
