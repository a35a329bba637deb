"""One line of JSON <-> one message of the protocol.

`read` checks what every later step relies on: an object, of a known `op`, with the
fields that the op must have, each of the right type. The `*_line` functions build the
lines that go back.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from itertools import accumulate
from typing import Final

import orjson

from gateway.errors import ABSENT, LineError, ServiceError, closest, quote, show

Message = dict[str, object]
Values = Mapping[str, object]

MAX_DEPTH: Final = 200  # the contract's; orjson writes 254 levels, and an answer adds a few
ECHO_SHARE: Final = 2  # id and service may take one part in so many of the answer's line
REFUSAL_BYTES: Final = 256  # what saying so takes, beside the two
GROWTH: Final = 8  # no JSON is longer by more when written again: 1e15 has 4 bytes, then 18
SHOWN_BYTES: Final = 20  # of a line, on either side of what is wrong with it

MANY_BRACKETS: Final = 10_000  # arrays and objects that the collector need not look through
DEPTH_CHUNK: Final = 64 * 1024  # brackets between two looks at how deep it got

_NOT_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))
_STEPS: Final = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")  # as signed bytes: +1 and -1

Check = tuple[Callable[[object], bool], str]  # what a field must be, and the words for it


def _is_name(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _is_string(value: object) -> bool:
    return isinstance(value, str)


_NAME: Final[Check] = (_is_name, "a string that is not empty")
_TEXT: Final[Check] = (_is_string, "a string")
_ANY: Final[Check] = (lambda value: value is not ABSENT, "any JSON value")
_OPTIONAL_TEXT: Final[Check] = (lambda value: value is ABSENT or _is_string(value), "a string")
_OPTIONAL_OBJECT: Final[Check] = (
    lambda value: value is ABSENT or isinstance(value, dict),
    "an object",
)
_BOOLEAN: Final[Check] = (lambda value: isinstance(value, bool), "true or false")

LEVELS: Final = ("info", "warning", "error", "none")  # of `set_level`, each says less
_LEVEL: Final[Check] = (lambda value: value in LEVELS, "one of " + ", ".join(LEVELS))

FIELDS: Final[Mapping[str, Mapping[str, Check]]] = {
    "advertise": {"topic": _NAME, "type": _TEXT},
    "unadvertise": {"topic": _NAME},
    "publish": {"topic": _NAME, "msg": _ANY},
    "subscribe": {"topic": _NAME, "type": _OPTIONAL_TEXT},
    "unsubscribe": {"topic": _NAME},
    "advertise_service": {"service": _NAME, "type": _TEXT},
    "unadvertise_service": {"service": _NAME},
    "call_service": {"service": _TEXT},
    "service_response": {
        "service": _OPTIONAL_TEXT,
        "id": _ANY,
        "values": _OPTIONAL_OBJECT,  # roslib sends none with a failure
        "result": _BOOLEAN,
        "status": _OPTIONAL_TEXT,
    },
    "auth": {"token": _TEXT},
    "set_level": {"level": _LEVEL},
}


def read(line: bytes) -> Message:
    """Read one line.

    Returns:
        The object, with a known `op` and that op's fields; other fields as they came.

    Raises:
        LineError: it is anything else; says what, and where.
    """
    brackets = line.count(b"[") + line.count(b"{")
    if brackets > MAX_DEPTH and _is_too_deep(line):
        raise LineError(f"the line is nested more than {MAX_DEPTH} levels deep")
    try:
        message = orjson.loads(line) if brackets < MANY_BRACKETS else _load_many(line)
    except orjson.JSONDecodeError as error:
        raise LineError(_what_is_wrong(line, error)) from None
    if not isinstance(message, dict):
        raise LineError(f"the line is {show(message)}; an object expected")
    op = message.get("op", ABSENT)
    fields = FIELDS.get(op) if isinstance(op, str) else None
    if fields is None:
        raise LineError(_unknown_op(op), message.get("id", ABSENT))
    for name, (is_right, right) in fields.items():
        value = message.get(name, ABSENT)
        if not is_right(value):
            what = "is missing" if value is ABSENT else f"is {show(value)}"
            raise LineError(
                f"'{name}' of '{op}' {what}; {right} expected", message.get("id", ABSENT)
            )
    return message


def check_echo(message: Message, line: bytes, max_line_bytes: int) -> None:
    """Refuse a call whose answer could hardly hold more than its name.

    Args:
        message: the `call_service`.
        line: what it was read from.
        max_line_bytes: what the answer may measure.

    Raises:
        ServiceError: `id` and `service` leave too little of the answer's line.
        LineError: they do not even leave enough to say so.
    """
    if len(line) * GROWTH <= max_line_bytes:
        return
    shell = response_line(str(message["service"]), message.get("id", ABSENT), {})
    limit = max_line_bytes // ECHO_SHARE
    if len(shell) <= limit:
        return
    sentence = f"'id' and 'service' take {len(shell)} bytes in the answer; at most {limit} expected"
    if len(shell) + REFUSAL_BYTES <= max_line_bytes:
        raise ServiceError("invalid_request", sentence)
    raise LineError(sentence)


def status_line(level: str, sentence: str, id_: object = ABSENT) -> bytes:
    """Return a `status`; level is "info" or "error"."""
    status: Message = {"op": "status", "level": level, "msg": sentence}
    if id_ is not ABSENT:
        status["id"] = id_
    return orjson.dumps(status)


def response_line(
    service: str, id_: object, values: object, code: str = "", sentence: str = ""
) -> bytes:
    """Return the `service_response` of a service of the gateway's own.

    Args:
        service: its name, as in the call.
        id_: the call's, ABSENT if it has none.
        values: what the service says: a JSON object.
        code: "" for `result:true`, else the stable word, which is in `values` too.
        sentence: what a person can do about it.
    """
    return raw_response_line(service, id_, values, result=not code, status=sentence)


def raw_response_line(
    service: str, id_: object, values: object, *, result: bool, status: str
) -> bytes:
    """Return a `service_response` with every field as given."""
    response: Message = {"op": "service_response", "service": service}
    if id_ is not ABSENT:
        response["id"] = id_
    response["values"] = values
    response["result"] = result
    response["status"] = status
    return orjson.dumps(response)


def _is_too_deep(line: bytes) -> bool:
    """Whether a line nests too deep; linear, without recursion, and no longer than it takes."""
    if b"\\" in line:  # leave no quote that does not begin or end a string
        line = line.replace(b"\\\\", b"").replace(b'\\"', b"")
    outside = b"".join(line.split(b'"')[::2])
    steps = memoryview(outside.translate(_STEPS, _NOT_BRACKETS)).cast("b")
    depth = 0
    for start in range(0, len(steps), DEPTH_CHUNK):
        depths = list(accumulate(steps[start : start + DEPTH_CHUNK], initial=depth))
        if max(depths) > MAX_DEPTH:
            return True
        depth = depths[-1]
    return False


def _load_many(line: bytes) -> object:
    """Decode a line of very many arrays and objects.

    Each new one brings the garbage collector nearer to a look through all of them, time
    and again, though none can be garbage yet: ten times what the decoding takes, in
    which no other client is served.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return orjson.loads(line)
    finally:
        # All are taken for old at once, unseen; else the first look would come right now.
        gc.freeze()
        gc.unfreeze()
        if was_enabled:
            gc.enable()


def _what_is_wrong(line: bytes, error: orjson.JSONDecodeError) -> str:
    try:
        text = line.decode()
    except UnicodeDecodeError as fault:
        return f"the line is not UTF-8: byte 0x{line[fault.start]:02x} at offset {fault.start}"
    around = text[max(0, error.pos - SHOWN_BYTES) : error.pos + SHOWN_BYTES]
    return f"the line is not JSON: {error.msg} at character {error.pos + 1}, in {quote(around)}"


def _unknown_op(op: object) -> str:
    if op is ABSENT:
        return "the line has no 'op'; one of " + ", ".join(FIELDS) + " expected"
    if isinstance(op, str):
        hint = closest(op, FIELDS) or "; one of " + ", ".join(FIELDS) + " expected"
        return f"unknown op {quote(op)}{hint}"
    return f"'op' is {show(op)}; a string expected"
