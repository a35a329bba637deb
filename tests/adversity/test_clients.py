"""Clients that vanish, dawdle and flood cost nobody else anything, and leave nothing behind."""

from __future__ import annotations

import json
import socket
import struct
import sys
import threading
from collections.abc import Iterator

import pytest

from tests.support.adversity import ARM, descriptors, line, memory_bytes, until
from tests.support.live import Live, gateway

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
INFO = "/ik/robot_info"  # its answer has some two thousand bytes
SET, GET = "/param_server/set_param", "/param_server/get_param"
CROWD = 500
QUIET_DESCRIPTORS = 24  # of a gateway with one worker and no client, at most
PIPELINED = 20_000
MIB = 1024 * 1024
GROWN_BYTES = 64 * MIB  # of the gateway, by all that one client is owed; it asks for over 300


@pytest.fixture(scope="module")
def live() -> Iterator[Live]:
    with gateway("--workers", "1") as running:
        running.load(ARM)
        yield running


@pytest.fixture(autouse=True)
def _nothing_left(live: Live) -> Iterator[None]:
    assert live.call(INFO, {})["result"]
    assert until(lambda: descriptors(live.process.pid) <= QUIET_DESCRIPTORS, 5)
    before = descriptors(live.process.pid)
    yield
    assert live.call(INFO, {})["result"]
    assert until(lambda: descriptors(live.process.pid) <= before, 5)


def test_clients_that_vanish(live: Live) -> None:
    for n in range(50):
        sock = socket.create_connection(("127.0.0.1", live.port), timeout=10)
        call = line(INFO, {}, n)
        sock.sendall(call * 5 + call[: len(call) // 2])  # in the middle of a line
        if n % 2:  # a reset
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        sock.close()


def test_a_half_closed_client_gets_all_that_it_is_owed(live: Live) -> None:
    answers = live.exchange(b"".join(line(INFO, {}, n) for n in range(300))[:-1])
    assert sorted(answer["id"] for answer in answers) == list(range(300))
    assert all(answer["result"] for answer in answers)


def test_a_client_that_sends_a_byte_at_a_time(live: Live) -> None:
    with live.connection() as sock, sock.makefile("rb") as stream:
        for byte in line(INFO, {}, "slow"):
            sock.sendall(bytes((byte,)))
        assert json.loads(stream.readline())["id"] == "slow"


def test_five_hundred_at_once(live: Live) -> None:
    crowd = [socket.create_connection(("127.0.0.1", live.port), timeout=30) for _ in range(CROWD)]
    for n, sock in enumerate(crowd):
        sock.sendall(line(INFO, {}, n))
    for n, sock in enumerate(crowd):
        with sock.makefile("rb") as stream:
            answer = json.loads(stream.readline())
        assert (answer["id"], answer["result"]) == (n, True)
        sock.close()


def test_a_client_that_never_reads_takes_no_memory(live: Live) -> None:
    live.call(SET, {"name": "large", "value": "x" * MIB})
    before = memory_bytes(live.process.pid)
    with live.connection() as sock:
        sock.settimeout(1.0)
        flood = b"".join(line(GET, {"name": "large"}, n) for n in range(PIPELINED))
        with pytest.raises(TimeoutError):
            sock.sendall(flood * 20)
        for n in range(20):
            assert live.call(INFO, {"n": n})["result"]
        assert memory_bytes(live.process.pid) - before < GROWN_BYTES


def test_twenty_thousand_calls_read_late(live: Live) -> None:
    before = memory_bytes(live.process.pid)
    with live.connection() as sock:
        calls = b"".join(line(INFO, {}, n) for n in range(PIPELINED))
        sender = threading.Thread(target=sock.sendall, args=(calls,))
        sender.start()
        for n in range(20):
            assert live.call(INFO, {"n": n})["result"]
        assert memory_bytes(live.process.pid) - before < GROWN_BYTES
        seen = set()
        with sock.makefile("rb") as stream:
            for _ in range(PIPELINED):
                answer = json.loads(stream.readline())
                assert answer["result"]
                seen.add(answer["id"])
        sender.join()
        assert seen == set(range(PIPELINED))
