"""The arrays that everything here is made of, and how a kernel takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
import numpy.typing as npt

from kinematics.compiling import COMPILED

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

# Decorates what may meet numbers beyond all measure: NumPy would warn, where a result that is
# not finite is refused in the end.
overflowing = np.errstate(over="ignore", invalid="ignore")


def frozen(values: Sequence[float]) -> FloatArray:
    """Return numbers as a read-only array."""
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array


def frozen_ints(values: Sequence[int]) -> IntArray:
    """Return integers as a read-only array."""
    array = np.array(values, dtype=np.int64)
    array.flags.writeable = False
    return array


def floats(values: Sequence[float] | FloatArray) -> FloatArray:
    """Return numbers as a kernel takes them: an array of its own, or interpreted a list."""
    array = np.array(values, dtype=np.float64)
    return array if COMPILED else cast("FloatArray", array.tolist())


def ints(values: Sequence[int] | IntArray) -> IntArray:
    """Return integers as a kernel takes them: an array of its own, or interpreted a list."""
    array = np.array(values, dtype=np.int64)
    return array if COMPILED else cast("IntArray", array.tolist())
