"""A call on its way through the pool, and the robot description it is about."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

Cost = Literal["quick", "solve"]

_serials = itertools.count(1)


@dataclass(frozen=True, slots=True, eq=False)
class Description:
    """One version of a parameter that is read as a robot; what workers know it by is `serial`."""

    name: str
    version: int
    value: bytes  # the parameter's JSON value, encoded
    serial: int = field(default_factory=lambda: next(_serials))


@dataclass(slots=True, eq=False)
class Call:
    """One call for the pool; it hears exactly once, through `done` or `fail`."""

    client: object  # whose turn it is when calls have to wait
    line: bytes  # the request as it came, without its newline
    cost: Cost
    deadline: float  # of the loop's clock: the caller is told of a timeout then
    description: Description | None  # the newest when the line was taken; None: not set
    done: Callable[[bytes], None]  # takes the response line, without its newline
    fail: Callable[[str, str], None]  # takes a code and a sentence
    number: int = 0  # the pool's own
    strikes: int = 0  # workers that died over it
