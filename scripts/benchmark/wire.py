"""The gateway end to end: how long a call takes, how many fit in a second, what each costs."""

from __future__ import annotations

import json
import selectors
import socket
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from scripts.benchmark import processes
from scripts.benchmark.arms import Arm, Array
from scripts.benchmark.ours import quaternion
from scripts.benchmark.processes import Gateway, cpu_seconds, request
from scripts.benchmark.targets import percentile, targets

LOADS: Final = ((1, 1), (8, 1), (64, 1), (8, 32))  # connections, calls under way on each
DISTINCT: Final = 200  # IK calls that are sent in turn
READ_BYTES: Final = 1 << 18
WORKERS: Final = (1, 2)


@dataclass
class Client:
    """One connection: how many answers are owed, since when."""

    sock: socket.socket
    sent: deque[float] = field(default_factory=deque)
    next: int = 0


def drive(
    port: int, lines: list[bytes], connections: int, depth: int, seconds: float
) -> dict[str, float]:
    """Keep so many calls under way on each connection; return latencies and the rate."""
    selector = selectors.DefaultSelector()
    clients = []
    for number in range(connections):
        sock = socket.create_connection(("127.0.0.1", port))
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client = Client(sock, next=number * 7)
        clients.append(client)
        selector.register(sock, selectors.EVENT_READ, client)
        send(client, lines, depth)
    latencies: list[float] = []
    started = time.perf_counter()
    while (now := time.perf_counter()) < started + seconds:
        for key, _ in selector.select(1.0):
            answered = take(key.data, latencies)
            send(key.data, lines, answered)
    spent = now - started
    for client in clients:
        client.sock.close()
    selector.close()
    us = [1e6 * latency for latency in latencies]
    return {
        "p50_us": percentile(us, 50),
        "p99_us": percentile(us, 99),
        "per_second": len(us) / spent,
        "calls": len(us),
    }


def send(client: Client, lines: list[bytes], count: int) -> None:
    """Send the next calls."""
    if count:
        chosen = [lines[(client.next + i) % len(lines)] for i in range(count)]
        client.next += count
        client.sent.extend([time.perf_counter()] * count)
        client.sock.sendall(b"".join(chosen))


def take(client: Client, latencies: list[float]) -> int:
    """Take what has come; return how many answers that completes."""
    data = client.sock.recv(READ_BYTES)
    if not data:
        raise ConnectionError("the server closed the connection")
    count, now = data.count(b"\n"), time.perf_counter()
    latencies.extend(now - client.sent.popleft() for _ in range(count))
    return count


def measure(arms: list[Arm], seconds: float) -> list[dict[str, Any]]:
    """Return a row for each work, load and number of workers, and for an echo of as many bytes."""
    by_name = {arm.name: arm for arm in arms}
    rows = []
    for workers in WORKERS:
        with processes.gateway(workers) as running:
            running.wait_compiled(workers)
            for work, arm, lines in works(by_name):
                running.load(arm.text)
                size = answer_bytes(running, lines)
                for connections, depth in LOADS:
                    row = {
                        "work": work,
                        "workers": workers,
                        "connections": connections,
                        "depth": depth,
                        "bytes": size,
                    }
                    rows.append(row | one(running, lines, connections, depth, seconds))
                    if workers == 1 and work.startswith("FK"):
                        rows.append(
                            row
                            | {"work": f"echo for {work}", "workers": 0}
                            | bare(size, lines, connections, depth, seconds)
                        )
            if workers == max(WORKERS):
                rows.append(fk_beside_unreachable(running, by_name["Panda"], seconds))
                rows.append(new_description(running, by_name["PR2"]))
    return rows


def one(
    running: Gateway, lines: list[bytes], connections: int, depth: int, seconds: float
) -> dict[str, float]:
    """Drive the gateway and read its CPU, and its workers', a call."""
    drive(running.port, lines, connections, depth, seconds / 5)
    pids = running.workers()
    before, worker_before = cpu_seconds(running.process.pid), sum(map(cpu_seconds, pids))
    figures = drive(running.port, lines, connections, depth, seconds)
    cpu, worker = (
        cpu_seconds(running.process.pid) - before,
        sum(map(cpu_seconds, pids)) - worker_before,
    )
    calls = max(1.0, figures["calls"])
    return figures | {"gateway_cpu_us": cpu / calls * 1e6, "worker_cpu_us": worker / calls * 1e6}


