"""How far a chain can reach, provably: a bound that no configuration within limits breaks.

Between two revolute joints a chain is rigid but for its prismatic joints. Those are taken
at the middle of their ranges, and half a range is slack. So the distance of the tool from
the first revolute joint is at most the sum of the rigid lengths and the slack, and at
least the longest length less all the others and the slack. A prismatic joint before the
first revolute one moves that centre: slack as well.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from kinematics.arrays import FloatArray, overflowing
from kinematics.chain import Chain
from kinematics.model import REVOLUTE

ROUNDING: Final = 1e-9  # relative to the lengths involved; their own rounding is far smaller


@dataclass(frozen=True, slots=True)
class Reach:
    """The shell around `center`, in the base's frame, that the tool cannot leave; metres."""

    center: FloatArray
    nearest: float
    farthest: float

    def misses(self, position: FloatArray, tolerance: float) -> str:
        """Return why no configuration comes within tolerance of a position, or ""."""
        distance = math.dist(position, self.center)
        size = self.farthest + distance + math.hypot(*self.center)
        if not math.isfinite(size):  # beyond what numbers hold nothing is proved
            return ""
        margin = tolerance + ROUNDING * size
        where = "the chain's first joint"
        if distance > self.farthest + margin:
            return (
                f"the target is {distance:.6g} m from {where}; "
                f"at most {self.farthest:.6g} m can be reached"
            )
        if distance < self.nearest - margin:
            return (
                f"the target is {distance:.6g} m from {where}; "
                f"nothing nearer than {self.nearest:.6g} m can be reached"
            )
        return ""


@overflowing
def reach_of(chain: Chain, tool: FloatArray, lower: FloatArray, upper: FloatArray) -> Reach:
    """Return a chain's reach.

    Args:
        chain: the chain.
        tool: (12,) from its last joint to the point that has to be somewhere.
        lower, upper: (k,) limits; equal for a joint that is held.
    """
    middle = np.zeros(chain.size)
    limited = np.isfinite(lower) & np.isfinite(upper)
    middle[limited] = 0.5 * lower[limited] + 0.5 * upper[limited]
    T = np.eye(4)  # from the last turning joint to what is reached so far, prismatic ones at rest
    center: FloatArray | None = None
    lengths: list[float] = []
    slack = 0.0
    for i in range(chain.size):
        T = T @ matrix(chain.constants[12 * i : 12 * i + 12])
        if chain.kind[i] != REVOLUTE:
            T[:3, 3] += T[:3, 2] * (middle[i] * chain.stretch[i])
            slack += (0.5 * float(upper[i]) - 0.5 * float(lower[i])) * float(chain.stretch[i])
        elif lower[i] == upper[i]:  # held: as rigid as a fixed joint
            T = T @ turned(float(lower[i]))
        else:
            if center is None:
                center = T[:3, 3].copy()
            else:
                lengths.append(math.hypot(*T[:3, 3]))
            T = np.eye(4)
    end = (T @ matrix(tool))[:3, 3]
    if center is None:  # nothing turns: the point itself is the centre
        center = end
    else:
        lengths.append(math.hypot(*end))
    total = sum(lengths)
    longest = max(lengths, default=0.0)
    nearest = longest - (total - longest) - slack
    return Reach(center, max(nearest, 0.0), total + slack)


def matrix(numbers: FloatArray) -> FloatArray:
    """Return twelve numbers as a matrix (4, 4)."""
    T = np.eye(4)
    T[:3, :3] = np.reshape(numbers[:9], (3, 3))
    T[:3, 3] = numbers[9:]
    return T


def turned(angle: float) -> FloatArray:
    """Return a rotation about z as a matrix (4, 4)."""
    T = np.eye(4)
    T[0, 0] = T[1, 1] = math.cos(angle)
    T[1, 0] = math.sin(angle)
    T[0, 1] = -T[1, 0]
    return T
