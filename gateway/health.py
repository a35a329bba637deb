"""Ask a running gateway whether it works: `python -m gateway.health`.

One call that a worker has to answer, where GATEWAY_HOST and GATEWAY_PORT say, with the token
of GATEWAY_AUTH_TOKEN_FILE; status 0 if the answer is right. The container's health check.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from gateway.client import DEFAULT_HOST, DEFAULT_PORT, CallError, Client

TIMEOUT_SECONDS: Final = 2.5  # the check as a whole has 3 s in the container
WILDCARDS: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # listened on, but not connected to
ROBOT: Final = '<robot name="health"><link name="only"/></robot>'


def check(environ: Mapping[str, str]) -> str:
    """Return what is wrong with the gateway that an environment names, or ""."""
    host = environ.get("GATEWAY_HOST") or DEFAULT_HOST
    port = int(environ.get("GATEWAY_PORT") or DEFAULT_PORT)
    token_file = environ.get("GATEWAY_AUTH_TOKEN_FILE")
    try:
        token = Path(token_file).read_text("utf-8").strip() if token_file else None
        with Client(WILDCARDS.get(host, host), port, TIMEOUT_SECONDS, token) as client:
            answer = client.call("/ik/validate", {"robot_description": ROBOT})
    except (OSError, CallError) as error:
        return f"{host}:{port}: {error}"
    return "" if answer.get("valid") is True else f"{host}:{port}: a wrong answer: {answer}"


def main() -> int:
    """Check; return the exit status."""
    problem = check(os.environ)
    if problem:
        sys.stderr.write(f"unhealthy: {problem}\n")
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main())
