"""What stays the same from problem to problem: a chain, the point of its tip, who may move."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from kinematics.arrays import FloatArray
from kinematics.chain import Chain
from kinematics.model import PRISMATIC, Model
from kinematics.reach import reach_of

if TYPE_CHECKING:
    from kinematics.search_state import SearchState

KEPT_SETTINGS: Final = 16  # a chain's; a client has one or a few tools
ROUNDING_LENGTH: Final = 1e-9  # m; what is left of a length that should have been 0 is shorter
WINDOW: Final = 10.0  # times the way to go and the chain's length: restarts are no farther off


class Setting:
    """A chain with its tool and limits.

    Attributes:
        chain: of k joints.
        size: k.
        tool: (12,) from the last joint to the point, with the tip link's axes.
        lower, upper: (k,) limits; equal for a joint that is held.
        turning: (k,) whether a joint turns.
        unit: (k,) of q for one scaled unit: 1 rad, or `length` of travel.
        reach: where the point can be.
        length: typical of how far the chain moves its point, m.
        spare: search states that are not in use.
    """

    def __init__(
        self, chain: Chain, point: FloatArray, lower: FloatArray, upper: FloatArray
    ) -> None:
        self.chain = chain
        self.size = chain.size
        self.tool = chain.tool(point)
        self.lower, self.upper = lower, upper
        self.turning = np.asarray(chain.kind) != PRISMATIC
        self.reach = reach_of(chain, self.tool, lower, upper)
        self.movable = bool((lower < upper).any())
        self._stretch = np.asarray(chain.stretch)
        half = 0.5 * upper - 0.5 * lower  # the whole of a huge range is no number
        self._ordinary = bool(self.turning.all() and (half <= math.pi).all())
        self.length = self._typical_length(half)
        self.unit = np.where(self.turning, 1.0, self.length / self._stretch)
        self.spare: list[SearchState] = []

    def windows(self, seed: FloatArray, distance: float) -> tuple[FloatArray, FloatArray]:
        """Return finite ranges (k,) to draw restarts from, about the seed.

        A turning joint needs no more than one turn. A prismatic one may have a range without
        measure, of which only what is near matters.

        Args:
            seed: (k,) within the limits.
            distance: m from the point, at the seed, to its target.
        """
        if self._ordinary:
            return self.lower, self.upper
        travel = WINDOW * (distance + self.length) / self._stretch
        half = np.where(self.turning, math.pi, travel)
        low = np.maximum(self.lower, np.minimum(seed - half, self.upper - 2.0 * half))
        high = np.minimum(self.upper, np.maximum(low + 2.0 * half, self.lower))
        return low, high

    def _typical_length(self, half_range: FloatArray) -> float:
        """Return about how far the chain's turning joints move its point.

        The travel of prismatic joints counts as long as it is of the same order: a metre's
        arm on a rail of a kilometre has to turn as exactly as any other.
        """
        chain = self.chain
        ends = [chain.constants[12 * i + 9 : 12 * i + 12] for i in range(1, chain.size)]
        rigid = math.fsum(math.hypot(*end) for end in (*ends, self.tool[9:]))
        if rigid < ROUNDING_LENGTH:
            rigid = 0.0
        travels = zip(half_range[~self.turning], self._stretch[~self.turning], strict=True)
        travel = math.fsum(float(half) * float(stretch) for half, stretch in travels)
        return rigid + min(travel, rigid or 1.0) or 1.0


def setting_for(
    model: Model, chain: Chain, point: FloatArray, seed: FloatArray, free: Sequence[int] | None
) -> Setting:
    """Return the setting of a problem; the same one again where no joint is held.

    Args:
        model: the robot.
        chain: of k joints.
        point: (3,) in the tip link's frame, m.
        seed: (k,) what joints that are held are held at.
        free: indices in q of those that may move; None: all.
    """
    lower, upper = model.lower[chain.joints], model.upper[chain.joints]
    if free is not None:
        held = ~np.isin(chain.joints, free)
        return Setting(chain, point, np.where(held, seed, lower), np.where(held, seed, upper))
    key = point.tobytes()
    setting = chain.settings.get(key)
    if setting is None:
        setting = chain.settings[key] = Setting(chain, point, lower, upper)
        if len(chain.settings) > KEPT_SETTINGS:
            chain.settings.popitem(last=False)
    return setting
