"""One worker as the gateway sees it: the process, its socket, and what it holds."""

from __future__ import annotations

import asyncio
import logging
import mmap
import os
import socket
import subprocess
import tempfile
from collections import OrderedDict
from collections.abc import Mapping
from typing import Final, Protocol

from gateway import children
from gateway.calls import Call, Description
from gateway.window import Window
from kinematics.frames import (
    MARK,
    MARK_DESCRIPTION,
    Frame,
    FrameError,
    FrameReader,
    Kind,
    pack,
    pack_call,
    pack_description,
)

DESCRIPTIONS_PER_WORKER: Final = 16  # that may be named without sending the text again
FRAME_OVERHEAD_BYTES: Final = 1024 * 1024  # of an answer or a traceback, beside the line limit
PING_SECONDS: Final = 1.0  # of silence before a worker is asked for a sign of life
STALL_SECONDS: Final = 3.0  # of silence after that; every step of a worker is far shorter
STALL_SECONDS_PER_BYTE: Final = 3e-6  # of descriptions that it reads: ten times what that takes

log = logging.getLogger(__name__)


class Owner(Protocol):
    """What a worker tells the pool."""

    def on_answer(self, worker: WorkerProcess, call: Call, outcome: int, line: bytes) -> None:
        """A call is answered."""

    def on_loaded(self, worker: WorkerProcess, description: Description, report: bytes) -> None:
        """A description has been read."""

    def on_room(self, worker: WorkerProcess) -> None:
        """Calls may be given to it (again)."""

    def on_gone(self, worker: WorkerProcess, held: list[Call]) -> None:
        """It is no more; `held` is what it had not answered."""


