"""What the sessions of all clients share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from gateway.calls import CallPool
from gateway.params import Params
from gateway.providers import Providers
from gateway.tally import Tally
from gateway.topics import Topics


@dataclass(frozen=True, slots=True)
class Hub:
    """The one of each."""

    params: Params
    topics: Topics
    providers: Providers
    pool: CallPool
    max_line_bytes: int
    clock: Callable[[], float]  # seconds; every deadline is in it
    token: bytes = b""  # that clients have to show, if there is one
    tally: Tally = field(default_factory=Tally)
