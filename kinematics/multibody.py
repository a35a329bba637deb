"""A robot as a numbered tree of moving bodies, in one of the orders that programs use.

It is made from a `Model` and holds nothing that moves: where bodies are, the model's forward
kinematics says. The root link is the base, body -1; body i is what joint i carries.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from kinematics.arrays import FloatArray, IntArray, frozen, frozen_ints, overflowing
from kinematics.errors import KinematicsError, quote, unknown
from kinematics.expanding import expand
from kinematics.forward import update_frames
from kinematics.model import KINDS, Model, build_model
from kinematics.orderings import BASE, ORDERINGS, breadth_first, walk
from kinematics.spatial import inverse_transform, motion_subspace, move_inertia, spatial_inertia
from urdf import Robot

# Of one multibody: who is whose ancestor is kept for every pair of bodies, 32 MB of it at most.
MAX_BODIES: Final = 2000


@dataclass(frozen=True, slots=True)
class FixedFrame:
    """A link that a fixed joint made part of a body.

    Attributes:
        joint: the fixed joint's name.
        link: the link it carries.
        body: what the link is a part of now, -1 for the base.
        T_body_link: (4, 4).
    """

    joint: str
    link: str
    body: int
    T_body_link: FloatArray


class Multibody:
    """n bodies, each behind the one that carries it.

    Attributes:
        model: what it was made from.
        ordering: a name of `ORDERINGS`.
        joints: the description's joints in the order of their ids; body i belongs to joint i.
        joint_names, body_names: theirs, and of the links they carry.
        parent: (n,) the body that carries each, -1 for the base.
        bfs_ids, levels: (n,) numbered breadth first, siblings in document order; the base's
            children have level 0.
        q_index: (n,) in the model's q, -1 for a fixed joint that was kept.
        v_index: (n,) in the vectors of `kinematics.dynamics`, -1 likewise.
        value_names: the joints that have a value, in the order of these vectors.
        subspaces: n motion subspaces S (6, 1) or (6, 0), in the frame of the joint's link.
        inertias: (n, 6, 6) with all that was merged, in the frame of the joint's link.
        base_inertia: (6, 6) the same of the base.
        lower, upper: (n,) rad or m; infinite without a limit.
        velocity, effort: (n,) the joint's bounds, infinite where none is given.
        damping, friction: (n,) 0 where none is given.
        merged: what became part of a body, parent first.
    """

    def __init__(self, model: Model, ordering: str, *, merge_fixed: bool) -> None:
        self.model = model
        self.ordering = ordering
        walked, parents = walk(model.robot, ordering, merge_fixed=merge_fixed)
        self.joints = tuple(walked)
        self.joint_names = tuple(joint.name for joint in walked)
        self.body_names = tuple(joint.child for joint in walked)
        self.parent = frozen_ints(parents)
        self._ids = {name: i for i, name in enumerate(self.joint_names)}
        ids, levels = breadth_first(model.robot, walked, parents)
        self.bfs_ids, self.levels = frozen_ints(ids), frozen_ints(levels)
        q_index = [model.q_index(name) for name in self.joint_names]
        self.q_index = frozen_ints([-1 if i is None else i for i in q_index])
        movable = [i for i, joint in enumerate(walked) if joint.movable]
        v_index = {i: v for v, i in enumerate(movable)}
        self.v_index = frozen_ints([v_index.get(i, -1) for i in range(len(walked))])
        self.value_names = tuple(walked[i].name for i in movable)
        axes = dict(zip(model.joint_order, model.joint_axis.reshape(-1, 3), strict=True))
        self.subspaces = tuple(
            motion_subspace(KINDS[joint.type], axes[joint.name]) for joint in walked
        )
        self._set_bounds()
        self._weigh()
        self._ancestors: FloatArray | None = None

    @property
    def nv(self) -> int:
        """Return how many values the robot has."""
        return len(self.value_names)

    @property
    def is_serial_chain(self) -> bool:
        """Return whether every body carries the next one and nothing else."""
        return bool(np.array_equal(self.parent, np.arange(-1, len(self.parent) - 1)))

    def joint_id(self, name: str) -> int:
        """Return a joint's id, which is that of the body it carries.

        Raises:
            KinematicsError: `unknown_joint`; a joint that was merged has none.
        """
        found = self._ids.get(name)
        if found is None:
            raise unknown("joint", name, self._ids)
        return found

    def body_of(self, link: str) -> int:
        """Return the body that a link is, or is a part of; -1 for the base.

        Raises:
            KinematicsError: `unknown_link`.
        """
        return self._link_body[self.model.link_index(link)]

    def children(self, body: int) -> list[int]:
        """Return the bodies that one carries itself, by id."""
        return np.flatnonzero(self.parent == body).tolist()

    def ancestors(self, body: int) -> list[int]:
        """Return what carries a body, nearest first, without itself and without the base."""
        found: list[int] = []
        while body != BASE and (body := int(self.parent[body])) != BASE:
            found.append(body)
        return found

    def subtree(self, body: int) -> list[int]:
        """Return a body and all it carries, by id; of the base, all bodies and -1."""
        if body == BASE:
            return list(range(BASE, len(self.parent)))
        return np.flatnonzero(self.ancestor_matrix[body]).tolist()

    @property
    def ancestor_matrix(self) -> FloatArray:
        """Return (n, n): 1 in row i, column j where body i is j or carries it, else 0."""
        if self._ancestors is None:
            matrix = np.eye(len(self.parent))
            for body, parent in enumerate(self.parent):  # a parent's column is done before
                if parent != BASE:
                    matrix[:, body] += matrix[:, parent]
            matrix.flags.writeable = False
            self._ancestors = matrix
        return self._ancestors

    def at_level(self, level: int) -> list[int]:
        """Return the bodies of a level, breadth first."""
        found: IntArray = np.flatnonzero(self.levels == level)
        return sorted(found.tolist(), key=self.bfs_ids.__getitem__)

    def from_model(self, q: FloatArray) -> FloatArray:
        """Return values given in the model's order (n,) in this one's."""
        return q[self.q_index[self.q_index >= 0]]

    def to_model(self, values: FloatArray) -> FloatArray:
        """Return values given in this one's order (n,) in the model's."""
        out = np.empty(len(values))
        out[self.q_index[self.q_index >= 0]] = values
        return out

    def _set_bounds(self) -> None:
        limits = [joint.limit for joint in self.joints]
        self.lower = frozen([limit.lower if limit else -math.inf for limit in limits])
        self.upper = frozen([limit.upper if limit else math.inf for limit in limits])
        bounds = [(limit.velocity, limit.effort) if limit else (None, None) for limit in limits]
        self.velocity = frozen([math.inf if v is None else v for v, _ in bounds])
        self.effort = frozen([math.inf if e is None else e for _, e in bounds])
        dynamics = [joint.dynamics for joint in self.joints]
        self.damping = frozen([one.damping if one else 0.0 for one in dynamics])
        self.friction = frozen([one.friction if one else 0.0 for one in dynamics])

    def _weigh(self) -> None:
        """Give every link to its body, and every body the inertia of all of its links."""
        model = self.model
        frames = root_transforms(model, np.zeros(len(model.joint_names)))
        self._link_body = [BASE] * len(model.link_names)
        inertias = np.zeros((len(self.joints) + 1, 6, 6))  # the base's last, at -1
        merged: list[FixedFrame] = []
        for link in [model.root, *map(int, model.joint_child)]:
            joint = int(model.link_joint[link])
            name = "" if joint < 0 else model.joint_order[joint]
            body = self._ids.get(name, BASE)
            if joint >= 0 and name not in self._ids:
                body = self._link_body[int(model.joint_parent[joint])]
            self._link_body[link] = body
            carrier = model.root if body == BASE else model.link_index(self.body_names[body])
            T_body_link = inverse_transform(frames[carrier]) @ frames[link]
            if joint >= 0 and name not in self._ids:
                merged.append(FixedFrame(name, model.link_names[link], body, T_body_link))
            inertial = model.robot.links[link].inertial
            if inertial is not None:
                com, about = np.array(inertial.com), np.array(inertial.inertia)
                own = spatial_inertia(inertial.mass, com, about)
                inertias[body] += own if carrier == link else move_inertia(T_body_link, own)
        self.merged = tuple(merged)
        self.base_inertia = inertias[BASE].copy()
        self.inertias = inertias[:BASE]
        self.base_inertia.flags.writeable = self.inertias.flags.writeable = False


@overflowing
def build_multibody(
    robot: Robot | Model, joint_ordering: str = "pinocchio", *, merge_fixed: bool = True
) -> Multibody:
    """Return the bodies of a robot.

    Args:
        robot: read with `urdf.parse(text, "extended")`: the strict reading has no inertia, no
            bodies' or motors' numbers. Planar and translation joints are expanded, see
            `kinematics.expanding`. Or the model of one.
        joint_ordering: a name of `ORDERINGS`.
        merge_fixed: make what a fixed joint carries a part of the body before it; else every
            joint has a body, and those of fixed joints no value.

    Raises:
        KinematicsError: `invalid_request`; another ordering, a joint type that has no value
            of its own or more than one, or too many bodies.
    """
    if joint_ordering not in ORDERINGS:
        known = ", ".join(map(repr, ORDERINGS))
        raise KinematicsError(
            "invalid_request", f"'joint_ordering' is {joint_ordering!r}; one of {known} expected"
        )
    model = robot if isinstance(robot, Model) else build_model(_computable(expand(robot)))
    bodies = sum(joint.movable or not merge_fixed for joint in model.robot.joints)
    if bodies > MAX_BODIES:
        raise KinematicsError(
            "invalid_request", f"the robot has {bodies} bodies; at most {MAX_BODIES} expected"
        )
    return Multibody(model, joint_ordering, merge_fixed=merge_fixed)


def root_transforms(model: Model, q: FloatArray) -> FloatArray:
    """Return T_root_link of every link (links, 4, 4), of the model's q."""
    numbers = np.asarray(update_frames(model, q)).reshape(-1, 12)
    transforms = np.zeros((len(numbers), 4, 4))
    transforms[:, :3, :3] = numbers[:, :9].reshape(-1, 3, 3)
    transforms[:, :3, 3] = numbers[:, 9:]
    transforms[:, 3, 3] = 1.0
    return transforms


def _computable(robot: Robot) -> Robot:
    for joint in robot.joints:
        if joint.type not in KINDS:
            raise KinematicsError(
                "invalid_request",
                f"joint {quote(joint.name)} (line {joint.line}) is {joint.type}; "
                f"{', '.join(KINDS)} expected where a robot is to be computed with",
            )
    return robot
