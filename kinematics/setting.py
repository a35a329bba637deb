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
        self._ordinary = bool(self.turning.all() and (upper - lower <= 2.0 * math.pi).all())
        self.length = self._typical_length()
        self.unit = np.where(self.turning, 1.0, self.length / self._stretch)
        self.spare: list[SearchState] = []

    def windows(self, seed: FloatArray, span: float) -> tuple[FloatArray, FloatArray]:
        """Return finite ranges (k,) to draw restarts from.

        A turning joint needs no more than one turn, the one about the seed. A prismatic one
        needs no travel beyond `span` metres, the distance to the target and the rest of the
        reach.
        """
        if self._ordinary:
            return self.lower, self.upper
        half = np.where(self.turning, math.pi, span / self._stretch)
        middle = np.where(self.turning, seed, 0.0)
        low = np.maximum(self.lower, np.minimum(middle - half, self.upper - 2.0 * half))
        high = np.minimum(self.upper, np.maximum(low + 2.0 * half, self.lower))
        return low, high

    def _typical_length(self) -> float:
        chain = self.chain
        ends = [chain.constants[12 * i + 9 : 12 * i + 12] for i in range(1, chain.size)]
        moved = [math.hypot(*end) for end in (*ends, self.tool[9:])]
        travel = 0.5 * (self.upper - self.lower) * self._stretch
        return math.fsum([*moved, *travel[~self.turning]]) or 1.0


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
