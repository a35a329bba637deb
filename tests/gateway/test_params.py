"""What is got back is what was set, and the store never grows past its bound."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import ServiceError
from gateway.params import ANSWER_BYTES, ENTRY_BYTES, Parameter, Params

LINE_BYTES = 10_000

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def store(max_bytes: int = 1 << 20) -> Params:
    return Params(max_bytes, LINE_BYTES)


def value_of(params: Params, name: str) -> Any:
    parameter = params.find(name)
    assert parameter is not None
    return orjson.loads(parameter.value)


@given(JSON)
def test_a_value_comes_back_to_the_last_bit(value: Any) -> None:
    params = store()
    params.set("a", value)

    assert repr(value_of(params, "a")) == repr(value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b'{"b":1,"a":2}', b'{"b":1,"a":2}'),
        (b'{"a":1,"a":2}', b'{"a":2}'),
        (b"18446744073709551615", b"18446744073709551615"),
        (b"-9223372036854775808", b"-9223372036854775808"),
        (b"123456789012345678901234567890", b"1.2345678901234568e+29"),
        (b"0.1", b"0.1"),
        (b"5e-324", b"5e-324"),
        (b"-0.0", b"-0.0"),
        ('"\u2028 \U0001f600 \\" \\\\ \\r\\n \\u0000"'.encode(), None),
    ],
)
def test_json_text(text: bytes, expected: bytes | None) -> None:
    params = store()
    stored = params.set("a", orjson.loads(text))
    assert stored.value == (expected or text)


def test_versions_count_per_name_and_survive_a_delete() -> None:
    params = store()
    assert [params.set("a", n).version for n in range(3)] == [1, 2, 3]
    assert params.set("b", 0).version == 1
    assert params.delete("a") == 3
    assert params.find("a") is None
    assert params.delete("a") is None
    assert params.set("a", 0).version == 4


def test_no_two_values_share_a_serial() -> None:
    params = store()
    serials = set()
    for name in "aabab":
        params.set(name, 0)
        found = params.find(name)
        assert found is not None
        serials.add(found.serial)
    assert len(serials) == 5


def test_names_are_sorted_and_filtered() -> None:
    params = store()
    for name in ("/b", "/a/x", "/a", "é"):
        params.set(name, None)
    assert params.names() == ["/a", "/a/x", "/b", "é"]
    assert params.names("/a") == ["/a", "/a/x"]
    assert params.names("zzz") == []


def test_listeners_hear_of_every_change() -> None:
    heard: list[tuple[str, Parameter | None]] = []
    params = store()
    params.listen(lambda name, parameter: heard.append((name, parameter)))
    params.set("a", 1)
    stored = params.find("a")
    params.delete("a")
    params.delete("a")
    assert stored is not None
    assert heard == [("a", stored), ("a", None)]


def test_a_full_store_refuses_and_keeps_what_it_has() -> None:
    params = store(max_bytes=2 * ENTRY_BYTES)
    params.set("a", "x" * 100)
    with pytest.raises(ServiceError, match=r"full: .* of 512 bytes.*--max-params-bytes") as caught:
        params.set("b", "x" * 300)
    assert caught.value.code == "limit_exceeded"
    with pytest.raises(ServiceError):
        params.set("a", "x" * 300)
    assert value_of(params, "a") == "x" * 100
    assert params.find("b") is None


def test_a_value_can_always_be_replaced_by_a_shorter_one() -> None:
    params = store(max_bytes=ENTRY_BYTES + 10)
    params.set("a", "1234567")
    assert params.set("a", "123456").version == 2


def test_names_of_deleted_parameters_count() -> None:
    params = store(max_bytes=10 * ENTRY_BYTES)
    added = 0
    with pytest.raises(ServiceError, match="full"):  # noqa: PT012
        for added in range(1000):
            params.set(f"name {added}", None)
            params.delete(f"name {added}")
    assert added < 10


def test_setting_and_deleting_one_name_for_ever_takes_no_room() -> None:
    params = store(max_bytes=ENTRY_BYTES + 200)
    for n in range(1000):
        assert params.set("a", "x" * 100).version == n + 1
        params.delete("a")


def test_a_value_that_no_answer_could_hold_cannot_be_set() -> None:
    params = store()
    params.set("a", "x" * (LINE_BYTES - ANSWER_BYTES - 2))
    with pytest.raises(ServiceError, match="--max-line-bytes") as caught:
        params.set("a", "x" * (LINE_BYTES - ANSWER_BYTES - 1))
    assert caught.value.code == "limit_exceeded"
    assert params.set("a", 0).version == 2
