"""One client, without its transport: messages in, messages out.

Whatever carries the messages gives each to `line`, one at a time and in order, for as
long as neither `congested` nor its own outlet is full; it says `drained` when the
outlet has room again, and `closed` at the end. A session never raises on what a client
sends, and answers every call once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final

from gateway.access import Access
from gateway.calling import Calling
from gateway.envelope import LEVELS, Message, check_echo, read, status_line
from gateway.errors import ABSENT, LineError, ServiceError, quote
from gateway.hub import Hub
from gateway.subscription import Deliveries, Outlet, read_throttle, remarks

LOGGED_TOPICS: Final = 100  # whose dropped messages are logged, per connection

log = logging.getLogger(__name__)


class Session:
    """What one client has asked for."""

    def __init__(self, hub: Hub, outlet: Outlet, peer: str) -> None:
        """Begin.

        Args:
            hub: what all sessions share.
            outlet: the way back to the client.
            peer: the client's address, for the log.
        """
        self._hub = hub
        self._outlet = outlet
        self._peer = peer
        self._access = Access(hub.token)
        self._calling = Calling(hub, outlet, peer)
        self._deliveries = Deliveries(outlet, hub.clock)
        self._level = 0  # statuses below it are not sent: an index into LEVELS
        self._logged: set[str] = set()

    # -- for the transport

    @property
    def congested(self) -> bool:
        """Whether the next line has to wait until some call has been answered."""
        return self._calling.congested

    @property
    def idle(self) -> bool:
        """Whether every call has been answered."""
        return self._calling.idle

    def line(self, line: bytes) -> None:
        """Act on a message."""
        message: Message = {}
        try:
            message = read(line)
            act = OPS[str(message["op"])]
            if self._access.given or act is Session._auth:
                act(self, message, line)
            else:
                self._turn_away(message, line)
        except LineError as error:
            id_ = message.get("id", ABSENT) if error.id is ABSENT else error.id
            self._status("error", str(error), id_)
        except ServiceError as error:
            self._calling.fail(message, error)
        except Exception:
            log.exception("gateway error", extra={"peer": self._peer, "op": message.get("op")})
            self._apologise(message)

    def bad_line(self, error: LineError) -> None:
        """Answer what was no message at all."""
        self._status("error", str(error))

    def drained(self) -> None:
        """Send what was kept back, as far as there is room."""
        self._deliveries.drained()

    def closed(self) -> None:
        """Withdraw all that the client had; nothing is sent any more."""
        self._calling.closed()
        self._hub.providers.withdraw(self)
        self._hub.topics.withdraw(self)

    # -- for the hub

    @property
    def backlog(self) -> int:
        """How many bytes the client has not read yet."""
        return self._outlet.backlog

    def send(self, line: bytes) -> None:
        """Send a line."""
        self._outlet.send(line)

    def deliver(self, topic: str, line: bytes) -> None:
        """Send a topic's message; to a client that is behind, only the newest of each topic."""
        self._deliveries.deliver(topic, line)

    # -- services

    def _call_service(self, message: Message, line: bytes) -> None:
        self._calling.call(message, line)

    def _service_response(self, message: Message, _line: bytes) -> None:
        self._hub.providers.respond(self, message)

    def _advertise_service(self, message: Message, _line: bytes) -> None:
        service = str(message["service"])
        self._hub.providers.advertise(self, service, str(message["type"]))
        self._acknowledge(message, f"calls of {quote(service)} come to this client")

    def _unadvertise_service(self, message: Message, _line: bytes) -> None:
        self._hub.providers.unadvertise(self, str(message["service"]))

    # -- topics

    def _advertise(self, message: Message, _line: bytes) -> None:
        self._hub.topics.advertise(self, str(message["topic"]), str(message["type"]))

    def _unadvertise(self, message: Message, _line: bytes) -> None:
        self._hub.topics.unadvertise(self, str(message["topic"]))

    def _publish(self, message: Message, _line: bytes) -> None:
        topic = str(message["topic"])
        if self._hub.topics.may_publish(self, topic):
            self._hub.topics.publish(topic, message["msg"])
        elif topic not in self._logged and len(self._logged) < LOGGED_TOPICS:
            self._logged.add(topic)
            log.warning(
                "publish without advertise dropped", extra={"peer": self._peer, "topic": topic}
            )

    def _subscribe(self, message: Message, _line: bytes) -> None:
        topic = str(message["topic"])
        throttle = read_throttle(message)
        self._hub.topics.subscribe(self, topic)
        self._deliveries.subscribe(topic, throttle)
        sentence = f"messages of {quote(topic)} come to this client{remarks(message)}"
        self._acknowledge(message, sentence)

    def _unsubscribe(self, message: Message, _line: bytes) -> None:
        topic = str(message["topic"])
        self._hub.topics.unsubscribe(self, topic)
        self._deliveries.unsubscribe(topic)

    # -- the rest

    def _auth(self, message: Message, _line: bytes) -> None:
        if self._access.offer(str(message["token"])):
            self._acknowledge(
                message, "the token is right" if self._hub.token else "no token is needed"
            )
            return
        log.warning("wrong token", extra={"peer": self._peer})
        self._status("error", "the token is wrong", message.get("id", ABSENT))
        if self._access.over:
            self._outlet.finish()

    def _turn_away(self, message: Message, line: bytes) -> None:
        """Answer a message of a client that has not shown the token."""
        sentence = 'a token is asked for: send {"op":"auth","token":"..."} first'
        if message["op"] == "call_service":
            with suppress(ServiceError):  # there is room for a refusal: for this one
                check_echo(message, line, self._hub.max_line_bytes)
            self._calling.fail(message, ServiceError("unauthorized", sentence))
        else:
            self._status("error", sentence, message.get("id", ABSENT))

    def _set_level(self, message: Message, _line: bytes) -> None:
        self._level = LEVELS.index(str(message["level"]))

    def _acknowledge(self, message: Message, sentence: str) -> None:
        self._status("info", sentence, message.get("id", ABSENT))

    def _status(self, level: str, sentence: str, id_: object = ABSENT) -> None:
        if LEVELS.index(level) < self._level:
            return
        line = status_line(level, sentence, id_)
        if len(line) > self._hub.max_line_bytes:
            line = status_line(level, sentence)
        self._outlet.send(line)

    def _apologise(self, message: Message) -> None:
        """Answer a message that a fault of our own kept from its effect."""
        if message.get("op") == "call_service":
            self._calling.apologise(message)
        else:
            sentence = "the gateway failed on this line; its log has more"
            self._status("error", sentence, message.get("id", ABSENT))


OPS: Final[Mapping[str, Callable[[Session, Message, bytes], None]]] = {
    "advertise": Session._advertise,
    "unadvertise": Session._unadvertise,
    "publish": Session._publish,
    "subscribe": Session._subscribe,
    "unsubscribe": Session._unsubscribe,
    "advertise_service": Session._advertise_service,
    "unadvertise_service": Session._unadvertise_service,
    "call_service": Session._call_service,
    "service_response": Session._service_response,
    "auth": Session._auth,
    "set_level": Session._set_level,
}
