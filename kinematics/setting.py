"""What stays the same from problem to problem: a chain, the point of its tip, who may move."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from kinematics import places
from kinematics.arrays import FloatArray, overflowing
from kinematics.chain import Chain
from kinematics.errors import quote
from kinematics.model import PRISMATIC, Model
from kinematics.problem import IkProblem
from kinematics.reach import reach_of

if TYPE_CHECKING:
    from kinematics.search_state import SearchState

KEPT_SETTINGS: Final = 16  # a chain's; a client has one or a few tools
ROUNDING_LENGTH: Final = 1e-9  # m; what is left of a length that should have been 0 is shorter
SHORTEST: Final = 1e-150  # m; the squares of lengths far beyond these two are no numbers
LONGEST: Final = 1e150
LENGTH_SHARE: Final = 0.4  # of the chain's length: how a metre off weighs against a radian


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
        numbers: what of a search's numbers does not change, see `kinematics.stepping`.
        empty: the complaint about a joint on the path that no value fits, or "".
        spare: search states that are not in use.
    """

    @overflowing
    def __init__(
        self, model: Model, chain: Chain, point: FloatArray, lower: FloatArray, upper: FloatArray
    ) -> None:
        self.chain = chain
        self.empty = _empty_range(model, chain)
        self.size = chain.size
        self.tool = chain.tool(point)
        self.lower, self.upper = lower, upper
        self.turning = np.asarray(chain.kind) != PRISMATIC
        self.reach = reach_of(chain, self.tool, lower, upper)
        self.movable = bool((lower < upper).any())
        self._stretch = np.asarray(chain.stretch)
        half = 0.5 * upper - 0.5 * lower  # the whole of a huge range is no number
        self.length = self._typical_length(half)
        self.unit = np.where(self.turning, 1.0, self.length / self._stretch)
        self.spare: list[SearchState] = []
        self.numbers = self._numbers(point)

    def _numbers(self, point: FloatArray) -> FloatArray:
        k = self.size
        numbers = np.zeros(places.FIXED_PLACES + places.PLACES_PER_JOINT * k)
        numbers[places.LENGTH] = self.length
        numbers[places.TOOL : places.TOOL + 12] = self.tool
        numbers[places.POINT : places.POINT + 3] = point
        numbers[places.CENTER : places.CENTER + 3] = self.reach.center
        numbers[places.NEAREST] = self.reach.nearest
        numbers[places.FARTHEST] = self.reach.farthest
        numbers[places.QUATERNION + 3] = 1.0
        for place, values in (
            (places.LOWER, self.lower),
            (places.UPPER, self.upper),
            (places.UNIT, self.unit),
        ):
            first = places.FIXED_PLACES + place * k
            numbers[first : first + k] = values
        return numbers

    def _typical_length(self, half_range: FloatArray) -> float:
        """Return about how far the chain's turning joints move its point.

        The travel of prismatic joints counts as long as it is of the same order: a metre's
        arm on a rail of a kilometre has to turn as exactly as any other.
        """
        chain = self.chain
        ends = [chain.constants[12 * i + 9 : 12 * i + 12] for i in range(1, chain.size)]
        rigid = sum(math.hypot(*end) for end in (*ends, self.tool[9:]))
        if rigid < ROUNDING_LENGTH:
            rigid = 0.0
        travels = zip(half_range[~self.turning], self._stretch[~self.turning], strict=True)
        travel = sum(float(half) * float(stretch) for half, stretch in travels)
        length = LENGTH_SHARE * (rigid + min(travel, rigid or 1.0))
        return min(max(length, SHORTEST), LONGEST) if length else 1.0


def setting_for(model: Model, chain: Chain, problem: IkProblem) -> Setting:
    """Return the setting of a problem: one that is kept, if it differs in nothing."""
    lower, upper = model.lower, model.upper
    key = problem.point.tobytes()
    if problem.free is not None:
        lower, upper = _holding(model, chain, problem)
        key += lower.tobytes() + upper.tobytes()
    setting = chain.settings.get(key)
    if setting is not None:
        chain.settings.move_to_end(key)
        return setting
    if problem.free is None:
        lower, upper = lower[chain.joints], upper[chain.joints]
    setting = chain.settings[key] = Setting(model, chain, problem.point, lower, upper)
    if len(chain.settings) > KEPT_SETTINGS:
        chain.settings.popitem(last=False)
    return setting


def _holding(model: Model, chain: Chain, problem: IkProblem) -> tuple[FloatArray, FloatArray]:
    """Return a chain's limits, those of a joint that may not move both where the seed has it."""
    joints = chain.joints
    lower, upper = model.lower[joints], model.upper[joints]
    held = np.ones(len(model.joint_names), dtype=bool)
    held[problem.free] = False
    held = held[joints]
    held_at = np.minimum(np.maximum(problem.seed[joints], lower), upper)
    return np.where(held, held_at, lower), np.where(held, held_at, upper)


def _empty_range(model: Model, chain: Chain) -> str:
    for i in chain.joints:
        lower, upper = model.lower[i], model.upper[i]
        if lower > upper:
            return (
                f"joint {quote(model.joint_names[i])} has an empty range: "
                f"lower {lower:g} is above upper {upper:g}"
            )
    return ""
