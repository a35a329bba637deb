"""The child process that runs xacro: a request on standard input, an answer on standard output.

Xacro evaluates expressions of the file in Python. They can take any time and memory, so they run
here, under limits that the system holds; what they can read is what this user can.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import sys
from typing import Final

MAX_EXPANDED_CHARS: Final = 64 << 20  # as large as a description may be


def main() -> int:
    """Expand what the request asks for."""
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # xacro prints its warnings, and they are no part of the answer
    json.dump(_expanded(json.load(sys.stdin)), answer)
    answer.close()
    return 0


def _expanded(request: dict[str, object]) -> dict[str, str]:
    memory = int(str(request["memory_bytes"]))
    _bound(resource.RLIMIT_AS, memory)
    _bound(resource.RLIMIT_CPU, int(str(request["cpu_seconds"])))
    try:
        xacrodoc = importlib.import_module("xacrodoc")
    except ImportError as error:
        return {"missing": str(error)}
    packages = xacrodoc.packages
    try:
        if request["package_paths"]:
            packages.look_in(request["package_paths"])
        packages.walk_up_from(request["path"])
        packages.update_package_cache(request["packages"])
        document = xacrodoc.XacroDoc.from_string(
            request["text"], subargs=request["arguments"], resolve_packages=False
        )
        text = document.to_urdf_string()
    except Exception as error:  # noqa: BLE001 whatever a file makes xacro run into is its answer
        # Xacro wraps what an expression raises.
        if isinstance(getattr(error, "exc", error), MemoryError):
            return {"error": f"it takes more than {memory >> 20} MiB; a smaller robot expected"}
        kind = "" if type(error).__name__ == "XacroException" else f"{type(error).__name__}: "
        return {"error": f"{kind}{error}"}
    if len(text) > MAX_EXPANDED_CHARS:
        return {"error": f"it makes more than {MAX_EXPANDED_CHARS} characters"}
    return {"text": text}


def _bound(what: int, most: int) -> None:
    """Set a limit of this process for good, unless there is a lower one."""
    _soft, hard = resource.getrlimit(what)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    try:
        resource.setrlimit(what, (most, most))
    except (ValueError, OSError):
        if sys.platform != "darwin":  # which has no limit of address space to set
            raise


if __name__ == "__main__":
    sys.exit(main())
