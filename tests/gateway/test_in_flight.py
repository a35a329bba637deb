"""A client's share of the work is bounded by number and by size."""

from __future__ import annotations

from gateway.in_flight import ANSWER_BYTES, REQUEST_BYTES, InFlight


def is_full(calls: InFlight) -> bool:
    return calls.full  # asked in a function, as mypy takes a property for a constant


def test_the_number_is_bounded() -> None:
    calls = InFlight(2)
    calls.add(1)
    assert not is_full(calls)
    calls.add(1)
    assert is_full(calls)
    calls.remove(1, 1)
    assert not is_full(calls)
    assert calls.count == 1


def test_the_size_of_requests_is_bounded() -> None:
    calls = InFlight(1000)
    calls.add(REQUEST_BYTES)
    assert not is_full(calls)
    calls.add(1)
    assert is_full(calls)
    calls.remove(REQUEST_BYTES, 1)
    assert not is_full(calls)


def test_long_answers_leave_room_for_fewer_calls_until_they_are_forgotten() -> None:
    calls = InFlight(1000)
    calls.add(1)
    calls.remove(1, ANSWER_BYTES // 4)
    room = 0
    while not is_full(calls):
        calls.add(1)
        room += 1
    assert room == 5
    for _ in range(1000):
        calls.remove(1, 10)
        calls.add(1)
    assert not is_full(calls)
