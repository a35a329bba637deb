"""The arguments of each `/ik/*` call, read against the robot they are about.

Each function takes the call's `args` and returns a frozen request in the terms of
`kinematics` (indices and arrays), or raises `KinematicsError`. Fields that nothing
reads end up in `ignored`, so that a misspelt one is noticed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from kinematics import fields
from kinematics.arrays import FloatArray
from kinematics.chain import path_joints
from kinematics.errors import KinematicsError, quote
from kinematics.fields import MISSING, Object
from kinematics.model import Model
from kinematics.problem import IkProblem

MAX_TIMEOUT_SECONDS: Final = 10.0  # the contract's
DEFAULT_TIMEOUT_SECONDS: Final = 0.1  # the contract's
MAX_SOLUTIONS: Final = 64  # the contract's
DEFAULT_TOLERANCE: Final = 1e-6  # metres and radians, the contract's
RANDOM_SEED_RANGE: Final = (-(2**63), 2**64 - 1)  # what fits in JSON as an exact integer

REFERENCES: Final = ("base", "link")
COMMON: Final = frozenset({"description_param"})
SOLVE_FIELDS: Final = (
    COMMON
    | {"link", "target", "base_link", "point", "seed", "joints", "tolerance"}
    | {"timeout", "random_seed", "solutions"}
)
MODEL_FIELDS: Final = COMMON | {"joint_ordering"}
KNOWN_FIELDS: Final = {
    "/ik/robot_info": COMMON,
    "/ik/validate": frozenset({"robot_description"}),
    "/ik/forward_kinematics": COMMON | {"joint_state", "links", "base_link"},
    "/ik/jacobian": COMMON | {"link", "joint_state", "base_link", "point", "reference"},
    "/ik/solve_robot": SOLVE_FIELDS,
    "/ik/solve_batch": SOLVE_FIELDS - {"target"} | {"targets", "mode", "max_step"},
    "/ik/forward_kinematics_batch": COMMON | {"joint_names", "positions", "links", "base_link"},
    "/model/info": MODEL_FIELDS,
    "/model/transforms": MODEL_FIELDS | {"joint_state", "links"},
    "/model/jacobians": MODEL_FIELDS | {"joint_state", "links", "reference"},
    "/model/center_of_mass": MODEL_FIELDS | {"joint_state"},
    "/model/inverse_dynamics": MODEL_FIELDS | {"joint_state", "accelerations", "gravity"},
    "/model/mass_matrix": MODEL_FIELDS | {"joint_state"},
}
TARGET_FIELDS: Final = frozenset({"position", "orientation"})
JOINT_STATE_FIELDS: Final = frozenset({"header", "name", "position", "velocity", "effort"})
PARTS: Final = {  # what is known inside a field
    "joint_state": JOINT_STATE_FIELDS,
    "seed": JOINT_STATE_FIELDS,
    "target": TARGET_FIELDS,
    "tolerance": TARGET_FIELDS,
}


@dataclass(frozen=True, slots=True)
class ForwardRequest:
    """Where are these links, in the frame of that one?"""

    q: FloatArray
    links: list[int]
    base: int


@dataclass(frozen=True, slots=True)
class JacobianRequest:
    """How does a point of a link move with each joint?"""

    q: FloatArray
    link: int
    base: int
    point: FloatArray
    reference: str


@dataclass(frozen=True, slots=True)
class SolveRequest:
    """Which configuration puts a point of a link at a pose, and how long may it take?"""

    problem: IkProblem
    timeout_seconds: float


def ignored(service: str, args: Object) -> list[str]:
    """Return the paths of the fields of `args` that nothing reads."""
    known = KNOWN_FIELDS[service]
    surplus = fields.unknown_fields(args, known)
    for name, inside in PARTS.items():
        part = args.get(name)
        if name in known and isinstance(part, dict):
            surplus += fields.unknown_fields(part, inside, f"{name}.")
    return surplus


def forward(args: Object, model: Model) -> ForwardRequest:
    """Read the arguments of `/ik/forward_kinematics`."""
    return ForwardRequest(
        q=configuration(args.get("joint_state", MISSING), "joint_state", model),
        links=links(args, model),
        base=base_link(args, model),
    )


def links(args: Object, model: Model) -> list[int]:
    """Read which links are asked for; all of them unless some are named."""
    names = args.get("links", MISSING)
    if names is MISSING:
        return list(range(len(model.link_names)))
    return [model.link_index(name) for name in fields.strings(names, "links")]


def jacobian(args: Object, model: Model) -> JacobianRequest:
    """Read the arguments of `/ik/jacobian`."""
    return JacobianRequest(
        q=configuration(args.get("joint_state", MISSING), "joint_state", model),
        link=_link(args, model),
        base=base_link(args, model),
        point=_point(args),
        reference=reference(args),
    )


def reference(args: Object) -> str:
    """Read along whose axes a Jacobian's rows are to be."""
    given = args.get("reference", "base")
    if given not in REFERENCES:
        raise fields.wrong("reference", given, '"base" or "link"')
    return str(given)


