"""Messages reach current subscribers, once each, encoded once."""

from __future__ import annotations

import orjson
import pytest

from gateway.errors import LineError
from gateway.topics import NAME_BYTES, TOPICS_PER_CLIENT, Topics


class Listener:
    """Remembers what was delivered."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []

    def deliver(self, topic: str, line: bytes) -> None:
        assert orjson.loads(line)["topic"] == topic
        self.lines.append(line)


def test_every_subscriber_gets_the_same_bytes_once() -> None:
    topics = Topics(1000)
    a, b = Listener(), Listener()
    for listener in (a, b, a):
        topics.subscribe(listener, "t")
    topics.publish("t", {"x": 1})
    assert a.lines == [b'{"op":"publish","topic":"t","msg":{"x":1}}']
    assert b.lines[0] is a.lines[0]


def test_there_is_no_history() -> None:
    topics = Topics(1000)
    listener = Listener()
    topics.publish("t", 1)
    topics.subscribe(listener, "t")
    assert not listener.lines
    topics.unsubscribe(listener, "t")
    topics.unsubscribe(listener, "t")
    topics.publish("t", 2)
    assert not listener.lines


def test_publishing_takes_an_advertisement() -> None:
    topics = Topics(1000)
    client, other = object(), object()
    topics.advertise(client, "t", "a/B")
    topics.advertise(client, "t", "a/B")
    assert topics.may_publish(client, "t")
    assert not topics.may_publish(other, "t")
    assert not topics.may_publish(client, "u")
    topics.unadvertise(client, "t")
    topics.unadvertise(client, "t")
    assert not topics.may_publish(client, "t")


def test_types_are_those_of_the_newest_publisher() -> None:
    topics = Topics(1000)
    a, b = object(), object()
    topics.subscribe(Listener(), "u")
    topics.advertise(a, "t", "old/T")
    topics.advertise(b, "t", "new/T")
    assert topics.types() == {"t": "new/T", "u": ""}
    topics.unadvertise(b, "t")
    assert topics.types()["t"] == "old/T"


def test_withdrawing_leaves_nothing_behind() -> None:
    topics = Topics(1000)
    a, b = Listener(), Listener()
    topics.subscribe(a, "t")
    topics.subscribe(b, "t")
    topics.advertise(a, "u", "x")
    topics.withdraw(a)
    topics.withdraw(a)
    topics.publish("t", 1)
    assert (len(a.lines), len(b.lines)) == (0, 1)
    assert topics.types() == {"t": ""}
    assert topics.subscriber_count("t") == 1
    topics.withdraw(b)
    assert topics.types() == {}
    assert topics.subscriber_count("t") == 0


def test_a_subscriber_may_leave_while_it_is_delivered_to() -> None:
    topics = Topics(1000)

    class Leaver(Listener):
        def deliver(self, topic: str, line: bytes) -> None:
            super().deliver(topic, line)
            topics.withdraw(self)

    leavers = [Leaver(), Leaver()]
    for leaver in leavers:
        topics.subscribe(leaver, "t")
    topics.publish("t", 1)
    topics.publish("t", 2)
    assert [len(leaver.lines) for leaver in leavers] == [1, 1]


def test_encoded_messages_go_as_they_are() -> None:
    topics = Topics(1000)
    listener = Listener()
    topics.subscribe(listener, "t")
    topics.publish("t", orjson.Fragment(b'{"a": 1}'))
    assert listener.lines == [b'{"op":"publish","topic":"t","msg":{"a": 1}}']


def test_a_message_that_fits_no_line_reaches_nobody() -> None:
    topics = Topics(100)
    listener = Listener()
    topics.subscribe(listener, "t")
    with pytest.raises(LineError, match="at most 100"):
        topics.publish("t", "x" * 100)
    assert not listener.lines


def test_numbers_and_names_are_bounded() -> None:
    topics = Topics(1000)
    listener = Listener()
    for n in range(TOPICS_PER_CLIENT):
        topics.subscribe(listener, f"t{n}")
        topics.advertise(listener, f"t{n}", "x")
    topics.subscribe(listener, "t0")
    with pytest.raises(LineError, match="1000 topics are subscribed to"):
        topics.subscribe(listener, "more")
    with pytest.raises(LineError, match="1000 topics are advertised"):
        topics.advertise(listener, "more", "x")
    topics.unsubscribe(listener, "t0")
    topics.subscribe(listener, "é" * (NAME_BYTES // 2))
    with pytest.raises(LineError, match="longer than 4096 bytes"):
        topics.subscribe(Listener(), "é" * (NAME_BYTES // 2 + 1))
    with pytest.raises(LineError, match="type"):
        topics.advertise(Listener(), "t", "x" * 5000)