def bare(
    size: int, lines: list[bytes], connections: int, depth: int, seconds: float
) -> dict[str, float]:
    """Drive an echo that answers as many bytes."""
    with processes.echo(size) as (process, port):
        before = cpu_seconds(process.pid)
        figures = drive(port, lines, connections, depth, seconds)
        cpu = cpu_seconds(process.pid) - before
    return figures | {"gateway_cpu_us": cpu / max(1.0, figures["calls"]) * 1e6}


def works(arms: dict[str, Arm]) -> list[tuple[str, Arm, list[bytes]]]:
    """Return what is called: its name, the robot, and the lines."""
    pr2, panda = arms["PR2"], arms["Panda"]
    links = [link.name for link in pr2.robot.links]
    fk = "/ik/forward_kinematics"
    return [
        ("FK, one link", pr2, [request(fk, {"links": [pr2.tip]})]),
        (f"FK, all {len(links)} links", pr2, [request(fk, {"links": links})]),
        ("IK, random seed", panda, ik_lines(panda, "uniform")),
        ("IK, near seed", panda, ik_lines(panda, "near")),
    ]


def ik_lines(arm: Arm, mode: str) -> list[bytes]:
    """Return IK calls for different targets."""
    return [
        request(
            "/ik/solve_robot",
            {"link": arm.tip, "target": pose(target.T), "seed": seed_of(arm, target.seed)},
        )
        for target in targets(arm.chain, mode, DISTINCT)
    ]


def pose(T: Array) -> dict[str, Any]:
    """Return a pose as requests have it."""
    return {
        "position": dict(zip("xyz", map(float, T[:3, 3]), strict=True)),
        "orientation": dict(zip("xyzw", map(float, quaternion(T)), strict=True)),
    }


def seed_of(arm: Arm, q: Array) -> dict[str, Any]:
    """Return joint values as requests have them."""
    return {
        "name": [step.name for step in arm.chain.steps],
        "position": [float(value) for value in q],
    }


def answer_bytes(running: Gateway, lines: list[bytes]) -> int:
    """Return how long the first answer is; all of them have to be good ones."""
    sizes = []
    with (
        socket.create_connection(("127.0.0.1", running.port)) as sock,
        sock.makefile("rb") as stream,
    ):
        for line in lines:
            sock.sendall(line)
            answer = stream.readline()
            if not json.loads(answer)["result"]:
                raise ValueError(answer.decode())
            sizes.append(len(answer))
    return sizes[0]


def fk_beside_unreachable(running: Gateway, arm: Arm, seconds: float) -> dict[str, Any]:
    """Return how long FK takes while as many searches as there are workers go on in vain."""
    running.load(arm.text)
    # Within reach, but beyond what the joints allow: searched for until the time is up.
    hopeless = arm.chain.pose(
        np.clip(np.zeros(len(arm.chain.steps)), arm.chain.lower, arm.chain.upper)
    )
    hopeless[:3, 3] = [0.0, 0.0, 0.02]
    line = request("/ik/solve_robot", {"link": arm.tip, "target": pose(hopeless), "timeout": 0.1})
    with socket.create_connection(("127.0.0.1", running.port)) as sock:
        sock.sendall(line * (int(seconds / 0.1) * 4 + 8))
        figures = drive(
            running.port, [request("/ik/forward_kinematics", {"links": [arm.tip]})], 1, 1, seconds
        )
    return {
        "work": "FK beside hopeless IK",
        "workers": max(WORKERS),
        "connections": 1,
        "depth": 1,
    } | figures


def new_description(running: Gateway, arm: Arm) -> dict[str, Any]:
    """Return how long it takes until a new description has been stored and used, µs."""
    spent = []
    for number in range(15):
        text = arm.text + f"<!-- {number} -->"
        started = time.perf_counter()
        running.load(text)
        for _ in running.workers():
            running.call("/ik/forward_kinematics", {"links": [arm.tip]})
        spent.append((time.perf_counter() - started) * 1e6)
    return {
        "work": f"new description of {arm.name}, stored and used",
        "workers": max(WORKERS),
        "connections": 1,
        "depth": 1,
        "p50_us": percentile(spent, 50),
        "p99_us": percentile(spent, 99),
        "calls": len(spent),
    }
