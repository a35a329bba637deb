"""One client's subscriptions: what it asked of each, and what waits while it does not read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from gateway.envelope import Message
from gateway.errors import ABSENT, LineError, show

MAX_THROTTLE_MS: Final = 3_600_000.0  # an hour between two messages is no subscription any more


KEPT_BYTES: Final = 64 * 1024 * 1024  # of topics' newest messages, for a client that reads slowly


class Outlet(Protocol):
    """What carries the lines to the client."""

    @property
    def full(self) -> bool:
        """Whether the client is behind with its reading."""

    @property
    def backlog(self) -> int:
        """How many bytes it has not read yet."""

    def send(self, line: bytes) -> None:
        """Take a line, given without its newline."""

    def finish(self) -> None:
        """Take no more lines from the client; close once all is sent."""


class Deliveries:
    """Topics' messages on their way to a client: if it is behind, only the newest of each."""

    def __init__(self, outlet: Outlet, clock: Callable[[], float]) -> None:
        self._outlet = outlet
        self._clock = clock
        self._throttles: dict[str, Throttle] = {}  # by topic
        self._kept: dict[str, bytes] = {}  # by topic, the longest unchanged first
        self._kept_bytes = 0

    def subscribe(self, topic: str, throttle: Throttle | None) -> None:
        """Keep a topic to a rate from now on, or to none."""
        self._throttles.pop(topic, None)
        if throttle is not None:
            self._throttles[topic] = throttle

    def unsubscribe(self, topic: str) -> None:
        """Forget a topic."""
        self._throttles.pop(topic, None)
        self._kept_bytes -= len(self._kept.pop(topic, b""))

    def deliver(self, topic: str, line: bytes) -> None:
        """Send a message, or keep it until there is room."""
        if topic in self._throttles and not self._throttles[topic].passes(self._clock()):
            return
        if not self._outlet.full:
            self._outlet.send(line)
            return
        self._kept_bytes += len(line) - len(self._kept.pop(topic, b""))
        self._kept[topic] = line
        while self._kept_bytes > KEPT_BYTES:
            self._kept_bytes -= len(self._kept.pop(next(iter(self._kept))))

    def drained(self) -> None:
        """Send what was kept, as far as there is room."""
        while self._kept and not self._outlet.full:
            line = self._kept.pop(next(iter(self._kept)))
            self._kept_bytes -= len(line)
            self._outlet.send(line)


class Throttle:
    """Lets a message pass if the one before it was long enough ago."""

    __slots__ = ("_interval_seconds", "_next")

    def __init__(self, interval_seconds: float) -> None:
        self._interval_seconds = interval_seconds
        self._next = float("-inf")

    def passes(self, now: float) -> bool:
        """Whether a message passes; the time is in seconds."""
        if now < self._next:
            return False
        self._next = now + self._interval_seconds
        return True


def read_throttle(message: Message) -> Throttle | None:
    """Return what keeps a subscription to its `throttle_rate`: milliseconds between messages.

    Raises:
        LineError: it is no such number.
    """
    rate = message.get("throttle_rate")
    if rate is None:
        return None
    if (
        isinstance(rate, bool)
        or not isinstance(rate, int | float)
        or not 0 <= rate <= MAX_THROTTLE_MS
    ):
        raise LineError(
            f"'throttle_rate' of 'subscribe' is {show(rate)}; "
            f"milliseconds from 0 to {MAX_THROTTLE_MS:.0f} expected",
            message.get("id", ABSENT),
        )
    return Throttle(rate / 1000.0) if rate else None


def remarks(message: Message) -> str:
    """Return what of a `subscribe` has no effect, as the end of a sentence."""
    found = []
    if message.get("fragment_size") is not None:
        found.append("messages come whole, without 'fragment_size'")
    if message.get("compression") not in (None, "none"):
        found.append("messages come as plain JSON, without 'compression'")
    if message.get("queue_length"):
        found.append("only the newest message waits for a slow reader, whatever 'queue_length'")
    return "".join(f"; {remark}" for remark in found)
