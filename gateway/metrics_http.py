"""The HTTP of `--metrics-port`: three pages, GET alone, one request a connection."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Final, NamedTuple

import orjson

from gateway.hub import Hub
from gateway.vitals import health

REQUEST_BYTES: Final = 8192  # of a request's head: several times what scrapers send
REQUEST_SECONDS: Final = 5.0  # for a whole exchange, however slowly its bytes come or go
CONNECTIONS: Final = 8  # at once: a few scrapers and probes, within the reserved descriptors
PLAIN: Final = "text/plain; charset=utf-8"
JSON: Final = "application/json"
REASONS: Final = {
    200: "OK",
    400: "Bad Request",
    404: "Not Found",
    405: "Method Not Allowed",
    431: "Request Header Fields Too Large",
    503: "Service Unavailable",
}


class Page(NamedTuple):
    """What is answered."""

    status: int
    content_type: str
    body: bytes


Pages = dict[str, Callable[[], Page]]  # by path


def pages(hub: Hub, metrics: Callable[[], bytes], content_type: str) -> Pages:
    """Return every page there is.

    Args:
        hub: whose health it is.
        metrics: makes the text of a scrape.
        content_type: of that.
    """
    return {
        "/metrics": lambda: Page(200, content_type, metrics()),
        "/healthz": lambda: Page(200, JSON, orjson.dumps(health(hub))),
        "/readyz": lambda: _ready(hub),
    }


def _ready(hub: Hub) -> Page:
    values = health(hub)
    return Page(200 if values["ready"] else 503, JSON, orjson.dumps(values))


class MetricsHttp(asyncio.Protocol):
    """One exchange: a request's head in, a page out, and the end."""

    def __init__(self, found: Pages, open_: set[MetricsHttp]) -> None:
        """Begin.

        Args:
            found: the pages.
            open_: every exchange under way; this one adds and removes itself.
        """
        self._pages = found
        self._open = open_
        self._head = bytearray()
        self._answered = False
        self._transport: asyncio.Transport
        self._limit: asyncio.TimerHandle

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin, unless there are too many."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        loop = asyncio.get_running_loop()
        self._limit = loop.call_later(REQUEST_SECONDS, transport.abort)
        self._open.add(self)
        if len(self._open) > CONNECTIONS:
            transport.abort()

    def data_received(self, data: bytes) -> None:
        """Answer once the head is whole; a body is not looked at."""
        if self._answered:
            return
        self._head += data
        if len(self._head) > REQUEST_BYTES:
            self._answer(_refusal(431, f"at most {REQUEST_BYTES} bytes expected"))
        elif b"\r\n\r\n" in self._head or b"\n\n" in self._head:
            self._answer(self._page())

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        del exc
        self._limit.cancel()
        self._open.discard(self)

    def abort(self) -> None:
        """Close at once."""
        self._transport.abort()

    def _page(self) -> Page:
        words = bytes(self._head).split(b"\n", 1)[0].decode("latin-1").split()
        if len(words) != 3 or not words[2].startswith("HTTP/1."):
            return _refusal(400, "a line such as 'GET /metrics HTTP/1.1' expected")
        method, target, _ = words
        if method != "GET":
            return _refusal(405, "GET expected")
        make = self._pages.get(target.partition("?")[0])
        if make is None:
            return _refusal(404, f"{', '.join(self._pages)} expected")
        return make()

    def _answer(self, page: Page) -> None:
        self._answered = True
        head = (
            f"HTTP/1.1 {page.status} {REASONS[page.status]}\r\n"
            f"Content-Type: {page.content_type}\r\n"
            f"Content-Length: {len(page.body)}\r\n"
            f"{'Allow: GET' if page.status == 405 else 'Cache-Control: no-store'}\r\n"
            "Connection: close\r\n\r\n"
        )
        self._transport.write(head.encode("latin-1") + page.body)
        if self._transport.can_write_eof():
            self._transport.write_eof()  # closed when the client does, or the time is up
        else:
            self._transport.close()


def _refusal(status: int, sentence: str) -> Page:
    return Page(status, PLAIN, f"{sentence}\n".encode())


class MetricsServer:
    """The listener, from its start to its end."""

    def __init__(self, sockets: list[socket.socket], found: Pages) -> None:
        """Take bound sockets over."""
        self._sockets = sockets
        self._pages = found
        self._open: set[MetricsHttp] = set()
        self._servers: list[asyncio.Server] = []

    async def start(self) -> None:
        """Accept connections."""
        loop = asyncio.get_running_loop()
        for sock in self._sockets:
            server = await loop.create_server(
                lambda: MetricsHttp(self._pages, self._open), sock=sock
            )
            self._servers.append(server)

    def stop(self) -> None:
        """Accept no more, and cut what is open."""
        for server in self._servers:
            server.close()
        for sock in self._sockets:
            sock.close()
        for exchange in list(self._open):
            exchange.abort()
