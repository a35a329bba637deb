"""What is counted: calls by service and outcome, how long they took, bytes, clients.

Plain numbers, so that a call costs well under a microsecond; whoever reads them gives
them a form.
"""

from __future__ import annotations

from bisect import bisect_left
from math import inf
from typing import Final

from kinematics.frames import OUTCOMES

BUCKETS_SECONDS: Final = (  # upper edges; from a quick call's tenth to the longest search
    *(50e-6, 100e-6, 200e-6, 500e-6, 1e-3, 2e-3, 5e-3, 10e-3, 20e-3, 50e-3),
    *(0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0),
)
OK: Final = "ok"
OWN_CODES: Final = ("unknown_service", "overloaded", "unauthorized")  # that no worker says
FAILED: Final = "failed"  # with a code that is not the gateway's own
CODES: Final = {code.encode(): code for code in (*OUTCOMES[1:], *OWN_CODES)}
CLIENTS: Final = "(client)"  # stands for all services that are not the gateway's own
RESULT: Final = b',"result":'  # a quote inside a JSON string is escaped: it matches only a key
PLAIN_SUCCESS: Final = b',"result":true,"status":""}'  # how nearly every answer ends
CODE: Final = b'"code":"'
SEARCHED_BYTES: Final = 65_536  # before the result, for the code: a failed call has no more to say
NEVER: Final = inf  # began never: such a call took no time


class Latency:
    """How long the calls of one service took."""

    __slots__ = ("counts", "seconds")

    def __init__(self) -> None:
        self.counts = [0] * (len(BUCKETS_SECONDS) + 1)  # by bucket, each call in one
        self.seconds = 0.0  # of all together


class Tally:
    """The counts of one gateway, from its start."""

    def __init__(self, *, on: bool = False) -> None:
        """Begin at zero.

        Args:
            on: whether calls and bytes are counted; clients always are.
        """
        self.on = on
        self.clients = 0
        self.bytes_in = 0
        self.bytes_out = 0
        self.calls: dict[tuple[str, str], int] = {}  # by service and outcome
        self.latencies: dict[str, Latency] = {}  # by service

    def count(self, service: str, outcome: str, seconds: float) -> None:
        """Count a call.

        Args:
            service: one of the gateway's own, or CLIENTS.
            outcome: OK, or one of CODES, or FAILED.
            seconds: how long the answer took.
        """
        key = (service, outcome)
        calls = self.calls
        calls[key] = calls.get(key, 0) + 1
        latency = self.latencies.get(service)
        if latency is None:
            latency = self.latencies[service] = Latency()
        if seconds > 0.0:
            latency.seconds += seconds
        latency.counts[bisect_left(BUCKETS_SECONDS, seconds)] += 1


def outcome_of(line: bytes) -> str:
    """Return "ok", the code, or "failed", of a `service_response` that this process sends."""
    if line.endswith(PLAIN_SUCCESS):
        return OK
    end = line.rfind(RESULT)
    if line.startswith(b"true", end + len(RESULT)):
        return OK
    start = line.rfind(CODE, max(0, end - SEARCHED_BYTES), end)
    if start < 0:
        return FAILED
    start += len(CODE)
    return CODES.get(line[start : line.find(b'"', start)], FAILED)
