"""Which files hold kernels: the cache of compiled code is valid for just these texts.

numba looks at a kernel's own file alone; kernels call those of other files.
"""

from __future__ import annotations

from typing import Final

SOURCES: Final = (
    "compiling.py",
    "rotations.py",
    "transforms.py",
    "folding.py",
    "kernels.py",
    "measuring.py",
    "places.py",
    "stepping.py",
    "starting.py",
    "searching.py",
)
