"""The `/model/*` services: what a robot's bodies are, how they move, what they weigh.

Every array that has an entry for each value of the robot has them in the order of the answer's
own `joint_names`, which the request's `joint_ordering` decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from kinematics import fields, requests
from kinematics.answers import Values
from kinematics.arrays import FloatArray, overflowing
from kinematics.dynamics import (
    GRAVITY,
    center_of_mass,
    gravity_torques,
    inverse_dynamics,
    mass_matrix,
)
from kinematics.errors import KinematicsError
from kinematics.fields import MISSING, Object
from kinematics.multibody import Multibody
from kinematics.orderings import ORDERINGS
from kinematics.posture import Posture, body_transforms, link_jacobians
from kinematics.spatial import inertia_parameters

DEFAULT_ORDERING: Final = "pinocchio"
MAX_NUMBERS: Final = 200_000  # of an answer: about what a line of 4 MiB holds


def ordering(args: Object) -> str:
    """Read in which order the joints are wanted."""
    given = args.get("joint_ordering", DEFAULT_ORDERING)
    if not isinstance(given, str) or given not in ORDERINGS:
        known = ", ".join(f'"{name}"' for name in ORDERINGS)
        raise fields.wrong("joint_ordering", given, f"one of {known}")
    return given


@overflowing
def _info(_args: Object, multibody: Multibody) -> Values:
    inertias = multibody.inertias
    total = float(multibody.base_inertia[0, 0] + inertias[:, 0, 0].sum())
    return {
        "name": multibody.model.robot.name,
        "joint_ordering": multibody.ordering,
        "joint_names": multibody.value_names,
        "serial_chain": multibody.is_serial_chain,
        "mass": total,
        "base": {"link": multibody.model.root_link} | _inertia(multibody.base_inertia),
        "bodies": [_body(multibody, i) | _inertia(own) for i, own in enumerate(inertias)],
        "merged": [
            {
                "joint": frame.joint,
                "link": frame.link,
                "body": frame.body,
                "transform": np.ascontiguousarray(frame.T_body_link),
            }
            for frame in multibody.merged
        ],
    }


def _body(multibody: Multibody, i: int) -> Values:
    return {
        "id": i,
        "joint": multibody.joint_names[i],
        "type": multibody.joints[i].type,
        "link": multibody.body_names[i],
        "parent": int(multibody.parent[i]),
        "bfs_id": int(multibody.bfs_ids[i]),
        "level": int(multibody.levels[i]),
        "subspace": multibody.subspaces[i][:, 0].tolist(),
        "lower": _finite(multibody.lower[i]),
        "upper": _finite(multibody.upper[i]),
        "velocity": _finite(multibody.velocity[i]),
        "effort": _finite(multibody.effort[i]),
        "damping": float(multibody.damping[i]),
        "friction": float(multibody.friction[i]),
    }


def _inertia(spatial: FloatArray) -> Values:
    if not np.isfinite(spatial).all():
        raise KinematicsError(
            "invalid_request", "an inertia would not be finite; smaller bodies expected"
        )
    mass, com, about = inertia_parameters(spatial)
    return {"mass": mass, "center_of_mass": com.tolist(), "inertia": about.tolist()}


def _finite(bound: float) -> float | None:
    """Return a bound, None where there is none: JSON has no infinity."""
    return float(bound) if math.isfinite(bound) else None


@overflowing
def _transforms(args: Object, multibody: Multibody) -> Values:
    links = requests.links(args, multibody.model)
    _fits(16 * len(links) + 36 * len(multibody.joints))
    posture = Posture(multibody, _q(args, multibody))
    names = multibody.model.link_names
    return {
        "links": [names[link] for link in links],
        "transforms": np.ascontiguousarray(posture.frames[links]),
        "joint_names": multibody.joint_names,
        "motion_transforms": body_transforms(posture),
    }


@overflowing
def _jacobians(args: Object, multibody: Multibody) -> Values:
    links = requests.links(args, multibody.model)
    reference = requests.reference(args)
    _fits(6 * len(links) * multibody.nv)
    posture = Posture(multibody, _q(args, multibody))
    names = multibody.model.link_names
    return {
        "links": [names[link] for link in links],
        "joint_names": multibody.value_names,
        "jacobians": link_jacobians(posture, links, reference),
    }


def _center_of_mass(args: Object, multibody: Multibody) -> Values:
    found = center_of_mass(multibody, _q(args, multibody))
    x, y, z = found.position.tolist()
    return {
        "mass": found.mass,
        "position": {"x": x, "y": y, "z": z},
        "joint_names": multibody.value_names,
        "jacobian": np.ascontiguousarray(found.jacobian),
    }


def _mass_matrix(args: Object, multibody: Multibody) -> Values:
    _fits(multibody.nv**2)
    matrix = mass_matrix(multibody, _q(args, multibody))
    return {
        "joint_names": multibody.value_names,
        "mass_matrix": np.ascontiguousarray(matrix),
    }


def _inverse_dynamics(args: Object, multibody: Multibody) -> Values:
    q = _q(args, multibody)
    state = fields.object_of(args.get("joint_state", {}), "joint_state")
    names = fields.strings(state.get("name", []), "joint_state.name")
    v = _rates(state.get("velocity", []), "joint_state.velocity", names, multibody)
    a = _rates(args.get("accelerations", []), "accelerations", names, multibody)
    given = args.get("gravity", MISSING)
    gravity = GRAVITY
    if given is not MISSING:
        x, y, z = fields.vector(given, "gravity").tolist()
        gravity = (x, y, z)
    return {
        "joint_names": multibody.value_names,
        "effort": inverse_dynamics(multibody, q, v, a, gravity),
        "gravity_effort": gravity_torques(multibody, q, gravity),
    }


def _q(args: Object, multibody: Multibody) -> FloatArray:
    model = multibody.model
    q = requests.configuration(args.get("joint_state", MISSING), "joint_state", model)
    return multibody.from_model(q)


def _rates(given: object, where: str, names: list[str], multibody: Multibody) -> FloatArray:
    """Return one number for each named joint, 0 for the others; none at all are zeros."""
    values = fields.numbers(given, where)
    if values and len(values) != len(names):
        raise KinematicsError(
            "invalid_request",
            f"'{where}' has {len(values)} numbers; "
            f"one for each of the {len(names)} names in 'joint_state.name' expected",
        )
    rates = np.zeros(len(multibody.model.joint_names))
    for name, value in zip(names, values, strict=False):
        index = multibody.model.q_index(name)
        if index is not None:
            rates[index] = value
    return multibody.from_model(rates)


def _fits(numbers: int) -> None:
    """Refuse an answer that no line holds before it is computed."""
    if numbers > MAX_NUMBERS:
        raise KinematicsError(
            "limit_exceeded",
            f"the answer has {numbers} numbers; at most {MAX_NUMBERS} expected; "
            "'links' asks for fewer, where the service has it",
        )


MODEL_SERVICES: Final[Mapping[str, Callable[[Object, Multibody], Values]]] = {
    "/model/info": _info,
    "/model/transforms": _transforms,
    "/model/jacobians": _jacobians,
    "/model/center_of_mass": _center_of_mass,
    "/model/inverse_dynamics": _inverse_dynamics,
    "/model/mass_matrix": _mass_matrix,
}
