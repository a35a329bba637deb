"""How much of one client's work is under way, and whether that is enough for now."""

from __future__ import annotations

from typing import Final

REQUEST_BYTES: Final = 8 * 1024 * 1024  # of request lines: some long ones, or any number of usual
ANSWER_BYTES: Final = 64 * 1024 * 1024  # of answers to come, should the client read none of them
FORGETTING: Final = 6  # an answer's size counts for about 2**6 further answers


class InFlight:
    """Calls of one kind that a client waits for.

    What the answers will measure is not known before they come. They are taken to be
    like those before them: the longest, forgotten slowly.
    """

    __slots__ = ("_answer_bytes", "_limit", "_request_bytes", "count", "full")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._request_bytes = 0
        self._answer_bytes = 0
        self.count = 0
        self.full = False  # the client's next line has to wait

    def add(self, request_bytes: int) -> None:
        """Count a call in."""
        self.count += 1
        self._request_bytes += request_bytes
        self._weigh()

    def remove(self, request_bytes: int, answer_bytes: int) -> None:
        """Count an answered call out."""
        self.count -= 1
        self._request_bytes -= request_bytes
        faded = self._answer_bytes - (self._answer_bytes >> FORGETTING)
        self._answer_bytes = max(answer_bytes, faded)
        self._weigh()

    def _weigh(self) -> None:
        self.full = (
            self.count >= self._limit
            or self._request_bytes > REQUEST_BYTES
            or self.count * self._answer_bytes > ANSWER_BYTES
        )
