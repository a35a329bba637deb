"""Parameters on their way to the disk: in batches, in a thread of their own.

All that came while one batch was being written is the next one, so a burst of sets shares
a few syncs. Nothing else waits for the disk.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from gateway.params import Params, Write
from gateway.state_file import StateFile

BATCH_WRITES: Final = 1000  # of one transaction, so that the first of them does not wait long
BATCH_BYTES: Final = 16 * 1024 * 1024

log = logging.getLogger(__name__)


class Saving:
    """Keeps what `Params` writes in a state file."""

    def __init__(self, file: StateFile, params: Params) -> None:
        """Begin with what the file holds.

        Raises:
            StateError: the file is damaged.
        """
        self._file = file
        self._params = params
        self._waiting: deque[Write] = deque()
        self._running: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="state")
        self._failing = False  # said so in the log
        params.restore(file.load())
        params.keep_with(self)

    def keep(self, write: Write) -> None:
        """Have a write kept, then settled."""
        self._waiting.append(write)
        if self._running is None:
            self._running = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        """Keep what has come, and close the file."""
        while self._running is not None:
            await asyncio.wait([self._running])
        self._thread.shutdown()
        self._file.close()

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while self._waiting:
                batch = self._next_batch()
                if batch:
                    results = await loop.run_in_executor(self._thread, self._file.store, batch)
                    self._settle(batch, results)
        finally:
            self._running = None

    def _next_batch(self) -> list[Write]:
        """Take what is to be written next; settle what was refused while it waited."""
        batch: list[Write] = []
        size = 0
        while self._waiting and len(batch) < BATCH_WRITES and size < BATCH_BYTES:
            if self._waiting[0].refused:
                if batch:  # settled in order: after those before it
                    break
                self._params.settle(self._waiting.popleft())
                continue
            batch.append(self._waiting.popleft())
            size += len(batch[-1].value or b"")
        return batch

    def _settle(self, batch: list[Write], results: list[str]) -> None:
        self._tell(next(filter(None, results), ""))
        for write, error in zip(batch, results, strict=True):
            write.refused = write.refused or error
            self._params.settle(write)

    def _tell(self, error: str) -> None:
        """Log the first failure, and that it is over."""
        if error and not self._failing:
            log.error("parameters cannot be stored", extra={"error": error})
        elif self._failing and not error:
            log.info("parameters can be stored again")
        self._failing = bool(error)
