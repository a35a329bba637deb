"""Numbers in attributes, by the description format's own pattern.

Python's `float` would also take `1_000`, `nan`, `infinity` and digits of other scripts,
and `str.split` would also split at a no-break space, so neither is asked.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Final

from urdf.errors import quote

XML_SPACE: Final = " \t\r\n"

_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_TOKEN: Final = re.compile(r"[^ \t\r\n]+")
Vector = tuple[float, float, float]
Color = tuple[float, float, float, float]


def number(text: str) -> float:
    """Return the number that an attribute holds.

    Raises:
        ValueError: it does not hold exactly one finite decimal number; the message goes on
            from "must be one number, ".
    """
    token = text.strip(XML_SPACE)
    if not token:
        raise ValueError("but is empty")
    return _number(token)


def vector(text: str) -> Vector:
    """Return the three numbers that an attribute holds.

    Raises:
        ValueError: it does not hold exactly three finite decimal numbers; the message goes
            on from "must be three numbers, ".
    """
    tokens = _TOKEN.findall(text)
    if len(tokens) != 3:
        raise ValueError(f"but holds {len(tokens)} ({quote(text)})" if tokens else "but is empty")
    x, y, z = tokens
    return _number(x), _number(y), _number(z)


def color(text: str) -> Color:
    """Return the four numbers that an attribute holds: red, green, blue and opacity.

    Raises:
        ValueError: it does not hold exactly four finite decimal numbers; the message goes on
            from "must be four numbers, ".
    """
    tokens = _TOKEN.findall(text)
    if len(tokens) != 4:
        raise ValueError(f"but holds {len(tokens)} ({quote(text)})" if tokens else "but is empty")
    red, green, blue, alpha = map(_number, tokens)
    return red, green, blue, alpha


def _number(token: str) -> float:
    if _NUMBER.fullmatch(token) is None:
        raise ValueError(f"but holds {quote(token)}")
    value = float(token)
    if math.isinf(value):
        raise ValueError(f"but {quote(token)} is too large for a double")
    return value


HOW_MANY: Final[Mapping[Callable[[str], object], str]] = {
    number: "one number",
    vector: "three numbers",
    color: "four numbers",
}
