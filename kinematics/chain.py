"""The joints between a base link and a tip link, ready for the kernels.

Fixed joints are folded into the constant transforms, and each joint's frame is turned so
that its axis is z: a step of forward kinematics is then one product and one plane rotation.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from kinematics.arrays import FloatArray, IntArray, floats, ints, overflowing
from kinematics.errors import KinematicsError, quote
from kinematics.folding import fold
from kinematics.model import FIXED, Model

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


def _build(model: Model, path: list[int]) -> Chain:
    steps = np.array(path, np.int64)
    movable = steps[model.joint_kind[steps] != FIXED]
    joints = model.joint_q[movable]
    k = len(joints)
    numbers, end = floats(np.zeros(13 * k)), floats(np.zeros(36))
    fold(model.tree, model.joints, ints(steps), k, numbers, end)
    T = np.eye(4)
    T[:3, :3] = np.reshape(end[:9], (3, 3))
    T[:3, 3] = end[9:12]
    return Chain(
        joints=joints,
        constants=np.asarray(numbers[: 12 * k]),
        stretch=np.asarray(numbers[12 * k :]),
        numbers=numbers,
        kind=ints(model.joint_kind[movable]),
        places=ints(joints),
        end=T,
    )
