"""The joints between a base link and a tip link, ready for the kernels.

Fixed joints are folded into the constant transforms, and each joint's frame is turned so
that its axis is z: a step of forward kinematics is then one product and one plane rotation.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from kinematics.arrays import FloatArray, IntArray, floats, ints, overflowing
from kinematics.errors import KinematicsError, quote
from kinematics.model import FIXED, PRISMATIC, Model, unit

if TYPE_CHECKING:
    from kinematics.setting import Setting

KEPT_CHAINS: Final = 64  # a model's; a client asks for a few links, again and again


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """A path of k movable joints, base first.

    Attributes:
        joints: (k,) indices in q.
        constants: (12 k,) the transform to each joint from the one before.
        stretch: (k,) metres of travel for one of q, 1 for joints that turn.
        numbers, kind, places: the chain and where its joints are in q, as the kernels take it.
        settings: what `kinematics.setting` keeps with the chain.
        end: (4, 4) from the last joint's turned frame, after its motion, to the tip link.
    """

    joints: IntArray
    constants: FloatArray
    stretch: FloatArray
    numbers: FloatArray
    kind: IntArray
    places: IntArray
    end: FloatArray
    settings: OrderedDict[bytes, Setting] = field(default_factory=OrderedDict)

    @property
    def size(self) -> int:
        """How many joints it has."""
        return len(self.joints)

    @overflowing
    def tool(self, point: FloatArray) -> FloatArray:
        """Return the transform from the last joint to a point of the tip link, (12,)."""
        end = self.end
        at = end[:3, :3] @ point + end[:3, 3]
        return np.array([*end[:3, :3].ravel(), *at])


def chain_between(model: Model, base: int, tip: int) -> Chain:
    """Return the chain from a base link to a tip link.

    Raises:
        KinematicsError: `invalid_request`; the base is neither the tip nor above it.
    """
    key = (base, tip)
    chain = model.chains.get(key)
    if chain is None:
        chain = model.chains[key] = _build(model, path_joints(model, base, tip))
        if len(model.chains) > KEPT_CHAINS:
            model.chains.popitem(last=False)
    else:
        model.chains.move_to_end(key)
    return chain


def path_joints(model: Model, base: int, tip: int) -> list[int]:
    """Return the joints from base to tip, fixed ones too, in the model's numbers.

    Raises:
        KinematicsError: `invalid_request`; the base is neither the tip nor above it.
    """
    path: list[int] = []
    link = tip
    while link != base:
        joint = int(model.link_joint[link])
        if joint < 0:
            names = model.link_names
            raise KinematicsError(
                "invalid_request",
                f"'base_link' is {quote(names[base])}, which is not above {quote(names[tip])}; "
                "the link itself or one of its ancestors expected",
            )
        path.append(joint)
        link = int(model.joint_parent[joint])
    return path[::-1]


@overflowing
def _build(model: Model, path: list[int]) -> Chain:
    joints: list[int] = []
    constants: list[float] = []
    kinds: list[int] = []
    stretches: list[float] = []
    T = np.eye(4)  # from the last movable joint so far to the link that is reached
    for joint in path:
        T = T @ _homogeneous(model.joint_origin[12 * joint : 12 * joint + 12])
        kind = int(model.joint_kind[joint])
        if kind == FIXED:
            continue
        axis = model.joint_axis[3 * joint : 3 * joint + 3]
        turn = np.eye(4)
        turn[:3, :3] = turn_z_to(unit(axis.tolist()))
        before = T @ turn
        joints.append(int(model.joint_q[joint]))
        constants += [*before[:3, :3].ravel(), *before[:3, 3]]
        kinds.append(kind)
        stretches.append(math.hypot(*axis) if kind == PRISMATIC else 1.0)
        T = turn.T  # a pure rotation: its transpose turns back
    return Chain(
        joints=np.array(joints, np.int64),
        constants=np.array(constants),
        stretch=np.array(stretches),
        numbers=floats([*constants, *stretches]),
        kind=ints(kinds),
        places=ints(joints),
        end=T,
    )


def _homogeneous(numbers: FloatArray) -> FloatArray:
    T = np.eye(4)
    T[:3, :3] = numbers[:9].reshape(3, 3)
    T[:3, 3] = numbers[9:]
    return T


def turn_z_to(axis: Sequence[float]) -> FloatArray:
    """Return a rotation matrix whose z column is the unit axis."""
    x, y, z = axis
    helper = np.array([1.0, 0.0, 0.0]) if abs(x) < 0.9 else np.array([0.0, 1.0, 0.0])
    across = np.cross(helper, (x, y, z))
    across /= math.hypot(*across)
    return np.column_stack((across, np.cross((x, y, z), across), (x, y, z)))
