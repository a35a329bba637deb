"""The calls of one client, from its line to the answer."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from typing import Final

from gateway.calls import Call
from gateway.envelope import Message, check_echo, response_line
from gateway.errors import ABSENT, ServiceError, closest, quote, show
from gateway.hub import Hub
from gateway.in_flight import InFlight
from gateway.params import Write
from gateway.providers import OpenCall
from gateway.services import SERVICES, Args, LocalService, PoolService
from gateway.subscription import Outlet
from gateway.tally import CLIENTS, NEVER, OK, outcome_of

QUICK_CALLS: Final = 256  # under way for one client: four times what a worker holds
DESCRIPTIONS: Final = 4  # that a client may ask about in turn, each counted once
SLOW_CALLS: Final = 1024  # more, as they must not keep the client's quick calls waiting

log = logging.getLogger(__name__)


class Calling:
    """Answers every call of a client once.

    A call that has to see a write waits until the write is kept, and so does the answer to
    a call that writes; other calls go past.
    """

    def __init__(self, hub: Hub, outlet: Outlet, peer: str) -> None:
        """Begin; for the arguments see `Session`."""
        self._hub = hub
        self._outlet = outlet
        self._peer = peer
        self._tally = hub.tally
        self._begun = NEVER  # the call that is being looked at, in the clock's time
        self._quick = InFlight(QUICK_CALLS)
        self._solves = InFlight(SLOW_CALLS)
        self._outside = InFlight(SLOW_CALLS)
        self._saving = InFlight(SLOW_CALLS)
        self._described: deque[int] = deque(maxlen=DESCRIPTIONS)  # serials
        self._closed = False

    @property
    def congested(self) -> bool:
        """Whether the next line has to wait until some call has been answered."""
        return self._quick.full or self._solves.full or self._outside.full or self._saving.full

    @property
    def idle(self) -> bool:
        """Whether every call has been answered."""
        return not (
            self._quick.count or self._solves.count or self._outside.count or self._saving.count
        )

    def closed(self) -> None:
        """Forget what is not answered; what was set stays set."""
        self._closed = True
        if self._quick.count or self._solves.count:
            self._hub.pool.cancel(self)
        if self._outside.count:
            self._hub.providers.forget(self)

    def call(self, message: Message, line: bytes) -> None:
        """Answer a `call_service`, now or later.

        Raises:
            ServiceError: its answer could hold little more than its name.
            LineError: no answer could name it.
        """
        if self._tally.on:
            self._begun = self._hub.clock()
        check_echo(message, line, self._hub.max_line_bytes)
        service = str(message["service"])
        own = SERVICES.get(service)
        if own is None:
            try:
                self._call_outside(service, message, len(line))
            except ServiceError as error:
                self.fail(message, error)
            return
        params = self._hub.params
        if params.unsaved() is not None:
            args = message.get("args")
            write = own.awaits(params, args if isinstance(args, dict) else {})
            if write is not None:
                self._wait(write, message, line, lambda _: self._call_own(own, message, line))
                return
        self._call_own(own, message, line)

    def fail(self, message: Message, error: ServiceError) -> None:
        """Answer `result:false`."""
        self._respond(message, {**error.values, "code": error.code}, error.code, str(error))

    def apologise(self, message: Message) -> None:
        """Answer a call that a fault of our own kept from its effect."""
        sentence = "the gateway failed on this line; its log has more"
        self.fail(message, ServiceError("worker_failed", sentence))

    # -- the two sides that answer elsewhere

    def answered(self, call: Call, line: bytes) -> None:
        """Send the pool's answer to a call."""
        in_flight = self._solves if call.cost == "solve" else self._quick
        in_flight.remove(call.weight, len(line))
        if self._tally.on:
            self._tally.count(call.service, outcome_of(line), self._hub.clock() - call.begun)
        self._outlet.send(line)

    def replied(self, call: OpenCall, line: bytes) -> None:
        """Send another client's answer to a call."""
        self._outside.remove(call.line_bytes, len(line))
        if self._tally.on:
            self._tally.count(CLIENTS, outcome_of(line), self._hub.clock() - call.begun)
        self._outlet.send(line)

    # -- inside

    def _call_own(self, own: LocalService | PoolService, message: Message, line: bytes) -> None:
        if isinstance(own, PoolService):
            self._submit(own, message, line)
            return
        params = self._hub.params
        before = params.unsaved()
        try:
            values = own.answer(self._hub, _args(message))
        except ServiceError as error:
            self.fail(message, error)
            return
        write = params.unsaved()
        if write is None or write is before:
            self._respond(message, values)
            return

        def confirm(refused: str) -> None:
            if not refused:
                self._respond(message, values)
                return
            sentence = f"it cannot be stored in the --state file: {refused}; nothing was changed"
            self.fail(message, ServiceError("limit_exceeded", sentence))

        self._wait(write, message, line, confirm)

    def _wait(
        self, write: Write, message: Message, line: bytes, then: Callable[[str], None]
    ) -> None:
        """Go on with a call once a write is settled, unless the client is gone by then."""
        self._saving.add(len(line))
        begun = self._begun

        def settled(refused: str) -> None:
            self._saving.remove(len(line), 0)
            if self._closed:
                return
            self._begun = begun
            try:
                then(refused)
            except Exception:
                log.exception("gateway error", extra={"peer": self._peer})
                self.apologise(message)

        write.waiters.append(settled)

    def _submit(self, service: PoolService, message: Message, line: bytes) -> None:
        args = message.get("args")
        if not isinstance(args, dict):
            args = {}  # the worker says what is wrong
        param = service.description_param(args)
        hub = self._hub
        now = hub.clock()
        call = Call(
            client=self,
            service=service.name,
            id_=message.get("id", ABSENT),
            line=line,
            cost=service.cost,
            deadline=now + service.deadline_seconds(args),
            description=None if param is None else hub.params.find(param),
        )
        call.begun = now
        call.items = service.items(args)
        description = call.description
        if description is not None and description.serial not in self._described:
            self._described.append(description.serial)
            call.weight += len(description.value)
        (self._solves if service.cost == "solve" else self._quick).add(call.weight)
        hub.pool.submit(call)

    def _call_outside(self, service: str, message: Message, line_bytes: int) -> None:
        providers = self._hub.providers
        _args(message)
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
            code = "limit_exceeded"
            line = response_line(
                *(service, id_, {"code": code}, code),
                f"the answer takes {len(line)} bytes; at most {self._hub.max_line_bytes} "
                "fit a line (--max-line-bytes)",
            )
        if self._tally.on:
            own = SERVICES.get(service)
            name = CLIENTS if own is None else own.name
            self._tally.count(name, code or OK, self._hub.clock() - self._begun)
        self._outlet.send(line)


def _args(message: Message) -> Args:
    args = message.get("args", {})
    if not isinstance(args, dict):
        raise ServiceError("invalid_request", f"'args' is {show(args)}; an object expected")
    return args
