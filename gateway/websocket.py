"""One WebSocket: the same connection as over TCP, with a text frame for a line.

Imported only if there is a listener for it: it takes the library `websockets`.
"""

from __future__ import annotations

from collections.abc import Sequence

from gateway.connection import Connection, Connections
from gateway.hub import Hub
from gateway.websocket_frames import WebSocketFrames


class WebSocket(Connection):
    """One client's WebSocket; the outlet of its session."""

    def __init__(self, hub: Hub, connections: Connections, origins: Sequence[str]) -> None:
        self._frames = WebSocketFrames(hub.max_line_bytes, origins)
        super().__init__(hub, connections, self._frames)

    def _write(self, lines: list[bytes]) -> None:
        self._transport.write(self._frames.own() + self._frames.wrap(lines))

    def _write_own(self) -> None:
        """Say what the protocol has to; a client that does not read is owed one chunk's pongs."""
        if not self._writing_paused:
            own = self._frames.own()
            if own:
                self._transport.write(own)
        if self._frames.closed:
            self._transport.close()

    def _close(self) -> None:
        self._transport.write(self._frames.close())
        self._transport.close()