def solve(args: Object, model: Model) -> SolveRequest:
    """Read the arguments of `/ik/solve_robot`."""
    return SolveRequest(problem(args, model, args.get("target", MISSING)), timeout_seconds(args))


def problem(args: Object, model: Model, target: object) -> IkProblem:
    """Read a target, and all that a search has beside it."""
    link, base = _link(args, model), base_link(args, model)
    position, quaternion = goal(target, "target")
    tolerance = _tolerance(args.get("tolerance", {}))
    joints = args.get("joints", MISSING)
    return IkProblem(
        model=model,
        link=link,
        base=base,
        point=_point(args),
        position=position,
        quaternion=quaternion,
        seed=configuration(args.get("seed", MISSING), "seed", model),
        free=None if joints is MISSING else _free_joints(joints, link, base, model),
        position_tolerance=tolerance[0],
        orientation_tolerance=tolerance[1],
        random_seed=fields.integer_between(
            args.get("random_seed", 0), "random_seed", *RANDOM_SEED_RANGE
        ),
        solutions=fields.integer_between(args.get("solutions", 1), "solutions", 1, MAX_SOLUTIONS),
    )


def goal(target: object, where: str) -> tuple[FloatArray | None, FloatArray | None]:
    """Read a target: a position (3,), a unit quaternion (4,) x y z w, or both."""
    parts = fields.object_of(target, where)
    if not TARGET_FIELDS & parts.keys():
        raise KinematicsError(
            "invalid_request", f"'{where}' has neither 'position' nor 'orientation'; one expected"
        )
    position, orientation = (parts.get(name, MISSING) for name in ("position", "orientation"))
    return (
        None if position is MISSING else fields.vector(position, f"{where}.position"),
        None if orientation is MISSING else fields.quaternion(orientation, f"{where}.orientation"),
    )


def timeout_seconds(args: Object) -> float:
    """Read how long one search may take."""
    timeout = args.get("timeout", DEFAULT_TIMEOUT_SECONDS)
    return fields.number_between(timeout, "timeout", 0.0, MAX_TIMEOUT_SECONDS)


def _link(args: Object, model: Model) -> int:
    return model.link_index(fields.string(args.get("link", MISSING), "link"))


def base_link(args: Object, model: Model) -> int:
    """Read in which link's frame the answer is to be; the root's unless one is named."""
    return model.link_index(fields.string(args.get("base_link", model.root_link), "base_link"))


def _point(args: Object) -> FloatArray:
    point = args.get("point", MISSING)
    return np.zeros(3) if point is MISSING else fields.vector(point, "point")


def _tolerance(value: object) -> tuple[float, float]:
    """Return the tolerances of position (m) and orientation (rad)."""
    given = fields.object_of(value, "tolerance")
    position, orientation = (
        fields.positive_number(given.get(name, DEFAULT_TOLERANCE), f"tolerance.{name}")
        for name in ("position", "orientation")
    )
    return position, orientation


def configuration(value: object, where: str, model: Model) -> FloatArray:
    """Return a `sensor_msgs/JointState` as q (n,); joints that it does not name are at 0."""
    q = np.zeros(len(model.joint_names))
    if value is MISSING:
        return q
    state = fields.object_of(value, where)
    names = fields.strings(state.get("name", []), f"{where}.name")
    positions = fields.numbers(state.get("position", []), f"{where}.position")
    if len(names) != len(positions):
        raise KinematicsError(
            "invalid_request",
            f"'{where}' has {len(names)} names and {len(positions)} positions; "
            "one position for each name expected",
        )
    fields.each_once(names, f"{where}.name")
    for name, position in zip(names, positions, strict=True):
        index = model.q_index(name)
        if index is not None:  # a fixed joint may be named and changes nothing
            q[index] = position
    return q


def _free_joints(value: object, link: int, base: int, model: Model) -> list[int]:
    """Return the indices in q of the joints that may move."""
    names = fields.strings(value, "joints")
    fields.each_once(names, "joints")
    on_path = {model.joint_order[joint] for joint in path_joints(model, base, link)}
    free: list[int] = []
    for name in names:
        index = model.q_index(name)
        if name not in on_path:
            raise KinematicsError(
                "invalid_request",
                f"'joints' names {quote(name)}, which is not between "
                f"{quote(model.link_names[base])} and {quote(model.link_names[link])}",
            )
        if index is not None:
            free.append(index)
    return free
