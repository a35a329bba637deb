"""Kernels: plain loops over flat arrays, compiled by numba or run as they are.

Compiled, a kernel takes arrays. Interpreted, it takes lists, because Python reads a list
element several times faster than an array's; `arrays` makes the right one. A kernel
therefore only indexes, with one index, and calls nothing but `math` and other kernels.

numba is imported only where kernels are compiled: it takes half a second.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final, TypeVar, cast

F = TypeVar("F", bound=Callable[..., object])


def _wanted() -> bool:
    """Whether to compile: unless the environment says no, or numba is not to be had."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return False
    if os.environ.get("KINEMATICS_KERNELS") == "interpreted":
        return False
    try:
        import numba  # noqa: F401, PLC0415  half a second that an interpreted worker saves
    except ImportError:
        return False
    return True


COMPILED: Final = _wanted()


def mode() -> str:
    """Return how the kernels run: "compiled" or "interpreted"."""
    return "compiled" if COMPILED else "interpreted"


def kernel(function: F) -> F:
    """Make a function a kernel; it is compiled at its first call, or taken from the cache."""
    if not COMPILED:
        return function
    import numba  # noqa: PLC0415  see _wanted

    # error_model: a division by zero is inf, as in C; a check at each would cost the loops.
    compiled = numba.njit(nogil=True, cache=True, error_model="numpy")(function)
    return cast("F", compiled)


def inlined_kernel(function: F) -> F:
    """Make a function a kernel that is copied into those that call it."""
    if not COMPILED:
        return function
    import numba  # noqa: PLC0415  see _wanted

    compiled = numba.njit(nogil=True, cache=True, error_model="numpy", inline="always")(function)
    return cast("F", compiled)
