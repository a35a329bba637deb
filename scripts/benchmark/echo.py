"""A bare server on asyncio's own loop: each line is answered with as many bytes as it is told."""

from __future__ import annotations

import asyncio
import sys


class Echo(asyncio.Protocol):
    """One connection. Nothing is parsed: what is left is what a loop and a socket cost."""

    def __init__(self, answer: bytes) -> None:
        self._answer = answer
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way back."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer every line."""
        if self._transport is not None:
            self._transport.write(self._answer * data.count(b"\n"))


async def serve(answer_bytes: int) -> None:
    """Serve until the process is ended."""
    answer = b"x" * (answer_bytes - 1) + b"\n"
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Echo(answer), "127.0.0.1", 0)
    print(f"listening tcp 127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1])))
