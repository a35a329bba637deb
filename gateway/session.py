"""One client, without its transport: messages in, messages out.

Whatever carries the messages gives each to `line`, one at a time and in order, for as
long as neither `congested` nor its own outlet is full; it says `drained` when the
outlet has room again, and `closed` at the end. A session never raises on what a client
sends, and answers every call once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Final

from gateway.calls import Call
from gateway.envelope import LEVELS, Message, check_echo, read, response_line, status_line
from gateway.errors import ABSENT, LineError, ServiceError, closest, quote, show
from gateway.hub import Hub
from gateway.in_flight import InFlight
from gateway.providers import OpenCall
from gateway.services import SERVICES, Args, PoolService
from gateway.subscription import Deliveries, Outlet, read_throttle, remarks

QUICK_CALLS: Final = 256  # under way for one client: four times what a worker holds
SLOW_CALLS: Final = 1024  # more, as they must not keep the client's quick calls waiting
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
        self._quick = InFlight(QUICK_CALLS)
        self._solves = InFlight(SLOW_CALLS)
        self._outside = InFlight(SLOW_CALLS)
        self._deliveries = Deliveries(outlet, hub.clock)
        self._level = 0  # statuses below it are not sent: an index into LEVELS
        self._logged: set[str] = set()

    # -- for the transport

    @property
    def congested(self) -> bool:
        """Whether the next line has to wait until some call has been answered."""
        return self._quick.full or self._solves.full or self._outside.full

    @property
    def idle(self) -> bool:
        """Whether every call has been answered."""
        return not (self._quick.count or self._solves.count or self._outside.count)

    def line(self, line: bytes) -> None:
        """Act on a message."""
        message: Message = {}
        try:
            message = read(line)
            OPS[str(message["op"])](self, message, line)
        except LineError as error:
            id_ = message.get("id", ABSENT) if error.id is ABSENT else error.id
            self._status("error", str(error), id_)
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
        if self._quick.count or self._solves.count:
            self._hub.pool.cancel(self)
        if self._outside.count:
            self._hub.providers.forget(self)
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

    def answered(self, call: Call, line: bytes) -> None:
        """Send the pool's answer to a call."""
        in_flight = self._solves if call.cost == "solve" else self._quick
        in_flight.remove(len(call.line), len(line))
        self._outlet.send(line)

    def replied(self, call: OpenCall, line: bytes) -> None:
        """Send another client's answer to a call."""
        self._outside.remove(call.line_bytes, len(line))
        self._outlet.send(line)

    # -- services

    def _call_service(self, message: Message, line: bytes) -> None:
        check_echo(message, line, self._hub.max_line_bytes)
        service = str(message["service"])
        own = SERVICES.get(service)
        if isinstance(own, PoolService):
            self._submit(own, message, line)
            return
        try:
            args = _args(message)
            if own is None:
                self._call_outside(service, message, len(line))
            else:
                self._respond(message, own.answer(self._hub, args))
        except ServiceError as error:
            values = {**error.values, "code": error.code}
            self._respond(message, values, error.code, str(error))

    def _submit(self, service: PoolService, message: Message, line: bytes) -> None:
        args = message.get("args")
        if not isinstance(args, dict):
            args = {}  # the worker says what is wrong
        param = service.description_param(args)
        hub = self._hub
        call = Call(
            client=self,
            service=service.name,
            id_=message.get("id", ABSENT),
            line=line,
            cost=service.cost,
            deadline=hub.clock() + service.deadline_seconds(args),
            description=None if param is None else hub.params.find(param),
        )
        (self._solves if service.cost == "solve" else self._quick).add(len(line))
        hub.pool.submit(call)

    def _call_outside(self, service: str, message: Message, line_bytes: int) -> None:
        providers = self._hub.providers
        if service not in providers:
            hint = closest(service, (*SERVICES, *providers))
            raise ServiceError("unknown_service", f"nobody provides {quote(service)}{hint}")
        self._outside.add(line_bytes)
        try:
            providers.call(self, message, line_bytes)
        except ServiceError:
            self._outside.remove(line_bytes, 0)
            raise

    def _respond(
        self, message: Message, values: object, code: str = "", sentence: str = ""
    ) -> None:
        service, id_ = str(message["service"]), message.get("id", ABSENT)
        line = response_line(service, id_, values, code, sentence)
        if len(line) > self._hub.max_line_bytes:
            line = response_line(
                *(service, id_, {"code": "limit_exceeded"}, "limit_exceeded"),
                f"the answer takes {len(line)} bytes; at most {self._hub.max_line_bytes} "
                "fit a line (--max-line-bytes)",
            )
        self._outlet.send(line)

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
        self._acknowledge(message, "no token is needed")

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
        sentence = "the gateway failed on this line; its log has more"
        if message.get("op") == "call_service":
            self._respond(message, {"code": "worker_failed"}, "worker_failed", sentence)
        else:
            self._status("error", sentence, message.get("id", ABSENT))


def _args(message: Message) -> Args:
    args = message.get("args", {})
    if not isinstance(args, dict):
        raise ServiceError("invalid_request", f"'args' is {show(args)}; an object expected")
    return args


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
