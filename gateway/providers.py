"""Services of other clients: who provides them, and the calls that wait for an answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

import orjson

from gateway.envelope import Message, raw_response_line, response_line
from gateway.errors import ABSENT, LineError, ServiceError, quote
from gateway.topics import check_name

SERVICES_PER_CLIENT: Final = 1000  # provided by one client
BACKLOG_BYTES: Final = 16 * 1024 * 1024  # that a provider has not read yet: it does not keep up
OPEN_CALLS_PER_PROVIDER: Final = 10_000  # a few hundred bytes each


class Provider(Protocol):
    """Who serves a service."""

    @property
    def backlog(self) -> int:
        """How many bytes it has not read yet."""

    def send(self, line: bytes) -> None:
        """Take a line, given without its newline."""


class Typed(Protocol):
    """A service of the gateway's own, as far as it matters here."""

    @property
    def name(self) -> str:
        """The name that it is listed under."""

    @property
    def type(self) -> str:
        """Its type."""


class Asker(Protocol):
    """Who calls it."""

    def replied(self, call: OpenCall, line: bytes) -> None:
        """Take the answer, a line without its newline."""


@dataclass(slots=True, eq=False)
class OpenCall:
    """A call that a provider has been given."""

    asker: Asker
    provider: Provider
    service: str
    id: object  # the asker's
    line_bytes: int  # of the request
    deadline: float
    begun: float


