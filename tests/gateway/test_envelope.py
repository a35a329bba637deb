"""One line is one message, or one precise complaint."""

from __future__ import annotations

import gc
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway import envelope
from gateway.envelope import (
    DEPTH_CHUNK,
    MANY_BRACKETS,
    MAX_DEPTH,
    check_echo,
    read,
    response_line,
    status_line,
)
from gateway.errors import ABSENT, LineError, ServiceError

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def complaint(line: bytes) -> LineError:
    with pytest.raises(LineError) as caught:
        read(line)
    return caught.value


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"\xff{}", ["not UTF-8", "0xff", "offset 0"]),
        (b'{"op":"\xc3("}', ["not UTF-8", "0xc3", "offset 7"]),
        (b'{"op":"\xed\xa0\x80"}', ["not UTF-8", "offset 7"]),
        (b'{"op":', ["not JSON", "character 7"]),
        (b'{"id":NaN}', ["not JSON", "character 7", "NaN"]),
        (b'{"id":-Infinity}', ["not JSON", "-Infinity"]),
        (b'{"id":1e400}', ["not JSON", "1e400"]),
        (b'{"id":"\\ud800"}', ["not JSON", "surrogate", "ud800"]),
        (b"{} {}", ["not JSON", "character 4"]),
        (b"GET / HTTP/1.1", ["not JSON", "character 1", "GET"]),
        (b"42", ["the number 42", "an object expected"]),
        (b"null", ["null", "an object expected"]),
        (b"true", ["true", "an object expected"]),
        (b"[]", ["an array of 0", "an object expected"]),
        (b'"x"', ["'x'", "an object expected"]),
        (b"{}", ["no 'op'", "call_service"]),
        (b'{"op":5}', ["'op' is the number 5", "a string expected"]),
        (b'{"op":["call_service"]}', ["'op' is an array", "a string expected"]),
        (b'{"op":"call_servise"}', ["'call_servise'", "did you mean 'call_service'"]),
        (b'{"op":"zzz"}', ["'zzz'", "advertise"]),
        (b'{"op":"call_service"}', ["'service'", "missing"]),
        (b'{"op":"call_service","service":[]}', ["'service'", "an array of 0", "a string"]),
        (b'{"op":"call_service","service":null}', ["'service'", "null", "a string"]),
        (b'{"op":"subscribe","topic":""}', ["'topic'", "''", "not empty"]),
        (b'{"op":"subscribe","topic":"t","type":1}', ["'type'", "the number 1"]),
        (b'{"op":"advertise","topic":"t"}', ["'type'", "missing"]),
        (b'{"op":"publish","topic":"t"}', ["'msg'", "missing"]),
        (b'{"op":"publish","topic":{},"msg":1}', ["'topic'", "an object"]),
        (b'{"op":"advertise_service","service":"s"}', ["'type'", "missing"]),
        (b'{"op":"service_response","values":{},"result":true}', ["'id'", "missing"]),
        (b'{"op":"service_response","id":"1","values":[],"result":true}', ["'values'", "array"]),
        (b'{"op":"service_response","id":"1","values":{},"result":1}', ["'result'", "true or"]),
        (b'{"op":"auth"}', ["'token'", "missing"]),
    ],
    ids=repr,
)
def test_a_bad_line_is_described(line: bytes, words: list[str]) -> None:
    sentence = str(complaint(line))

    assert all(word in sentence for word in words), sentence
    assert len(sentence) < 300
    assert sentence.isprintable()


@pytest.mark.parametrize(
    "line",
    [
        {"op": "nope", "id": 7},
        {"op": 5, "id": 7},
        {"id": 7},
        {"op": "call_service", "id": 7},
        {"op": "publish", "topic": 1, "id": 7},
    ],
)
def test_the_id_is_kept_where_it_can_be_read(line: dict[str, object]) -> None:
    assert complaint(orjson.dumps(line)).id == 7


def test_no_id_is_made_up() -> None:
    assert complaint(b'{"op":"nope"}').id is ABSENT
    assert complaint(b'{"op":"nope","id":null}').id is None


def nested(depth: int) -> bytes:
    """Return a publish with this many levels in all."""
    return b'{"op":"publish","topic":"t","msg":' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"


def test_depth_up_to_the_limit_passes_and_can_be_written_again() -> None:
    assert orjson.dumps(read(nested(MAX_DEPTH))["msg"]).startswith(b"[[")


@pytest.mark.parametrize(
    "line",
    [
        nested(MAX_DEPTH + 1),
        b"[" * 500_000 + b"]" * 500_000,
        b"{" * (1 << 20),
        b'{"a":' * 200_000,
        b"[{" * 101,
    ],
    ids=["one over", "500,000 arrays", "a megabyte of braces", "objects", "mixed"],
)
def test_deeper_nesting_is_refused(line: bytes) -> None:
    assert "200 levels" in str(complaint(line))


