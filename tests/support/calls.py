"""Call the `/ik/*` services without a socket, and hold every answer to what all of them share."""

from __future__ import annotations

from typing import Any

import orjson

from kinematics.descriptions import Descriptions, Loaded
from kinematics.frames import OUTCOMES
from kinematics.services import begin

SLICE_SECONDS = 0.0005


def load(value: object, version: int = 3) -> Loaded:
    """Return a description as a worker holds it."""
    return Descriptions().load(1, version, orjson.dumps(value))


def response(line: bytes, loaded: Loaded) -> dict[str, Any]:
    """Return the decoded answer to a line."""
    started = begin(line, loaded)
    if not isinstance(started, tuple):
        ticks = iter(range(10**9))
        while not started.run(SLICE_SECONDS, lambda: next(ticks) * SLICE_SECONDS):
            pass
        started = started.finish()
    outcome, answer = started
    assert b"\n" not in answer
    decoded: dict[str, Any] = orjson.loads(answer)
    assert decoded["result"] is (not decoded["values"].get("code"))
    assert OUTCOMES[outcome] == decoded["values"].get("code", "")
    assert (decoded["status"] == "") is decoded["result"]
    return decoded


def call(service: str, args: object, loaded: Loaded) -> dict[str, Any]:
    """Return the values of the answer to `/ik/<service>`, which must be `result:true`."""
    answer = response(_line(service, args), loaded)
    assert answer["result"], answer
    values: dict[str, Any] = answer["values"]
    return values


def refusal(service: str, args: object, loaded: Loaded) -> tuple[str, str]:
    """Return code and status of the answer to `/ik/<service>`, which must be `result:false`."""
    answer = response(_line(service, args), loaded)
    assert not answer["result"], answer
    if service != "validate":
        assert answer["values"]["version"] == loaded.version
    return answer["values"]["code"], answer["status"]


def _line(service: str, args: object) -> bytes:
    return orjson.dumps({"op": "call_service", "service": f"/ik/{service}", "args": args})
