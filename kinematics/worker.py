"""A worker process: frames in, models and answers out.

Run by the gateway as `python -m kinematics.worker`; see `kinematics.frames` for what is
said on the socket pair. Quick calls are answered as they arrive. Solves are searches
run in short slices, the one with the least time so far first, so that a search that
uses its whole time delays others by no more than a slice.
"""

from __future__ import annotations

import argparse
import gc
import heapq
import mmap
import signal
import socket
import sys
import time
import traceback
from typing import Final

from kinematics import compiling, parent
from kinematics.batches import Share
from kinematics.confinement import confine
from kinematics.descriptions import Descriptions, Loaded, describe
from kinematics.frames import (
    CALL_HEAD,
    DESCRIPTION_HEAD,
    MARK,
    MARK_DESCRIPTION,
    Frame,
    FrameReader,
    Kind,
    pack,
)
from kinematics.services import Answer, Job, begin, failed, limit_exceeded
from kinematics.warmup import call_every_kernel

SLICE_SECONDS: Final = 0.0005  # of searching between two looks at the socket
SWEEP_SECONDS: Final = 0.05  # between two looks for searches whose deadline is near
ANSWER_MARGIN_SECONDS: Final = 0.25  # before its deadline a search gives the best it has
READ_BYTES: Final = 256 * 1024  # of one recv; a window of ordinary calls fits several times
FRAME_OVERHEAD_BYTES: Final = 64  # of a payload beside the line it carries


