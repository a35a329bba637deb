"""Topics: who publishes, who subscribes, and one encoding for all who receive.

A client is anything that can be delivered to: a connection's session, or a part of the
gateway that publishes and subscribes itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, MutableMapping
from typing import Final, Protocol, TypeVar

import orjson

from gateway.errors import ABSENT, LineError, quote

TOPICS_PER_CLIENT: Final = 1000  # advertised, and as many subscribed to
NAME_BYTES: Final = 4096  # of a topic, type or service that is kept; real ones have under 100

C = TypeVar("C")  # a client
V = TypeVar("V")


class Subscriber(Protocol):
    """Who messages are delivered to."""

    def deliver(self, topic: str, line: bytes) -> None:
        """Take the newest message of a topic, as a finished line without its newline."""


def check_name(name: str, what: str) -> None:
    """Refuse a name that is too long to keep.

    Raises:
        LineError: it is.
    """
    if len(name.encode()) > NAME_BYTES:
        raise LineError(f"the {what} {quote(name)} is longer than {NAME_BYTES} bytes")


class Topics:
    """Every topic that somebody advertises or subscribes to."""

    def __init__(self, max_line_bytes: int) -> None:
        self._max_line_bytes = max_line_bytes
        # Dictionaries for sets: iteration follows the order of joining.
        self._subscribers: defaultdict[str, dict[Subscriber, None]] = defaultdict(dict)
        self._publishers: defaultdict[str, dict[object, str]] = defaultdict(dict)  # to the type
        self._subscribed: defaultdict[object, set[str]] = defaultdict(set)  # by client
        self._advertised: defaultdict[object, set[str]] = defaultdict(set)
        self._listeners: dict[str, tuple[Callable[[object], None], str]] = {}
        self._watchers: list[Callable[[str, Subscriber], None]] = []

    def listen(self, topic: str, type_: str, listener: Callable[[object], None]) -> None:
        """Have a part of the gateway called with each message of a topic, as it was decoded."""
        self._listeners[topic] = listener, type_

    def watch(self, watcher: Callable[[str, Subscriber], None]) -> None:
        """Have a part of the gateway called with every new subscription."""
        self._watchers.append(watcher)

    def subscribe(self, client: Subscriber, topic: str) -> None:
        """Deliver a topic's messages from now on; once each, however often this is asked.

        Raises:
            LineError: the client has too many, or the name is too long.
        """
        _add(self._subscribed[client], topic, "subscribed to")
        if client in self._subscribers[topic]:
            return
        self._subscribers[topic][client] = None
        for watcher in self._watchers:
            watcher(topic, client)

    def unsubscribe(self, client: Subscriber, topic: str) -> None:
        """Deliver no more."""
        self._subscribed[client].discard(topic)
        _drop(self._subscribers, topic, client)

    def advertise(self, client: object, topic: str, type_: str) -> None:
        """Let a client publish.

        Raises:
            LineError: the client has too many, or a name is too long.
        """
        check_name(type_, "type")
        _add(self._advertised[client], topic, "advertised")
        self._publishers[topic][client] = type_

    def unadvertise(self, client: object, topic: str) -> None:
        """Let a client publish no more."""
        self._advertised[client].discard(topic)
        _drop(self._publishers, topic, client)

    def may_publish(self, client: object, topic: str) -> bool:
        """Whether a client has advertised a topic."""
        return client in self._publishers.get(topic, ())

    def publish(self, topic: str, message: object) -> None:
        """Deliver a message to every current subscriber.

        Args:
            topic: its name.
            message: the `msg`, as orjson writes it (an `orjson.Fragment` goes as it is).

        Raises:
            LineError: the message does not fit a line; nobody gets it.
        """
        if topic in self._listeners:
            listener, _ = self._listeners[topic]
            listener(message)
        if topic not in self._subscribers:
            return
        line = orjson.dumps({"op": "publish", "topic": topic, "msg": message})
        if len(line) > self._max_line_bytes:
            raise LineError(
                f"the message takes {len(line)} bytes as it is sent; at most "
                f"{self._max_line_bytes} fit a line (--max-line-bytes)"
            )
        self.deliver(topic, line)

    def deliver(self, topic: str, line: bytes) -> None:
        """Deliver a finished `publish` line to every current subscriber."""
        for subscriber in self.subscribers(topic):
            subscriber.deliver(topic, line)

    def subscribers(self, topic: str) -> list[Subscriber]:
        """Return who would get a message now; a copy, as some may leave on delivery."""
        return list(self._subscribers.get(topic, ()))

    def subscriber_count(self, topic: str) -> int:
        """Return how many clients would get a message now."""
        return len(self._subscribers.get(topic, ()))

    def types(self) -> dict[str, str]:
        """Return every topic that anybody advertises or listens to, with its newest type."""
        known = dict.fromkeys(self._subscribers, "")
        known |= {topic: type_ for topic, (_, type_) in self._listeners.items()}
        for topic, publishers in self._publishers.items():
            *_, known[topic] = publishers.values()
        return known

    def withdraw(self, client: Subscriber) -> None:
        """Undo all that a client has subscribed to and advertised."""
        for topic in self._subscribed.pop(client, ()):
            _drop(self._subscribers, topic, client)
        for topic in self._advertised.pop(client, ()):
            _drop(self._publishers, topic, client)


def _add(topics: set[str], topic: str, what: str) -> None:
    check_name(topic, "topic")
    if topic not in topics and len(topics) >= TOPICS_PER_CLIENT:
        raise LineError(f"{TOPICS_PER_CLIENT} topics are {what} by this client already")
    topics.add(topic)


def _drop(index: MutableMapping[str, dict[C, V]], topic: str, client: C) -> None:
    """Take a client out of a topic, and the topic out of the index with its last client."""
    clients = index.get(topic)
    if clients is not None and clients.pop(client, ABSENT) is not ABSENT and not clients:
        del index[topic]
