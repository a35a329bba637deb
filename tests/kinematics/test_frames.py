"""Frames survive any cutting of the stream, and nothing oversized is waited for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinematics.frames import (
    CALL_HEAD,
    DESCRIPTION_HEAD,
    HEADER,
    Frame,
    FrameError,
    FrameReader,
    Kind,
    pack,
    pack_call,
    pack_description,
)

FRAMES = st.lists(
    st.tuples(st.sampled_from(Kind), st.integers(0, 2**64 - 1), st.binary(max_size=60))
)


@given(FRAMES, st.lists(st.integers(1, 40), min_size=1))
def test_any_cutting_of_the_stream_gives_the_same_frames(
    frames: list[tuple[Kind, int, bytes]], cuts: list[int]
) -> None:
    stream = b"".join(pack(*frame) for frame in frames)
    reader, out, start, turn = FrameReader(60), [], 0, 0
    while start < len(stream):
        size = cuts[turn % len(cuts)]
        out += reader.feed(stream[start : start + size])
        start, turn = start + size, turn + 1
    assert out == [Frame(*frame) for frame in frames]


def test_a_call_frame_carries_deadline_serial_and_line() -> None:
    (frame,) = FrameReader(100).feed(pack_call(7, 12.5, 3, b'{"op":1}'))
    assert frame.kind == Kind.CALL
    assert frame.number == 7
    assert CALL_HEAD.unpack_from(frame.payload) == (12.5, 3, 0, 1)
    assert frame.payload[CALL_HEAD.size :] == b'{"op":1}'


def test_a_description_frame_carries_version_and_value() -> None:
    (frame,) = FrameReader(100).feed(pack_description(9, 4, b'"<robot/>"'))
    assert (frame.kind, frame.number) == (Kind.DESCRIPTION, 9)
    assert DESCRIPTION_HEAD.unpack_from(frame.payload) == (4,)
    assert frame.payload[DESCRIPTION_HEAD.size :] == b'"<robot/>"'


def test_an_oversized_frame_is_refused_at_its_header() -> None:
    reader = FrameReader(10)
    with pytest.raises(FrameError, match="a frame of 11 bytes; at most 10"):
        reader.feed(HEADER.pack(11, Kind.CALL, 1))


def test_a_large_frame_in_small_pieces_is_not_joined_again_and_again() -> None:
    reader = FrameReader(1 << 20)
    stream = pack(Kind.ANSWER, 1, bytes(1 << 20))
    pieces = [stream[i : i + 64] for i in range(0, len(stream), 64)]
    assert all(reader.feed(piece) == [] for piece in pieces[:-1])
    assert len(reader._parts) >= len(pieces) - 2  # kept apart until the last one came
    assert reader.feed(pieces[-1]) == [Frame(Kind.ANSWER, 1, bytes(1 << 20))]