class Worker:
    """One worker: what it holds and what it is doing."""

    def __init__(self, sock: socket.socket, mark: mmap.mmap, max_line_bytes: int) -> None:
        self._sock = sock
        self._mark = mark
        self._max_line_bytes = max_line_bytes
        self._reader = FrameReader(max_line_bytes + FRAME_OVERHEAD_BYTES)
        self._descriptions = Descriptions()
        self._queue: list[tuple[float, int]] = []  # heap: seconds so far, call number
        self._jobs: dict[int, tuple[Job, Frame, float]] = {}  # number -> job, call, deadline
        self._out: list[bytes] = []
        self._next_sweep = 0.0
        self._stopping = False

    def run(self) -> None:
        """Serve until told to stop, or until the gateway is gone."""
        self._out.append(pack(Kind.READY, 0, compiling.mode().encode()))
        self._send()
        while self._jobs or not self._stopping:
            frames = self._receive(wait=not self._jobs)
            if frames is None:
                return
            for frame in frames:
                self._take(frame)
            self._send()
            if self._jobs:
                self._search_a_slice()
                self._send()
            MARK.pack_into(self._mark, 0, 0)

    def _receive(self, *, wait: bool) -> list[Frame] | None:
        """Return the frames that have arrived, or None at the end of the stream."""
        try:
            data = self._sock.recv(READ_BYTES, 0 if wait else socket.MSG_DONTWAIT)
        except BlockingIOError:
            return []
        return self._reader.feed(data) if data else None

    def _send(self) -> None:
        if self._out:
            self._sock.sendall(b"".join(self._out))
            self._out.clear()

    def _take(self, frame: Frame) -> None:
        match frame.kind:
            case Kind.CALL:
                self._take_call(frame)
            case Kind.DESCRIPTION:
                self._take_description(frame)
            case Kind.PING:
                self._out.append(pack(Kind.PONG, frame.number))
            case Kind.FORGET:
                self._descriptions.forget(frame.number)
            case Kind.CANCEL:
                self._jobs.pop(frame.number, None)
            case Kind.STOP:
                self._stopping = True

    def _take_description(self, frame: Frame) -> None:
        MARK.pack_into(self._mark, 0, frame.number | MARK_DESCRIPTION)
        (version,) = DESCRIPTION_HEAD.unpack_from(frame.payload)
        value = frame.payload[DESCRIPTION_HEAD.size :]
        loaded = self._descriptions.load(frame.number, version, value)
        self._out.append(pack(Kind.LOADED, frame.number, describe(loaded)))

    def _take_call(self, frame: Frame) -> None:
        MARK.pack_into(self._mark, 0, frame.number)
        deadline, serial, part, parts = CALL_HEAD.unpack_from(frame.payload)
        loaded = self._descriptions.get(serial)
        try:
            begun = begin(frame.payload[CALL_HEAD.size :], loaded, Share(part, parts))
        except Exception as error:  # noqa: BLE001  one call's fault must not cost the others
            self._answer(frame, loaded, self._fault(frame, loaded, error))
            return
        if isinstance(begun, tuple):
            self._answer(frame, loaded, begun)
        else:
            self._jobs[frame.number] = begun, frame, deadline
            heapq.heappush(self._queue, (0.0, frame.number))

    def _search_a_slice(self) -> None:
        """Run searches, least time so far first, until a slice is used up."""
        now = time.monotonic()
        end = now + SLICE_SECONDS
        if now >= self._next_sweep:
            self._next_sweep = now + SWEEP_SECONDS
            for number, (_, _, deadline) in list(self._jobs.items()):
                if now >= deadline - ANSWER_MARGIN_SECONDS:
                    self._step(number, 0.0)
        while self._queue and now < end:
            _, number = heapq.heappop(self._queue)
            if number in self._jobs:  # neither cancelled nor swept
                self._step(number, end - now)
            now = time.monotonic()

    def _step(self, number: int, slice_seconds: float) -> None:
        """Run one search for a while and answer if it is done; a slice of 0 ends it now."""
        MARK.pack_into(self._mark, 0, number)
        job, frame, _ = self._jobs[number]
        try:
            if slice_seconds and not job.run(slice_seconds, time.monotonic):
                heapq.heappush(self._queue, (job.seconds, number))
                return
            answer = job.finish()
        except Exception as error:  # noqa: BLE001  as in _take_call
            answer = self._fault(frame, job.loaded, error)
        del self._jobs[number]
        self._answer(frame, job.loaded, answer)

    def _fault(self, frame: Frame, loaded: Loaded, error: Exception) -> Answer:
        text = "".join(traceback.format_exception(error))
        self._out.append(pack(Kind.FAULT, frame.number, text.encode("utf-8", "replace")))
        return failed(frame.payload[CALL_HEAD.size :], loaded, error)

    def _answer(self, frame: Frame, loaded: Loaded, answer: Answer) -> None:
        outcome, line = answer
        if len(line) > self._max_line_bytes:
            request = frame.payload[CALL_HEAD.size :]
            outcome, line = limit_exceeded(request, loaded, len(line), self._max_line_bytes)
        self._out.append(pack(Kind.ANSWER, frame.number, bytes((outcome,)) + line))


def main() -> int:
    """Run a worker on the descriptors that the gateway passed."""
    parser = argparse.ArgumentParser(description="A kinematics worker; started by the gateway.")
    for option in ("--socket-fd", "--mark-fd", "--parent-pid", "--max-line-bytes"):
        parser.add_argument(option, type=int, required=True)
    options = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):  # the gateway's to act on; it says STOP
        signal.signal(number, signal.SIG_IGN)
    if not parent.die_with(options.parent_pid):
        return 1
    confine(options.max_line_bytes)
    if compiling.COMPILED:
        call_every_kernel()  # before READY: no request waits for a kernel to be loaded
    gc.freeze()  # what is imported stays: the collector need not look at it again
    with (
        socket.socket(fileno=options.socket_fd) as sock,
        mmap.mmap(options.mark_fd, MARK.size) as mark,
    ):
        try:
            Worker(sock, mark, options.max_line_bytes).run()
        except (BrokenPipeError, ConnectionResetError):
            return 1  # the gateway is gone, and with it everybody who waits for an answer
    return 0


if __name__ == "__main__":
    sys.exit(main())
