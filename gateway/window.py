"""The calls that one worker holds, and whether it may have one more."""

from __future__ import annotations

from collections import Counter
from typing import Final

from gateway.calls import Call

QUICK_CALLS: Final = 64  # hides the trip through the gateway, holds little back at a death
QUICK_BYTES: Final = 256 * 1024  # of those, with one more on top: costly ones are long ones
SOLVES: Final = 1024  # searches under way at once, each a few KB
SOLVES_PER_CLIENT: Final = 64  # of those: leaves room for other clients' searches to begin
LINE_BYTES: Final = 32 * 1024 * 1024  # of all calls, with one more on top


class Window:
    """Calls under way, counted by what they cost."""

    def __init__(self) -> None:
        self._calls: dict[int, Call] = {}
        self._weights: dict[int, int] = {}
        self._bytes = 0
        self._quick_bytes = 0
        self._solves = 0
        self._solves_of: Counter[object] = Counter()

    def __len__(self) -> int:
        return len(self._calls)

    def has_room(self, cost: str) -> bool:
        """Whether one more call of this cost may go."""
        if self._bytes > LINE_BYTES:
            return False
        if cost == "solve":
            return self._solves < SOLVES
        quick = len(self._calls) - self._solves
        return quick < QUICK_CALLS and self._quick_bytes <= QUICK_BYTES

    def may_solve_for(self, client: object) -> bool:
        """Whether this client may have one more search under way here."""
        return self._solves_of[client] < SOLVES_PER_CLIENT

    def add(self, call: Call, weight: int) -> None:
        """Count a call in; its weight is what the worker has to read for it, bytes."""
        self._calls[call.number] = call
        self._weights[call.number] = weight
        self._bytes += weight
        if call.cost == "solve":
            self._solves += 1
            self._solves_of[call.client] += 1
        else:
            self._quick_bytes += weight

    def take(self, number: int) -> Call | None:
        """Count a call out and return it; None if it is not there (any more)."""
        call = self._calls.pop(number, None)
        if call is None:
            return None
        weight = self._weights.pop(number)
        self._bytes -= weight
        if call.cost != "solve":
            self._quick_bytes -= weight
            return call
        self._solves -= 1
        self._solves_of[call.client] -= 1
        if not self._solves_of[call.client]:
            del self._solves_of[call.client]
        return call

    def get(self, number: int) -> Call | None:
        """Return a call without counting it out."""
        return self._calls.get(number)

    def all(self) -> list[Call]:
        """Return the calls, oldest first."""
        return list(self._calls.values())
