"""What can be bound is bound; only nothing at all is an error."""

from __future__ import annotations

import resource
import socket

import pytest

from gateway import listening
from gateway.errors import ListenError
from gateway.listening import address_text, bind, connection_limit


def addresses(*hosts: str) -> object:
    """Return a stand-in for name resolution."""

    def resolve(_host: str, port: int, **_: object) -> list[tuple[object, ...]]:
        return [
            (socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (host, port))
            for host in hosts
        ]

    return resolve


def close(sockets: list[socket.socket]) -> None:
    for sock in sockets:
        sock.close()


def test_a_free_port() -> None:
    (sock,) = bind("127.0.0.1", 0)
    with sock:
        assert sock.getsockname()[1] > 0
        assert address_text(sock) == f"127.0.0.1:{sock.getsockname()[1]}"
        socket.create_connection(sock.getsockname()).close()


def test_only_the_address_asked_for() -> None:
    (sock,) = bind("127.0.0.2", 0)
    with sock, pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", sock.getsockname()[1]))


def test_several_addresses_share_one_port(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", addresses("127.0.0.1", "127.0.0.2", "127.0.0.1"))
    sockets = bind("name", 0)
    assert len(sockets) == 2
    assert len({sock.getsockname()[1] for sock in sockets}) == 1
    close(sockets)


def test_an_address_that_cannot_be_bound_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", addresses("192.0.2.1", "127.0.0.1"))
    (sock,) = bind("name", 0)
    assert sock.getsockname()[0] == "127.0.0.1"
    sock.close()


def test_ipv6_where_there_is_any() -> None:
    try:
        sockets = bind("::1", 0)
    except ListenError as error:
        assert "::1" in str(error)  # noqa: PT017  this machine has no IPv6
        return
    (sock,) = sockets
    with sock:
        assert address_text(sock) == f"[::1]:{sock.getsockname()[1]}"


def test_a_busy_port_and_one_just_closed() -> None:
    (sock,) = bind("127.0.0.1", 0)
    port = sock.getsockname()[1]
    with sock:
        with pytest.raises(ListenError, match=rf"--host 127.0.0.1 --port {port} .*in use"):
            bind("127.0.0.1", port)
        client = socket.create_connection(("127.0.0.1", port))
        accepted = sock.accept()[0]
        accepted.close()  # the server's end first: its address lingers
        client.close()
    close(bind("127.0.0.1", port))


def test_a_name_that_does_not_resolve() -> None:
    with pytest.raises(ListenError, match=r"--host nope\.invalid does not resolve"):
        bind("nope.invalid", 0)


def test_the_limit_follows_the_descriptors(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = [256, 1024]
    monkeypatch.setattr(resource, "getrlimit", lambda _: tuple(limits))
    monkeypatch.setattr(
        resource, "setrlimit", lambda _, wanted: limits.__setitem__(slice(None), wanted)
    )
    reserved = listening.RESERVED_DESCRIPTORS + 2 * listening.DESCRIPTORS_PER_WORKER
    assert connection_limit(4096, 2) == 1024 - reserved
    assert connection_limit(100, 2) == 100
    for hard in (1 << 20, resource.RLIM_INFINITY):
        limits[:] = [256, hard]
        assert connection_limit(4096, 2) == 4096
        assert limits == [4096 + reserved, hard]
    limits[:] = [resource.RLIM_INFINITY, resource.RLIM_INFINITY]
    assert connection_limit(4096, 2) == 4096

    def refuse(*_: object) -> None:
        raise ValueError("not permitted")

    limits[:] = [40, 1 << 20]
    monkeypatch.setattr(resource, "setrlimit", refuse)
    assert connection_limit(4096, 2) == 1
