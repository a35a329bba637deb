"""What the gateway itself has to ask of a worker, for parts of it that publish what they learn."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final

import orjson

from gateway.calls import Call, Description
from gateway.errors import ABSENT, ServiceError
from gateway.hub import Hub

ANSWER_SECONDS: Final = 10.0  # as long as a quick call of a client may take
REFUSAL: Final = b'{"op":"service_response"'  # no other answer to these questions begins so
TRANSIENT: Final = frozenset({"overloaded", "timeout"})  # codes that another try may not meet


class _Question:
    """Hears the answer."""

    def __init__(self, answer: asyncio.Future[bytes]) -> None:
        self._answer = answer

    def answered(self, call: Call, line: bytes) -> None:
        """Take it."""
        del call
        if not self._answer.done():
            self._answer.set_result(line)


async def ask(
    hub: Hub, service: str, args: Mapping[str, object], description: Description
) -> bytes:
    """Return a worker's answer about a robot.

    Args:
        hub: where the pool is.
        service: one of those that clients cannot call.
        args: what it takes.
        description: the robot's.

    Raises:
        ServiceError: there is no such answer; if its code is TRANSIENT, not now.
    """
    answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
    line = orjson.dumps({"op": "call_service", "service": service, "args": args})
    if len(line) > hub.max_line_bytes:
        raise ServiceError(
            "limit_exceeded",
            f"the request takes {len(line)} bytes; at most {hub.max_line_bytes} fit a line "
            "(--max-line-bytes)",
        )
    question = _Question(answer)
    deadline = hub.clock() + ANSWER_SECONDS
    hub.pool.submit(Call(question, service, ABSENT, line, "quick", deadline, description))
    try:
        reply = await answer
    except asyncio.CancelledError:
        hub.pool.cancel(question)
        raise
    if reply.startswith(REFUSAL):
        refusal = orjson.loads(reply)
        raise ServiceError(str(refusal["values"]["code"]), str(refusal["status"]))
    return reply
