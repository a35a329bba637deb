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

from kinematics.arrays import FloatArray, floats
from kinematics.chain import Chain
from kinematics.measuring import measure

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


def reach_of(chain: Chain, tool: FloatArray, lower: FloatArray, upper: FloatArray) -> Reach:
    """Return a chain's reach.

    Args:
        chain: the chain.
        tool: (12,) from its last joint to the point that has to be somewhere.
        lower, upper: (k,) limits; equal for a joint that is held.
    """
    out = floats(np.zeros(30))
    measure(chain.numbers, chain.kind, floats(tool), floats(lower), floats(upper), out)
    x, y, z, total, longest, slack = (float(number) for number in out[:6])
    nearest = longest - (total - longest) - slack
    return Reach(np.array([x, y, z]), max(nearest, 0.0), total + slack)