class Providers:
    """The services that connected clients provide."""

    def __init__(
        self,
        own: Mapping[str, Typed],
        timeout_seconds: float,
        max_line_bytes: int,
        clock: Callable[[], float],
    ) -> None:
        """Begin without any.

        Args:
            own: the gateway's own services, by every name they have; nobody can replace them.
            timeout_seconds: how long a provider may take.
            max_line_bytes: bound on what is sent.
            clock: tells the time in seconds; the deadlines are in it.
        """
        self._own = own
        self._timeout_seconds = timeout_seconds
        self._max_line_bytes = max_line_bytes
        self._clock = clock
        self._providers: dict[str, dict[Provider, str]] = {}  # to the type; the newest is last
        self._provided: defaultdict[Provider, set[str]] = defaultdict(set)
        self._open: dict[str, OpenCall] = {}  # by the id that the provider is given
        self._open_at: defaultdict[Provider, set[str]] = defaultdict(set)
        self._count = 0

    def __contains__(self, service: str) -> bool:
        return service in self._providers

    def __iter__(self) -> Iterator[str]:
        return iter(self._providers)

    def types(self) -> dict[str, str]:
        """Return every service, the gateway's own too, with its newest provider's type."""
        newest = {name: [*types.values()][-1] for name, types in self._providers.items()}
        return self.own_types() | newest

    def own_types(self) -> dict[str, str]:
        """Return the gateway's own services, each under one name, with their types."""
        return {service.name: service.type for service in self._own.values()}

    # -- providing

    def advertise(self, provider: Provider, service: str, type_: str) -> None:
        """Let a client provide a service, before those who do so already.

        Raises:
            LineError: the name is the gateway's own, too long, or one too many.
        """
        if service in self._own:
            raise LineError(f"{quote(service)} is the gateway's own service; it cannot be replaced")
        check_name(service, "service")
        check_name(type_, "type")
        provided = self._provided[provider]
        if service not in provided and len(provided) >= SERVICES_PER_CLIENT:
            raise LineError(f"{SERVICES_PER_CLIENT} services are provided by this client already")
        provided.add(service)
        self._providers.setdefault(service, {})[provider] = type_

    def unadvertise(self, provider: Provider, service: str) -> None:
        """Give a client no more calls of a service; those it has may still be answered."""
        if service in self._provided[provider]:
            self._provided[provider].discard(service)
            providers = self._providers[service]
            del providers[provider]
            if not providers:
                del self._providers[service]

    def respond(self, provider: Provider, message: Message) -> None:
        """Pass a `service_response` on to who asked.

        Raises:
            LineError: no call with this id is open at this provider, or a success has no values.
        """
        if message["result"] is True and "values" not in message:
            raise LineError("'values' of 'service_response' is missing; an object expected")
        number = message["id"]
        call = self._open.get(number) if isinstance(number, str) else None
        if call is None or call.provider is not provider:
            raise LineError("no call with this 'id' is waiting for an answer from this client")
        self._close(str(number))
        line = raw_response_line(
            call.service,
            call.id,
            message.get("values", {}),
            result=message["result"] is True,
            status=str(message.get("status", "")),
        )
        if len(line) > self._max_line_bytes:
            sentence = (
                f"the provider's answer takes {len(line)} bytes as it is sent; at most "
                f"{self._max_line_bytes} fit a line (--max-line-bytes)"
            )
            _fail(call, "limit_exceeded", sentence)
        else:
            call.asker.replied(call, line)

    # -- calling

    def call(self, asker: Asker, message: Message, line_bytes: int) -> None:
        """Hand a call to the newest provider of its service; `asker` hears once.

        Args:
            asker: who gets the answer.
            message: the `call_service`; its service is one that is provided.
            line_bytes: what the request measured.

        Raises:
            ServiceError: the call cannot be handed on.
        """
        service = str(message["service"])
        *_, provider = self._providers[service]
        timeout = self._timeout(message.get("timeout", ABSENT))
        open_at = self._open_at[provider]
        if provider.backlog > BACKLOG_BYTES or len(open_at) >= OPEN_CALLS_PER_PROVIDER:
            raise ServiceError(
                "overloaded",
                f"the provider of {quote(service)} does not keep up; nothing was done, try again",
            )
        number = f"call:{self._count + 1}"
        args = message.get("args", {})
        line = orjson.dumps({"op": "call_service", "id": number, "service": service, "args": args})
        if len(line) > self._max_line_bytes:
            raise ServiceError(
                "limit_exceeded",
                f"the call takes {len(line)} bytes as the provider is sent it; at most "
                f"{self._max_line_bytes} fit a line (--max-line-bytes)",
            )
        self._count += 1
        id_ = message.get("id", ABSENT)
        begun = self._clock()
        self._open[number] = OpenCall(
            asker, provider, service, id_, line_bytes, begun + timeout, begun
        )
        open_at.add(number)
        provider.send(line)

    def expire(self) -> None:
        """Answer the calls whose time is up."""
        if not self._open:
            return
        now = self._clock()
        for number in [number for number, call in self._open.items() if call.deadline <= now]:
            call = self._close(number)
            sentence = f"the provider of {quote(call.service)} did not answer in time"
            _fail(call, "timeout", sentence)

    def withdraw(self, client: Provider) -> None:
        """Undo all that a client provides; answer those who wait for it."""
        for service in list(self._provided[client]):
            self.unadvertise(client, service)
        del self._provided[client]
        for number in list(self._open_at.get(client, ())):
            call = self._close(number)
            sentence = f"the provider of {quote(call.service)} disconnected before it answered"
            _fail(call, "unknown_service", sentence)
        self._open_at.pop(client, None)

    def forget(self, asker: object) -> None:
        """Drop the calls of a client that is gone."""
        for number in [number for number, call in self._open.items() if call.asker is asker]:
            self._close(number)

    def _timeout(self, value: object) -> float:
        """Return how long a call may take: what it asks for, at most what is configured."""
        if value is ABSENT or value is None:
            return self._timeout_seconds
        if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
            raise ServiceError(
                "invalid_request", "'timeout' is not a number of seconds from 0; one expected"
            )
        return min(float(value), self._timeout_seconds)

    def _close(self, number: str) -> OpenCall:
        call = self._open.pop(number)
        self._open_at[call.provider].discard(number)
        return call


def _fail(call: OpenCall, code: str, sentence: str) -> None:
    line = response_line(call.service, call.id, {"code": code}, code, sentence)
    call.asker.replied(call, line)
