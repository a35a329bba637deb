"""Joints that imitate others, as a linear map: all values from those that are free to choose.

A `<mimic>` joint keeps its body and its place among the values; q = G u + offset gives all of
them from the values u of the others. So v = G du/dt, a force on u is G^T tau, and the mass
matrix of u is G^T M G.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinematics.arrays import FloatArray
from kinematics.multibody import Multibody
from urdf.mimic import flatten


@dataclass(frozen=True, slots=True)
class Coupling:
    """How nv values follow from k.

    Attributes:
        free_names: the k joints that imitate none, in the order of `Multibody.value_names`.
        matrix: G (nv, k).
        offset: (nv,) rad or m.
    """

    free_names: tuple[str, ...]
    matrix: FloatArray
    offset: FloatArray

    def values(self, free: FloatArray) -> FloatArray:
        """Return q (nv,) of the values (k,) of the free joints."""
        return np.asarray(self.matrix @ free + self.offset)


def couple(multibody: Multibody) -> Coupling:
    """Return the coupling of a robot's joints; without a `<mimic>` G is the identity.

    Chains are followed to their end. One that ends in a fixed joint leaves a constant.

    Raises:
        MimicError: never for a robot that `urdf.parse` gave.
    """
    mimics = flatten(multibody.model.robot.joints)
    names = multibody.value_names
    free = [name for name in names if name not in mimics]
    column = {name: i for i, name in enumerate(free)}
    matrix, offset = np.zeros((len(names), len(free))), np.zeros(len(names))
    for row, name in enumerate(names):
        if name not in mimics:
            matrix[row, column[name]] = 1.0
            continue
        mimic = mimics[name]
        offset[row] = mimic.offset
        if mimic.joint in column:
            matrix[row, column[mimic.joint]] = mimic.multiplier
    return Coupling(tuple(free), matrix, offset)
