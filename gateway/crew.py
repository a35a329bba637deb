"""The workers that come and go: started, replaced when they die, renewed once compiled."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Coroutine
from typing import Final, Protocol

from gateway import children
from gateway.kernel_cache import KernelCache
from gateway.warm_up import compile_kernels
from gateway.worker_process import Owner, WorkerProcess

READY_SECONDS: Final = 60.0  # for a worker to start; even a cold disk takes a few
SOON_SECONDS: Final = 0.5  # a worker that dies this soon after its start counts as a failed start
RETRY_SECONDS: Final = (0.0, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)  # before the next start, by failures
COMPILED_FAILURES: Final = 3  # failed starts in a row before the compiled kernels are given up
NOT_THE_KERNELS: Final = (None, -signal.SIGKILL)  # no process was to be had; somebody killed it
LEAVE_SECONDS: Final = 1.0  # for a worker without calls to end after STOP

log = logging.getLogger(__name__)


class CrewOwner(Owner, Protocol):
    """What the pool is told."""

    def on_ready(self, worker: WorkerProcess) -> None:
        """A worker serves."""


class Crew:
    """As many serving workers as wanted, as far as the machine can give them."""

    def __init__(
        self, owner: CrewOwner, size: int, max_line_bytes: int, cache: KernelCache | None
    ) -> None:
        self.workers: list[WorkerProcess] = []  # from their start to their end
        self.size = size
        self.deaths = 0  # of workers that had served, and were not asked to leave
        self._owner = owner
        self._max_line_bytes = max_line_bytes
        self._cache = cache
        self._compiled = cache is not None and cache.warm
        self._outdated = asyncio.Event()  # set when compiled kernels are there at last
        self._one_by_one = asyncio.Lock()  # of renewing workers that serve
        self._failures = 0  # of starts, in a row
        self._unready = 0  # of compiled workers that never served, in a row
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """Begin to start workers, and to compile the kernels if that has to be done."""
        for _ in range(self.size):
            self._spawn(self._keep_one())
        if self._cache is not None and not self._cache.warm:
            self._spawn(self._compile(self._cache))

    async def stop(self) -> None:
        """End every worker, and wait for it."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        workers = list(self.workers)
        for worker in workers:
            worker.retire()
        await asyncio.gather(*(worker.reap(LEAVE_SECONDS) for worker in workers))
        if self._cache is not None:
            self._cache.remove()

    def _spawn(self, coroutine: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _keep_one(self) -> None:
        """Keep one place filled."""
        worker = await self._bring_up()
        while True:
            if await self._is_outdated(worker):
                async with self._one_by_one:
                    successor = await self._bring_up()
                worker.retire()
            else:
                successor = await self._bring_up()
            worker = successor

    async def _is_outdated(self, worker: WorkerProcess) -> bool:
        """Wait until a worker is gone (False), or a faster one can be had (True)."""
        if worker.kernels == "compiled":
            await worker.gone.wait()
            return False
        waits = [asyncio.create_task(event.wait()) for event in (worker.gone, self._outdated)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        return not worker.gone.is_set()

    async def _bring_up(self) -> WorkerProcess:
        """Start a worker, again and again with growing pauses, until one serves."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(RETRY_SECONDS[min(self._failures, len(RETRY_SECONDS) - 1)])
            started = loop.time()
            worker = WorkerProcess(self._owner, self._max_line_bytes)
            if await self._start(worker):
                seconds = round(loop.time() - started, 3)
                log.info(
                    "worker ready",
                    extra={"pid": worker.pid, "kernels": worker.kernels, "seconds": seconds},
                )
                self._unready = 0
                self._owner.on_ready(worker)
                return worker
            self._failures += 1
            status = await worker.reap(LEAVE_SECONDS)
            if status not in NOT_THE_KERNELS:
                self._unready += 1
            if self._compiled and self._unready >= COMPILED_FAILURES:
                self._compiled = False
                self._outdated.clear()  # or each interpreted worker would be renewed at once
                log.error("compiled kernels given up", extra={"failed_starts": self._unready})

    async def _start(self, worker: WorkerProcess) -> bool:
        """Start a worker; return whether it serves."""
        folder = self._cache.folder if self._cache is not None else None
        try:
            await worker.start(children.environment(folder, compiled=self._compiled))
        except OSError as error:
            log.error("worker not started", extra={"error": str(error)})  # noqa: TRY400
            return False
        self.workers.append(worker)
        self._spawn(self._bury(worker))
        try:
            async with asyncio.timeout(READY_SECONDS):
                await worker.settled.wait()
        except TimeoutError:
            log.error("worker not ready", extra={"pid": worker.pid, "seconds": READY_SECONDS})  # noqa: TRY400
            worker.kill()
            await worker.gone.wait()
        return worker.serving

    async def _bury(self, worker: WorkerProcess) -> None:
        """See a worker's end: reap it, say so, and count one that came too soon."""
        loop = asyncio.get_running_loop()
        await worker.settled.wait()
        served_from = loop.time()
        await worker.gone.wait()
        if worker.kernels:
            soon = loop.time() - served_from < SOON_SECONDS
            self._failures = self._failures + 1 if soon else 0
        status = await worker.reap(LEAVE_SECONDS)
        self.workers.remove(worker)
        if not worker.retiring:
            self.deaths += bool(worker.kernels)
            live = sum(other.serving for other in self.workers)
            log.error(
                "worker died",
                extra={"pid": worker.pid, "status": status, "live": f"{live}/{self.size}"},
            )

    async def _compile(self, cache: KernelCache) -> None:
        """Fill the cache, then have every interpreted worker make room for a fast one."""
        if await compile_kernels(cache):
            self._compiled = True
            self._outdated.set()
