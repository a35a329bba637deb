"""The command: `python -m gateway`, installed as `robot-gateway`."""

from __future__ import annotations

import asyncio
import os
import sys

from gateway import kernel_cache, logs
from gateway.app import serve
from gateway.config import read_config
from gateway.errors import ConfigError, ListenError, StateError
from gateway.pool import Pool

USAGE_STATUS = 2
FAILURE_STATUS = 1


def main() -> int:
    """Run the gateway; return the exit status."""
    try:
        config = read_config(sys.argv[1:], os.environ)
    except ConfigError as error:
        return _complain(error, USAGE_STATUS)
    logs.set_up(config.log_level, config.log_format, 2 if sys.stderr else -1)
    interpreted = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")  # numba's own switch
    cache = None if interpreted else kernel_cache.find(os.environ)
    pool = Pool(config.workers, config.max_pending, config.max_line_bytes, cache)
    try:
        asyncio.run(serve(config, pool))
    except ConfigError as error:
        return _complain(error, USAGE_STATUS)
    except (ListenError, StateError) as error:
        return _complain(error, FAILURE_STATUS)
    return 0


def _complain(error: Exception, status: int) -> int:
    if sys.stderr:
        sys.stderr.write(f"robot-gateway: {error}\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
