"""Compile the kernels in a process of their own, while the workers answer interpreted.

`python -m gateway.warm_up` does it ahead of the first start, as the container's image does.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import tempfile
from typing import Final

from gateway import children, kernel_cache
from gateway.kernel_cache import KernelCache

COMPILE_SECONDS: Final = 600.0  # a slow, busy machine takes a minute or two
TAIL_BYTES: Final = 2000  # of what a failed compilation printed

log = logging.getLogger(__name__)


async def compile_kernels(cache: KernelCache) -> bool:
    """Fill the cache; return whether that worked, having logged how it went."""
    loop = asyncio.get_running_loop()
    started = loop.time()
    log.info("kernels are being compiled", extra={"cache": str(cache.folder)})
    with tempfile.TemporaryFile() as output:
        try:
            process = children.start(
                "kinematics.warmup",
                ("--parent-pid", os.getpid()),
                env=children.environment(cache.folder, compiled=True),
                stderr=output,
            )
        except OSError as error:
            log.error("kernels not compiled", extra={"error": str(error)})  # noqa: TRY400
            return False
        try:
            status = await children.ended(process, COMPILE_SECONDS)
        finally:
            if process.returncode is None:
                await asyncio.shield(children.kill(process))
        seconds = round(loop.time() - started, 1)
        if status == 0:
            cache.mark_warm()
            log.info("kernels compiled", extra={"seconds": seconds})
            return True
        output.seek(0, 2)
        output.seek(max(0, output.tell() - TAIL_BYTES))
        tail = output.read().decode("utf-8", "replace")
        log.error(
            "kernels not compiled; workers stay interpreted",
            extra={"status": status, "seconds": seconds, "output": tail},
        )
        return False


def main() -> int:
    """Fill the cache that the next start will find; return the exit status."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    cache = kernel_cache.find(os.environ)
    if cache.private:
        log.error("no folder for compiled kernels can be written to; set NUMBA_CACHE_DIR")
        cache.remove()
        return 1
    return 0 if asyncio.run(compile_kernels(cache)) else 1


if __name__ == "__main__":
    sys.exit(main())
