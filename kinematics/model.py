"""A robot as flat read-only arrays, in an order in which every parent comes first."""

from __future__ import annotations

import math
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

import numpy as np

from kinematics.arrays import floats, frozen, frozen_ints, ints
from kinematics.errors import unknown
from urdf import Joint, Origin, Robot

if TYPE_CHECKING:
    from kinematics.chain import Chain

FIXED: Final = 0
REVOLUTE: Final = 1  # continuous too: the two differ in their limits
PRISMATIC: Final = 2
IDENTITY: Final = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
WORK: Final = 24  # numbers of scratch that the kernels need
KINDS: Final = {
    "fixed": FIXED,
    "revolute": REVOLUTE,
    "continuous": REVOLUTE,
    "prismatic": PRISMATIC,
}


class Model:
    """What forward kinematics, Jacobians and chains are computed from.

    Joints are numbered parent first, links and values of q in document order. An array
    named `joint_...` has one row a joint.

    Attributes:
        robot: the description it was built from.
        link_names: every link.
        joint_names: every movable joint; the order of q.
        lower, upper: (n,) limits in that order, rad or m; infinite for continuous joints.
        joint_order: every joint's name, parent first: the order of the arrays below.
        joint_parent, joint_child: (j,) links.
        joint_kind: (j,) FIXED, REVOLUTE or PRISMATIC.
        joint_q: (j,) index in q, -1 for a fixed joint.
        joint_origin: (12 j,) the constant transforms from parent link to joint.
        joint_axis: (3 j,) unit for revolute joints, as written for prismatic ones.
        link_joint: (links,) the joint that carries a link, -1 for the root.
        tree, joints, limits: the same as the kernels take it.
        frames, work: scratch for the kernels; a model is one thread's at a time.
        chains: chains asked for before, by (base, tip); see `kinematics.chain`.
    """

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.root_link = robot.root_link
        self.link_names = tuple(link.name for link in robot.links)
        movable = [joint for joint in robot.joints if joint.movable]
        self.joint_names = tuple(joint.name for joint in movable)
        self._links = {name: i for i, name in enumerate(self.link_names)}
        self._q = {joint.name: -1 for joint in robot.joints}
        self._q |= {name: i for i, name in enumerate(self.joint_names)}
        self.root = self._links[robot.root_link]
        self.lower = frozen([j.limit.lower if j.limit else -math.inf for j in movable])
        self.upper = frozen([j.limit.upper if j.limit else math.inf for j in movable])
        ordered = robot.joints_parent_first()
        self.joint_order = tuple(joint.name for joint in ordered)
        self.joint_parent = frozen_ints([self._links[joint.parent] for joint in ordered])
        self.joint_child = frozen_ints([self._links[joint.child] for joint in ordered])
        self.joint_kind = frozen_ints([KINDS[joint.type] for joint in ordered])
        self.joint_q = frozen_ints([self._q[joint.name] for joint in ordered])
        self.joint_origin = frozen([x for joint in ordered for x in transform(joint.origin)])
        self.joint_axis = frozen([x for joint in ordered for x in _axis(joint)])
        link_joint = [-1] * len(self.link_names)
        for i, child in enumerate(self.joint_child):
            link_joint[child] = i
        self.link_joint = frozen_ints(link_joint)
        self.chains: OrderedDict[tuple[int, int], Chain] = OrderedDict()
        columns = (self.joint_parent, self.joint_child, self.joint_kind, self.joint_q)
        self.tree = ints(np.column_stack(columns).ravel())
        rows = self.joint_origin.reshape(-1, 12), self.joint_axis.reshape(-1, 3)
        self.joints = floats(np.hstack(rows).ravel())
        self.limits = floats(self.lower), floats(self.upper)
        # Scratch of the same: where every link is, the root where it always is.
        self.frames = floats([0.0] * (12 * len(self.link_names)))
        self.frames[12 * self.root : 12 * self.root + 12] = IDENTITY
        self.work = floats([0.0] * WORK)

    def link_index(self, name: str) -> int:
        """Return a link's index.

        Raises:
            KinematicsError: `unknown_link`.
        """
        index = self._links.get(name)
        if index is None:
            raise unknown("link", name, self._links)
        return index

    def q_index(self, name: str) -> int | None:
        """Return a joint's index in q, None for a fixed joint.

        Raises:
            KinematicsError: `unknown_joint`.
        """
        index = self._q.get(name)
        if index is None:
            raise unknown("joint", name, self._q)
        return None if index < 0 else index


def build_model(robot: Robot) -> Model:
    """Return the model of a robot, in time linear in its size."""
    return Model(robot)


def transform(origin: Origin) -> list[float]:
    """Return an origin as twelve numbers: Rz(yaw) Ry(pitch) Rx(roll) row-major, then xyz."""
    roll, pitch, yaw = origin.rpy
    cr, sr = math.cos(roll), math.sin(roll)
    cp, sp = math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    return [
        *(cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        *(sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        *(-sp, cp * sr, cp * cr),
        *origin.xyz,
    ]


def _axis(joint: Joint) -> tuple[float, float, float]:
    """Return the axis as the kernels take it."""
    if KINDS[joint.type] != REVOLUTE:
        return joint.axis
    x, y, z = joint.axis
    largest = max(abs(x), abs(y), abs(z))
    # A power of two near the largest component: dividing by it is exact, and neither the
    # squares of a tiny axis underflow nor those of a huge one overflow afterwards.
    exponent = -math.frexp(largest)[1]
    x, y, z = (math.ldexp(part, exponent) for part in (x, y, z))
    norm = math.sqrt(x * x + y * y + z * z)
    return x / norm, y / norm, z / norm