@pytest.mark.parametrize(
    "text",
    [b"[{" * 50_000, b'\\"[' * 50_000, b"\\\\", b'\\"{}' * 300, b"\\u005b" * 300],
    ids=["brackets", "after quotes", "backslash", "pairs", "escaped"],
)
def test_brackets_in_strings_are_no_nesting(text: bytes) -> None:
    line = b'{"op":"publish","topic":"t","msg":["' + text + b'",' + b"[]," * 300 + b"1]}"
    assert read(line)["topic"] == "t"


@given(JSON, st.integers(MAX_DEPTH - 5, MAX_DEPTH + 5))
def test_depth_is_that_of_the_decoded_value(value: Any, around: int) -> None:
    line = b"[" * around + orjson.dumps([value, '\\"[{', "]}\\", {"[\\": "{"}]) + b"]" * around
    assert envelope._is_too_deep(line) is (levels(orjson.loads(line)) > MAX_DEPTH)


def levels(value: object) -> int:
    """Return how many arrays and objects are inside one another."""
    if isinstance(value, dict):
        value = list(value.values())
    return 1 + max(map(levels, value), default=0) if isinstance(value, list) else 0


@pytest.mark.parametrize("before", [0, DEPTH_CHUNK // 2 - 100, DEPTH_CHUNK // 2, DEPTH_CHUNK])
def test_depth_goes_on_counting_from_one_piece_of_a_long_line_to_the_next(before: int) -> None:
    for depth in (MAX_DEPTH, MAX_DEPTH + 1):
        line = b"[" + b"[]," * before + b"[" * (depth - 1) + b"]" * depth
        assert envelope._is_too_deep(line) is (depth > MAX_DEPTH)


@pytest.mark.parametrize("end", [b"0]}", b"0"])
@pytest.mark.parametrize("enabled", [True, False])
def test_very_many_arrays_are_read_without_a_collection(end: bytes, enabled: bool) -> None:
    line = b'{"op":"publish","topic":"t","msg":[' + b"[]," * (20 * MANY_BRACKETS) + end
    passes: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            passes.append(info["generation"])

    if not enabled:
        gc.disable()
    gc.collect()
    gc.callbacks.append(note)
    try:
        if end == b"0":
            assert "not JSON" in str(complaint(line))
        else:
            message = read(line)
            seen = list(passes)
            assert seen == []
            assert message["msg"] == [[]] * (20 * MANY_BRACKETS) + [0]
        assert gc.isenabled() is enabled
    finally:
        gc.callbacks.remove(note)
        gc.enable()


def test_an_unfinished_string_full_of_quotes_is_judged_in_linear_time() -> None:
    assert "not JSON" in str(complaint(b"[" * 150 + b'"' + b'\\"[' * 300_000))


@given(JSON)
def test_ids_and_values_come_back_as_they_went(value: Any) -> None:
    line = orjson.dumps({"op": "publish", "topic": "t", "msg": value, "id": value})
    message = read(line)

    assert orjson.loads(status_line("info", "", message["id"]))["id"] == value
    answer = orjson.loads(response_line("s", message["id"], {"value": message["msg"]}))
    assert answer["id"] == value
    assert answer["values"]["value"] == value


@given(st.binary(max_size=60))
def test_any_bytes_are_a_message_or_a_complaint(line: bytes) -> None:
    try:
        outcome: object = read(line)["op"]
    except LineError as error:
        outcome = str(error)

    assert isinstance(outcome, str)
    assert outcome.isprintable()


def test_a_response_has_the_code_only_when_it_failed() -> None:
    good = orjson.loads(response_line("s", ABSENT, {"a": 1}))
    bad = orjson.loads(response_line("s", None, {"code": "not_set"}, "not_set", "why"))

    assert good == {
        "op": "service_response", "service": "s", "values": {"a": 1}, "result": True, "status": ""
    }  # fmt: skip
    assert bad["id"] is None
    assert (bad["result"], bad["status"]) == (False, "why")


def test_what_could_not_be_sent_back_is_refused() -> None:
    message: dict[str, object] = {"op": "call_service", "service": "s", "id": "x" * 600}
    check_echo(message, orjson.dumps(message), 2000)
    with pytest.raises(ServiceError, match=r"'id' and 'service' take 6.. bytes.*at most 500"):
        check_echo(message, orjson.dumps(message), 1000)
    with pytest.raises(LineError, match=r"'id' and 'service' take 6.. bytes.*at most 350"):
        check_echo(message, orjson.dumps(message), 700)
