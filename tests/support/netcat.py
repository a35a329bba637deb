"""Stands in for netcat, which not every machine has."""

from __future__ import annotations

import sys
from pathlib import Path

# `nc -N HOST PORT`: sends its input, ends it, and prints what comes back.
SCRIPT = f"""#!{sys.executable}
import socket, sys
assert sys.argv[1] == "-N"
with socket.create_connection((sys.argv[2], int(sys.argv[3]))) as sock:
    sock.sendall(sys.stdin.buffer.read())
    sock.shutdown(socket.SHUT_WR)
    while data := sock.recv(65536):
        sys.stdout.buffer.write(data)
"""


def install(folder: Path) -> None:
    """Put it into a folder, to be found there as `nc`."""
    path = folder / "nc"
    path.write_text(SCRIPT)
    path.chmod(0o755)
