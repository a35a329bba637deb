"""A call on its way through the pool, and what the pool has to offer for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, Protocol

from gateway.envelope import response_line
from gateway.params import Parameter

Cost = Literal["quick", "solve"]
Description = Parameter  # one that a call reads as a robot's description

NOT_VERSIONED: Final = "/ik/validate"  # judges a description that is not stored


class Caller(Protocol):
    """Who hears the answer to a call."""

    def answered(self, call: Call, line: bytes) -> None:
        """Take the answer, a line without its newline."""


class Call:
    """One `/ik/*` call.

    The pool calls either `done` or `fail`, once, unless it was told to `cancel`.

    Attributes:
        client: who asks; calls are shared out fairly between clients.
        service: the name as it came.
        id: the call's id, ABSENT if it has none.
        line: the request, without its newline.
        cost: "quick", or "solve" for a search that may take long.
        begun: when the line was taken, in the event loop's time.
        deadline: when the answer has to be there, in the event loop's time.
        description: the parameter that it reads, as it was when the line was taken;
            None if that was not set, or none is read.
        number: the pool's, to tell its calls apart.
        strikes: how many workers died over it.
        weight: the bytes that it holds on to: its line, and a description no other call has.
        items: of a batch, which may be divided among workers; 0 for any other call.
        part, parts: which part of a batch it is, and of how many.
    """

    __slots__ = (
        "begun",
        "client",
        "cost",
        "deadline",
        "description",
        "id",
        "items",
        "line",
        "number",
        "part",
        "parts",
        "service",
        "strikes",
        "weight",
    )

    def __init__(
        self,
        client: Caller,
        service: str,
        id_: object,
        line: bytes,
        cost: Cost,
        deadline: float,
        description: Description | None,
    ) -> None:
        self.client = client
        self.service = service
        self.id = id_
        self.line = line
        self.cost: Cost = cost
        self.deadline = deadline
        self.description = description
        self.begun = 0.0
        self.number = 0
        self.strikes = 0
        self.weight = len(line)
        self.items = 0
        self.part = 0
        self.parts = 1

    def done(self, line: bytes) -> None:
        """Answer with a finished line, without its newline."""
        self.client.answered(self, line)

    def fail(self, code: str, sentence: str) -> None:
        """Answer `result:false`."""
        values: dict[str, object] = {"code": code}
        if self.service != NOT_VERSIONED:
            values["version"] = self.description.version if self.description else 0
        self.done(response_line(self.service, self.id, values, code, sentence))


@dataclass(frozen=True, slots=True)
class PoolFigures:
    """A pool at one moment, and what has happened to it since its start."""

    workers: int  # as many as wanted
    alive: int  # of them serve
    restarted: int  # were replaced after they had died
    waiting: int  # calls that no worker has yet
    pending: int  # calls waiting or under way
    refused_descriptions: int  # of robots


class CallPool(Protocol):
    """Where calls are worked on; none of it blocks."""

    def start(self) -> None:
        """Begin; calls may be submitted at once."""

    async def stop(self, seconds: float) -> None:
        """Answer what is under way, for so long, and end."""

    def submit(self, call: Call) -> None:
        """Have a call answered."""

    def cancel(self, client: object) -> None:
        """Forget the calls of a client that is gone."""

    def give_up(self) -> None:
        """Answer all that is not answered yet: the time for it is up."""

    def figures(self) -> PoolFigures:
        """Return what can be watched."""

    def describe(self, description: Description | None) -> None:
        """Take note of the newest `robot_description`."""
