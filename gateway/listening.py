"""Sockets to listen on, and how many connections they may lead to."""

from __future__ import annotations

import contextlib
import resource
import socket
from typing import Final

from gateway.errors import ListenError

RESERVED_DESCRIPTORS: Final = 32  # for listeners, the state file, the log, the event loop
DESCRIPTORS_PER_WORKER: Final = 8  # its socket and memory, and what its start takes for a moment
BACKLOG: Final = 1024  # connections that the kernel holds until they are accepted


def bind(
    host: str, port: int, option: str = "--port", host_option: str = "--host"
) -> list[socket.socket]:
    """Bind every address of a host that can be bound; port 0 is one free port for all.

    Args:
        host: name or address.
        port: of all of them.
        option: where the port comes from, for the complaint.
        host_option: where the host does.

    Raises:
        ListenError: there is none.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise ListenError(f"{host_option} {host} does not resolve: {error.strerror}") from None
    sockets: list[socket.socket] = []
    reasons: list[str] = []
    for family, _, _, _, address in dict.fromkeys(found):
        chosen = sockets[0].getsockname()[1] if sockets else port
        try:
            sockets.append(_bind_one(family, (address[0], chosen, *address[2:])))
        except OSError as error:
            reasons.append(f"{address[0]}: {error.strerror}")
    if not sockets:
        raise ListenError(
            f"cannot listen on {host_option} {host} {option} {port} ({'; '.join(reasons)})"
        )
    return sockets


def _bind_one(family: int, address: tuple[object, ...]) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.bind(address)
        sock.listen(BACKLOG)  # another program may listen here although the bind went well
        sock.setblocking(False)
    except OSError:
        sock.close()
        raise
    return sock


def address_text(sock: socket.socket) -> str:
    """Return `HOST:PORT`, or `[HOST]:PORT` for IPv6."""
    host, port, *_ = sock.getsockname()
    return f"[{host}]:{port}" if sock.family == socket.AF_INET6 else f"{host}:{port}"


def connection_limit(wanted: int, workers: int) -> int:
    """Return how many connections there may be, having raised the limit on descriptors.

    Args:
        wanted: how many there should be room for.
        workers: how many there are; each takes descriptors, twice as many while it is renewed.
    """
    reserved = RESERVED_DESCRIPTORS + DESCRIPTORS_PER_WORKER * workers
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted + reserved:
        top = wanted + reserved if hard == resource.RLIM_INFINITY else min(wanted + reserved, hard)
        with contextlib.suppress(OSError, ValueError):  # macOS allows less than it says
            resource.setrlimit(resource.RLIMIT_NOFILE, (top, hard))
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return wanted
    return max(1, min(wanted, soft - reserved))
