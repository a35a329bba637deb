"""Calls that wait for a worker: each client in turn, each client's own in order."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Iterator

from gateway.calls import Call


class FairQueue:
    """A round robin over clients; one that sends a thousand calls delays the others by one."""

    def __init__(self) -> None:
        self._clients: OrderedDict[object, deque[Call]] = OrderedDict()
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Call]:
        for calls in self._clients.values():
            yield from calls

    def push(self, call: Call) -> None:
        """Add a call behind its client's others."""
        self._calls_of(call.client).append(call)
        self._length += 1

    def push_first(self, call: Call) -> None:
        """Put back a call that was taken before: it has waited already."""
        self._calls_of(call.client).appendleft(call)
        self._length += 1
        self._clients.move_to_end(call.client, last=False)

    def pop(self, may_go: Callable[[object], bool]) -> Call | None:
        """Take the next call of the first client in turn that may have one more under way."""
        for client, calls in self._clients.items():
            if may_go(client):
                call = calls.popleft()
                self._length -= 1
                if calls:
                    self._clients.move_to_end(client)
                else:
                    del self._clients[client]
                return call
        return None

    def remove(self, client: object) -> list[Call]:
        """Take out all that a client has waiting."""
        calls = self._clients.pop(client, deque())
        self._length -= len(calls)
        return list(calls)

    def remove_overdue(self, now: float) -> list[Call]:
        """Take out the calls whose deadline is past."""
        overdue = [call for call in self if call.deadline <= now]
        for client in {call.client for call in overdue}:
            kept = deque(call for call in self._clients[client] if call.deadline > now)
            if kept:
                self._clients[client] = kept
            else:
                del self._clients[client]
        self._length -= len(overdue)
        return overdue

    def _calls_of(self, client: object) -> deque[Call]:
        calls = self._clients.get(client)
        if calls is None:
            calls = self._clients[client] = deque()
        return calls
