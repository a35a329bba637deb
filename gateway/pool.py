"""The pool: calls in, answers out, whatever becomes of the workers in between."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections import Counter
from math import inf
from typing import Final

import orjson

from gateway.batching import Whole, parts_of
from gateway.calls import Call, Description, PoolFigures
from gateway.crew import Crew
from gateway.fair_queue import FairQueue
from gateway.kernel_cache import KernelCache
from gateway.worker_process import WorkerProcess

COSTS: Final = ("quick", "solve")
PENDING_BYTES: Final = 256 * 1024 * 1024  # of request lines waiting or under way
STRIKES: Final = 2  # deaths over one call, or one description, before it is refused
REMEMBERED: Final = 1000  # descriptions that were logged, so as not to log them again
WATCH_SECONDS: Final = 0.25  # between two looks at deadlines and signs of life

log = logging.getLogger(__name__)


class Pool:
    """Workers, the calls that wait for them, and the replacement of what dies."""

    def __init__(
        self, workers: int, max_pending: int, max_line_bytes: int, cache: KernelCache | None
    ) -> None:
        """Prepare a pool; `start` brings it to life.

        Args:
            workers: how many processes.
            max_pending: calls waiting or under way, beyond which one is `overloaded`.
            max_line_bytes: what an answer may measure.
            cache: where compiled kernels are kept; None to run them interpreted for good.
        """
        self._max_pending = max_pending
        self._max_line_bytes = max_line_bytes
        self._crew = Crew(self, workers, max_line_bytes, cache)
        self._queues = {cost: FairQueue() for cost in COSTS}
        self._numbers = itertools.count(1)
        self._pending = 0
        self._pending_bytes = 0
        self._strikes: Counter[int] = Counter()  # over descriptions, by serial
        self._newest: Description | None = None  # of the robot, kept ready in every worker
        self._refused_descriptions = 0
        self._reported: dict[int, None] = {}  # serials of descriptions that were logged
        self._idle = asyncio.Event()
        self._idle.set()
        self._watching: asyncio.Task[None] | None = None

    # -- life

    @property
    def live(self) -> int:
        """How many workers serve."""
        return sum(worker.serving for worker in self._crew.workers)

    def figures(self) -> PoolFigures:
        """Return what can be watched."""
        waiting = sum(map(len, self._queues.values()))
        return PoolFigures(
            *(self._crew.size, self.live, self._crew.deaths, waiting, self._pending),
            self._refused_descriptions,
        )

    def start(self) -> None:
        """Begin to start workers; calls may be submitted at once, and wait."""
        self._crew.start()
        self._watching = asyncio.ensure_future(self._watch())

    async def stop(self, seconds: float) -> None:
        """Answer what is under way, for so long, then end every worker."""
        if not self._idle.is_set():
            try:
                await asyncio.wait_for(self._idle.wait(), seconds)
            except TimeoutError:
                log.warning("calls given up", extra={"calls": self._pending})
        if self._watching is not None:
            self._watching.cancel()
        await self._crew.stop()

    async def _watch(self) -> None:
        """Time calls out, and see to it that every worker is alive."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            now = loop.time()
            overdue = [
                call for queue in self._queues.values() for call in queue.remove_overdue(now)
            ]
            for worker in self._crew.workers:
                overdue += worker.cancel_overdue(now)
                worker.check(now)
            for call in overdue:
                self._fail(call, "timeout", "the answer did not come in time; the gateway is busy")
            for cost in COSTS:
                self._feed(cost)

    # -- calls

    def submit(self, call: Call) -> None:
        """Have a call answered; it hears exactly once, through `done` or `fail`."""
        size = call.weight
        if self._pending >= self._max_pending or self._pending_bytes + size > PENDING_BYTES:
            call.fail(
                "overloaded",
                f"{self._pending} calls are pending (--max-pending {self._max_pending}); "
                "nothing was done, try again",
            )
            return
        parts = parts_of(call, self.live) if call.items else 1
        for each in Whole(call, parts, self._max_line_bytes).calls if parts > 1 else (call,):
            each.number = next(self._numbers)
            self._pending += 1
            self._pending_bytes += each.weight
            self._queues[call.cost].push(each)
        self._idle.clear()
        self._feed(call.cost)

    def cancel(self, client: object) -> None:
        """Forget the calls of a client that is gone; none of them hears any more."""
        for queue in self._queues.values():
            for call in queue.remove(client):
                self._count_out(call)
        for worker in self._crew.workers:
            for call in worker.cancel(client):
                self._count_out(call)
            self.on_room(worker)

    def give_up(self) -> None:
        """Answer all that is not answered yet: the time for it is up."""
        calls = [call for queue in self._queues.values() for call in queue.remove_overdue(inf)]
        for worker in self._crew.workers:
            calls += worker.cancel_overdue(inf)
        for call in calls:
            self._fail(call, "timeout", "the gateway stops, and the answer is not there yet")

    def describe(self, description: Description | None) -> None:
        """Have every worker read the robot's newest description before a call needs it."""
        self._newest = description
        for worker in self._crew.workers:
            if description is not None and worker.serving:
                worker.prefetch(description)

    def _feed(self, cost: str) -> None:
        """Give waiting calls to the workers with the least to do."""
        queue = self._queues[cost]
        while queue:
            able = [worker for worker in self._crew.workers if worker.has_room(cost)]
            if not able:
                return
            worker = min(able, key=_load) if len(able) > 1 else able[0]
            if not self._give_one(worker, cost):
                return

    def _give_one(self, worker: WorkerProcess, cost: str) -> bool:
        may_go = worker.may_solve_for if cost == "solve" else _always
        call = self._queues[cost].pop(may_go)
        if call is None:
            return False
        if call.description is not None and self._strikes[call.description.serial] >= STRIKES:
            self._fail(call, "worker_failed", "reading this robot description killed two workers")
        else:
            worker.give(call)
        return True

    def _count_out(self, call: Call) -> None:
        self._pending -= 1
        self._pending_bytes -= call.weight
        if not self._pending:
            self._idle.set()

    def _fail(self, call: Call, code: str, status: str) -> None:
        self._count_out(call)
        call.fail(code, status)

    # -- what workers tell

    def on_answer(self, worker: WorkerProcess, call: Call, outcome: int, line: bytes) -> None:
        """Pass an answer on."""
        del worker, outcome
        self._count_out(call)
        call.done(line)

    def on_ready(self, worker: WorkerProcess) -> None:
        """Give a new worker the robot first, then its share."""
        if self._newest is not None:
            worker.prefetch(self._newest)
        self.on_room(worker)

    def on_room(self, worker: WorkerProcess) -> None:
        """Fill a worker's window."""
        for cost in COSTS:
            while self._queues[cost] and worker.has_room(cost):
                if not self._give_one(worker, cost):
                    break

    def on_loaded(self, worker: WorkerProcess, description: Description, report: bytes) -> None:
        """Log what came of a description, once."""
        del worker
        if description.serial in self._reported:
            return
        self._reported[description.serial] = None
        if len(self._reported) > REMEMBERED:
            del self._reported[next(iter(self._reported))]
        fields = orjson.loads(report) | {"parameter": description.name}
        if "refusal" in fields:
            self._refused_descriptions += 1
            log.warning("robot description refused", extra=fields)
        else:
            log.info("robot loaded", extra=fields)

    def on_gone(self, worker: WorkerProcess, held: list[Call]) -> None:
        """Give what it held to others; what it died over takes a strike."""
        call, description = worker.at_death()
        if description is not None:
            self._strikes[description.serial] += 1
        if call is not None:
            call.strikes += 1
        for lost in reversed(held):
            if lost.strikes >= STRIKES:
                status = "the worker process died twice on this request; the gateway goes on"
                self._fail(lost, "worker_failed", status)
            else:
                self._queues[lost.cost].push_first(lost)
        for cost in COSTS:
            self._feed(cost)


def _load(worker: WorkerProcess) -> int:
    return worker.load


def _always(_client: object) -> bool:
    return True
