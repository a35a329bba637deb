"""One call that is divided among the workers, and put together again in order."""

from __future__ import annotations

from typing import Final

import orjson

from gateway.calls import Call
from gateway.envelope import response_line
from kinematics.frames import PART_MARK, join_parts

SMALLEST_PART: Final = 8  # items; for fewer the way to another worker is longer than the work


class PartCall(Call):
    """A part of a batch, for one worker; the whole hears of it."""

    __slots__ = ("whole",)

    def __init__(self, whole: Whole, part: int, parts: int) -> None:
        call = whole.call
        super().__init__(
            *(call.client, call.service, call.id, call.line, call.cost, call.deadline),
            call.description,
        )
        self.whole = whole
        self.part = part
        self.parts = parts

    def done(self, line: bytes) -> None:
        """Hand over this part, or the refusal that a worker wrote."""
        self.whole.take(self.part, line)

    def fail(self, code: str, sentence: str) -> None:
        """Refuse the whole."""
        self.whole.fail(code, sentence)


class Whole:
    """A batch whose parts are under way."""

    def __init__(self, call: Call, parts: int, max_line_bytes: int) -> None:
        self.call = call
        self.calls = [PartCall(self, part, parts) for part in range(parts)]
        self._max_line_bytes = max_line_bytes
        self._parts: list[bytes] = [b""] * parts
        self._missing = parts
        self._bytes = 0
        self._answered = False

    def take(self, part: int, answer: bytes) -> None:
        """Take a part's answer; the first refusal, or the last part, answers the call."""
        if self._answered:
            return
        if answer[0] != PART_MARK:
            self._answered = True
            self.call.done(answer)
            return
        self._bytes += len(answer)
        if self._bytes > self._max_line_bytes:
            self.fail(
                "limit_exceeded",
                f"the answer would have more than {self._max_line_bytes} bytes, the most that "
                "fit a line (--max-line-bytes); send fewer items",
            )
            return
        self._parts[part] = answer
        self._missing -= 1
        if not self._missing:
            self._answered = True
            self.call.done(self._line())

    def fail(self, code: str, sentence: str) -> None:
        """Refuse the call, once."""
        if not self._answered:
            self._answered = True
            self.call.fail(code, sentence)

    def _line(self) -> bytes:
        """Return the answer."""
        values = orjson.Fragment(join_parts(self.call.service, self._parts))
        return response_line(self.call.service, self.call.id, values)


def parts_of(call: Call, workers: int) -> int:
    """Return in how many parts a call is to be divided; 1 for a call that is not."""
    return max(1, min(workers, call.items // SMALLEST_PART))