class WorkerProcess(asyncio.Protocol):
    """A worker process, from its start to its end."""

    def __init__(self, owner: Owner, max_line_bytes: int) -> None:
        self._owner = owner
        self._max_line_bytes = max_line_bytes
        self._reader = FrameReader(max_line_bytes + FRAME_OVERHEAD_BYTES)
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.WriteTransport | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._mark: mmap.mmap | None = None
        self._out: list[bytes] = []
        self._paused = False
        self._window = Window()
        self._sent: OrderedDict[int, Description] = OrderedDict()  # by serial, oldest use first
        self._loading: dict[int, Description] = {}
        self._next_prefetch: Description | None = None
        self._heard = self._loop.time()
        self._pinged: float | None = None
        self.retiring = False
        self.kernels = ""  # "compiled" or "interpreted", once it is ready
        self.settled = asyncio.Event()  # it serves, or is gone before it ever did
        self.gone = asyncio.Event()

    # -- its life

    async def start(self, environment: Mapping[str, str]) -> None:
        """Start the process and connect to it.

        Raises:
            OSError: there is no process, descriptor or memory to be had.
        """
        ours, theirs = socket.socketpair()
        with theirs, tempfile.TemporaryFile() as shared:
            try:
                shared.truncate(MARK.size)
                self._mark = mmap.mmap(shared.fileno(), MARK.size)
                self._process = children.start(
                    "kinematics.worker",
                    (
                        *("--socket-fd", theirs.fileno(), "--mark-fd", shared.fileno()),
                        *("--parent-pid", os.getpid(), "--max-line-bytes", self._max_line_bytes),
                    ),
                    env=environment,
                    pass_fds=(theirs.fileno(), shared.fileno()),
                )
            except OSError:
                ours.close()
                raise
        ours.setblocking(False)
        await self._loop.create_connection(lambda: self, sock=ours)

    @property
    def pid(self) -> int:
        """The process id, 0 before the start."""
        return self._process.pid if self._process else 0

    @property
    def serving(self) -> bool:
        """Whether it may be given calls at all."""
        return bool(self.kernels) and not self.retiring and not self.gone.is_set()

    def retire(self) -> None:
        """Let it finish what it holds and leave."""
        self.retiring = True
        self._write(pack(Kind.STOP, 0))

    def kill(self) -> None:
        """End it now; what it holds comes back through `on_gone`."""
        if self._process is not None:
            self._process.kill()

    async def reap(self, seconds: float) -> int | None:
        """Wait for the process's end, killing it when the time is up; return its status."""
        if self._process is None:
            return None
        status = await children.ended(self._process, seconds)
        return await children.kill(self._process) if status is None else status

    # -- calls

    @property
    def load(self) -> int:
        """How many calls it holds."""
        return len(self._window)

    def has_room(self, cost: str) -> bool:
        """Whether it may be given one more call of this cost."""
        return self.serving and not self._paused and self._window.has_room(cost)

    def may_solve_for(self, client: object) -> bool:
        """Whether this client may have one more search under way here."""
        return self._window.may_solve_for(client)

    def give(self, call: Call) -> None:
        """Hand it a call, and the description it is about unless it has that."""
        description = call.description
        serial, weight = 0, len(call.line)
        if description is not None:
            serial = description.serial
            if serial in self._sent:
                self._sent.move_to_end(serial)
            else:
                self._send_description(description)
                weight += len(description.value)
        self._window.add(call, weight)
        self._write(pack_call(call.number, call.deadline, serial, call.line, call.part, call.parts))

    def cancel(self, client: object) -> list[Call]:
        """Drop what a client has here; return it."""
        return self._take_back([call for call in self._window.all() if call.client is client])

    def cancel_overdue(self, now: float) -> list[Call]:
        """Drop the calls whose deadline is past; return them."""
        return self._take_back([call for call in self._window.all() if call.deadline <= now])

    def _take_back(self, calls: list[Call]) -> list[Call]:
        for call in calls:
            self._window.take(call.number)
            self._write(pack(Kind.CANCEL, call.number))
        return calls

    # -- descriptions

    def prefetch(self, description: Description) -> None:
        """Have it read a description before a call needs it.

        One at a time: of a burst of sets only the newest is worth reading.
        """
        if self._loading:
            self._next_prefetch = description
        elif description.serial not in self._sent:
            self._send_description(description)

    def _send_description(self, description: Description) -> None:
        self._sent[description.serial] = self._loading[description.serial] = description
        self._write(pack_description(description.serial, description.version, description.value))
        if len(self._sent) > DESCRIPTIONS_PER_WORKER:
            serial, _ = self._sent.popitem(last=False)
            self._write(pack(Kind.FORGET, serial))

    # -- being alive

    def check(self, now: float) -> None:
        """Ask a silent worker for a sign of life; kill one that gives none."""
        if self._pinged is None:
            if now - self._heard >= PING_SECONDS and self.kernels:
                self._pinged = now
                self._write(pack(Kind.PING, 0))
            return
        loading = sum(len(description.value) for description in self._loading.values())
        limit = STALL_SECONDS + STALL_SECONDS_PER_BYTE * loading
        if now - self._pinged >= limit:
            log.error("worker stalled", extra={"pid": self.pid, "seconds": now - self._heard})
            self.kill()

    def at_death(self) -> tuple[Call | None, Description | None]:
        """Return the call or the description that it was at when it died."""
        (mark,) = MARK.unpack_from(self._mark) if self._mark else (0,)
        if mark & MARK_DESCRIPTION:
            return None, self._sent.get(mark ^ MARK_DESCRIPTION)
        return self._window.get(mark), None

    # -- asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Act on the frames that this completes."""
        self._heard, self._pinged = self._loop.time(), None
        try:
            frames = self._reader.feed(data)
        except FrameError as error:
            log.error("worker sent garbage", extra={"pid": self.pid, "error": str(error)})  # noqa: TRY400
            self.kill()
            return
        for frame in frames:
            self._take(frame)
        if self.serving:
            self._owner.on_room(self)

    def pause_writing(self) -> None:
        """Give it no more calls until it has read what it was sent."""
        self._paused = True

    def resume_writing(self) -> None:
        """Go on."""
        self._paused = False
        self._owner.on_room(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone, or as good as: nothing can be asked of it any more."""
        del exc
        self.kill()
        self.settled.set()
        self.gone.set()
        self._owner.on_gone(self, self._window.all())
        if self._mark is not None:
            self._mark.close()
            self._mark = None

    def _take(self, frame: Frame) -> None:
        match frame.kind:
            case Kind.ANSWER:
                call = self._window.take(frame.number)
                if call is not None:  # else it was cancelled, or timed out
                    self._owner.on_answer(self, call, frame.payload[0], frame.payload[1:])
            case Kind.LOADED:
                self._take_loaded(frame)
            case Kind.READY:
                self.kernels = frame.payload.decode()
                self.settled.set()
            case Kind.FAULT:
                text = frame.payload.decode("utf-8", "replace")
                log.error("worker error", extra={"pid": self.pid, "traceback": text})

    def _take_loaded(self, frame: Frame) -> None:
        description = self._loading.pop(frame.number)
        self._owner.on_loaded(self, description, frame.payload)
        if not self._loading and self._next_prefetch is not None:
            following, self._next_prefetch = self._next_prefetch, None
            self.prefetch(following)

    def _write(self, data: bytes) -> None:
        if self.gone.is_set():
            return
        if not self._out:
            self._loop.call_soon(self._flush)
        self._out.append(data)

    def _flush(self) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(b"".join(self._out))
        self._out.clear()
