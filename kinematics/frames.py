"""Frames on the socket pair between the gateway and a worker.

One frame is a little-endian header followed by its payload::

    u32 length of the payload | u8 kind | u64 number | payload

What `number` and the payload mean depends on the kind, see `Kind`. Both ends of
the socket pair run on one machine, so times are values of the system-wide
monotonic clock. This module needs the standard library alone: the gateway's own
process imports it.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from enum import IntEnum
from typing import Final, NamedTuple

HEADER: Final = struct.Struct("<IBQ")
DESCRIPTION_HEAD: Final = struct.Struct("<Q")
CALL_HEAD: Final = struct.Struct("<dQHH")
PART_HEAD: Final = struct.Struct("<BIQ")  # PART_MARK, length of the head, items solved
PART_MARK: Final = 0  # no line begins with it
ARRAY_HEAD: Final = struct.Struct("<I")
MARK: Final = struct.Struct("<Q")  # what a worker is at, in memory shared with the gateway
MARK_DESCRIPTION: Final = 1 << 63  # set in a mark: its number is a description's serial

OUTCOMES: Final = (  # what an ANSWER frame's outcome byte counts: "" is result true
    "",
    "invalid_request",
    "not_set",
    "invalid_robot_description",
    "unknown_link",
    "unknown_joint",
    "no_solution",
    "unreachable",
    "timeout",
    "worker_failed",
    "limit_exceeded",
)

BATCH_ARRAYS: Final = {  # service -> the arrays of its answer, and whether it counts what was solved
    "/ik/solve_batch": (("results",), True),
    "/ik/forward_kinematics_batch": (("position", "orientation"), False),
}
DESCRIPTION_PARAM: Final = "robot_description"  # that holds the robot, unless a call names another


class Kind(IntEnum):
    """What a frame says; those up to STOP go to a worker, the others come from it."""

    DESCRIPTION = 1  # number: serial; payload: u64 version, then the parameter's JSON value
    CALL = 2  # number: call; payload: f64 deadline, u64 serial (0: not set), u16 which part of a
    # batch, u16 of how many, the request line
    PING = 3  # number: any; the worker answers PONG when it gets to it
    FORGET = 4  # number: serial of a description that no later call names
    CANCEL = 5  # number: call whose answer nobody waits for
    STOP = 6  # finish what is in hand, then leave
    READY = 7  # payload: "compiled" or "interpreted"
    ANSWER = 8  # number: call; payload: u8 outcome (an index into OUTCOMES), the response line
    LOADED = 9  # number: serial; payload: JSON of what came of that description
    FAULT = 10  # number: call; payload: the traceback of an error that is ours
    PONG = 11


class Frame(NamedTuple):
    """One whole frame."""

    kind: int
    number: int
    payload: bytes


class FrameError(ValueError):
    """The other end sent what cannot be a frame."""


def pack(kind: Kind, number: int, payload: bytes = b"") -> bytes:
    """Return the bytes of one frame."""
    return HEADER.pack(len(payload), kind, number) + payload


def pack_description(serial: int, version: int, value: bytes) -> bytes:
    """Return the frame that hands a worker one version of a robot description."""
    return pack(Kind.DESCRIPTION, serial, DESCRIPTION_HEAD.pack(version) + value)


def pack_call(
    number: int, deadline: float, serial: int, line: bytes, part: int = 0, parts: int = 1
) -> bytes:
    """Return the frame that hands a worker one call.

    Args:
        number: the gateway's own number for the call.
        deadline: monotonic time, in seconds, by which the answer must be on its way.
        serial: the description the call is about, 0 if the parameter is not set.
        line: the request exactly as the client sent it.
        part: which part of a batch is wanted.
        parts: in how many it is divided; 1 for the whole, answered by a line.
    """
    size = CALL_HEAD.size + len(line)
    return (
        HEADER.pack(size, Kind.CALL, number) + CALL_HEAD.pack(deadline, serial, part, parts) + line
    )


def pack_part(head: bytes, solved: int, arrays: list[bytes]) -> bytes:
    """Return a part of a batch's answer: no line, but what the whole one is put together from.

    Args:
        head: the answer's `values` before its arrays, a JSON object.
        solved: of the items in this part.
        arrays: the items of each array, JSON without the brackets.
    """
    pieces = [PART_HEAD.pack(PART_MARK, len(head), solved), head]
    for array in arrays:
        pieces += (ARRAY_HEAD.pack(len(array)), array)
    return b"".join(pieces)


def unpack_part(part: bytes) -> tuple[bytes, int, list[bytes]]:
    """Return head, solved and arrays of `pack_part`."""
    _, size, solved = PART_HEAD.unpack_from(part)
    at = PART_HEAD.size + size
    head, arrays = part[PART_HEAD.size : at], []
    while at < len(part):
        (size,) = ARRAY_HEAD.unpack_from(part, at)
        at += ARRAY_HEAD.size
        arrays.append(part[at : at + size])
        at += size
    return head, solved, arrays


def join_parts(service: str, parts: Sequence[bytes]) -> bytes:
    """Return a batch's `values`, as JSON, from the parts of it in order.

    Args:
        service: one of BATCH_ARRAYS.
        parts: as `pack_part` made them; the head of the first stands for all.
    """
    names, counts = BATCH_ARRAYS[service]
    unpacked = [unpack_part(part) for part in parts]
    pieces = [unpacked[0][0][:-1]]
    for i, name in enumerate(names):
        items = b",".join(arrays[i] for _, _, arrays in unpacked if arrays[i])
        pieces.append(b',"%b":[%b]' % (name.encode(), items))
    if counts:
        pieces.append(b',"solved":%d' % sum(solved for _, solved, _ in unpacked))
    return b"".join((*pieces, b"}"))


class FrameReader:
    """Cut a stream of bytes into frames, in time linear in its length."""

    def __init__(self, max_payload_bytes: int) -> None:
        self._max_payload_bytes = max_payload_bytes
        self._parts: list[bytes] = []  # the beginning of a frame that is not whole yet
        self._held = 0  # bytes in _parts
        self._wanted = HEADER.size  # bytes needed before another look is worth it

    def feed(self, data: bytes) -> list[Frame]:
        """Take the next bytes and return the frames they complete.

        Raises:
            FrameError: a header announces more than `max_payload_bytes`.
        """
        if self._parts:
            self._parts.append(data)
            self._held += len(data)
            if self._held < self._wanted:
                return []
            data = b"".join(self._parts)
            self._parts.clear()
        frames: list[Frame] = []
        start, end = 0, len(data)
        self._wanted = HEADER.size
        while end - start >= HEADER.size:
            size, kind, number = HEADER.unpack_from(data, start)
            if size > self._max_payload_bytes:
                raise FrameError(f"a frame of {size} bytes; at most {self._max_payload_bytes}")
            stop = start + HEADER.size + size
            if stop > end:
                self._wanted = HEADER.size + size
                break
            frames.append(Frame(kind, number, data[start + HEADER.size : stop]))
            start = stop
        if start < end:
            self._parts.append(data[start:] if start else data)
        self._held = end - start
        return frames
