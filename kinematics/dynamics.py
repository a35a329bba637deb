"""Mass and motion of a robot's bodies: centre of mass, mass matrix, inverse and forward dynamics.

Everything is written along the root link's axes and about its origin, where the model's forward
kinematics puts the bodies. There sums over subtrees are sums, and the recursions of Newton and
Euler and of composite bodies (Featherstone 2008, chapters 5 and 6) become a few products of
matrices. Vectors q, v, a and tau are (nv,) in the order of `Multibody.value_names`: rad and m,
and their rates; N m and N. Damping, friction and limits take no part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from kinematics.arrays import FloatArray, overflowing
from kinematics.errors import KinematicsError, quote
from kinematics.forward import refuse_overflow
from kinematics.multibody import Multibody
from kinematics.posture import Posture, check_length
from kinematics.spatial import ANGULAR, LINEAR, force_cross, motion_cross

GRAVITY: Final = (0.0, 0.0, -9.81)  # m/s^2 along the root link's axes
SINGULAR: Final = 1e-15  # times the number of values: an eigenvalue that is rounding alone


@dataclass(frozen=True, slots=True)
class CenterOfMass:
    """Where the mass is.

    Attributes:
        mass: kg.
        position: (3,) in the root's frame, m; the origin where there is no mass.
        jacobian: (3, nv) its velocity for each of v.
    """

    mass: float
    position: FloatArray
    jacobian: FloatArray


@overflowing
def center_of_mass(multibody: Multibody, q: FloatArray, *, base: bool = True) -> CenterOfMass:
    """Return the centre of mass of the whole robot, or without its base.

    Raises:
        KinematicsError: `invalid_request`; `q` or the result is beyond all measure.
    """
    posture = Posture(multibody, q)
    still = multibody.base_inertia if base else np.zeros((6, 6))
    total = posture.inertias.sum(axis=0) + still
    mass = float(multibody.inertias[:, 0, 0].sum() + still[0, 0])
    if mass == 0.0:
        return CenterOfMass(mass, np.zeros(3), np.zeros((3, multibody.nv)))
    # The momentum of unit rates; its linear part is the mass times the centre's velocity.
    composite = _composite(posture)
    jacobian = np.einsum("vij,jv->iv", composite[:, LINEAR], posture.S) / mass
    moment = total[ANGULAR, LINEAR]
    position = np.array([moment[2, 1], moment[0, 2], moment[1, 0]]) / mass
    refuse_overflow(np.column_stack([jacobian, position]), "the centre of mass")
    return CenterOfMass(mass, position, jacobian)


@overflowing
def mass_matrix(multibody: Multibody, q: FloatArray) -> FloatArray:
    """Return M (nv, nv), symmetric: the kinetic energy is v M v / 2.

    Raises:
        KinematicsError: `invalid_request`; `q` or the result is beyond all measure.
    """
    posture = Posture(multibody, q)
    matrix = mass_matrix_at(posture)
    refuse_overflow(matrix, "the mass matrix")
    return matrix


@overflowing
def inverse_dynamics(
    multibody: Multibody,
    q: FloatArray,
    v: FloatArray,
    a: FloatArray,
    gravity: tuple[float, float, float] = GRAVITY,
) -> FloatArray:
    """Return the forces tau (nv,) that give the accelerations `a` at q and v.

    Raises:
        KinematicsError: `invalid_request`; a vector is of another length, or the result is
            beyond all measure.
    """
    check_length(multibody, v, "v")
    check_length(multibody, a, "a")
    tau = inverse_dynamics_at(Posture(multibody, q), v, a, gravity)
    refuse_overflow(tau, "a joint's force")
    return tau


def gravity_torques(
    multibody: Multibody, q: FloatArray, gravity: tuple[float, float, float] = GRAVITY
) -> FloatArray:
    """Return the forces tau (nv,) that hold the robot still at q.

    Raises:
        KinematicsError: as `inverse_dynamics`.
    """
    still = np.zeros(multibody.nv)
    return inverse_dynamics(multibody, q, still, still, gravity)


@overflowing
def forward_dynamics(
    multibody: Multibody,
    q: FloatArray,
    v: FloatArray,
    tau: FloatArray,
    gravity: tuple[float, float, float] = GRAVITY,
) -> FloatArray:
    """Return the accelerations a (nv,) that the forces `tau` give at q and v.

    Raises:
        KinematicsError: `invalid_request`; as `inverse_dynamics`, or a joint moves no mass.
    """
    check_length(multibody, v, "v")
    check_length(multibody, tau, "tau")
    posture = Posture(multibody, q)
    bias = inverse_dynamics_at(posture, v, np.zeros(multibody.nv), gravity)
    matrix = mass_matrix_at(posture)
    refuse_overflow(matrix, "the mass matrix")
    for value, name in enumerate(multibody.value_names):
        if not matrix[value, value] > 0.0:
            raise KinematicsError(
                "invalid_request",
                f"joint {quote(name)} moves nothing that has inertia about it; "
                "an <inertial> in a link that it carries expected",
            )
    # Scaled to a diagonal of 1, so that small bodies beside large ones are no reason to refuse.
    scale = 1.0 / np.sqrt(np.diag(matrix))
    scaled = matrix * np.outer(scale, scale)
    if multibody.nv and np.linalg.eigvalsh(scaled)[0] <= SINGULAR * multibody.nv:
        raise KinematicsError(
            "invalid_request",
            "the mass matrix is singular: some joints together move nothing that has inertia; "
            "an <inertial> in every moving link expected",
        )
    acceleration = scale * np.linalg.solve(scaled, scale * (tau - bias))
    refuse_overflow(acceleration, "an acceleration")
    return np.asarray(acceleration, dtype=np.float64)


def mass_matrix_at(posture: Posture) -> FloatArray:
    """Return the mass matrix (nv, nv) of a posture.

    Composite rigid bodies: M_ij = S_i I_j S_j, with I_j all that j carries, where i carries j.
    """
    momentum = np.einsum("vij,jv->iv", _composite(posture), posture.S)
    of_values = posture.carries[:, posture.own]
    # A carrier has the lower index, so below the diagonal there is nothing to add.
    upper = np.triu((posture.S.T @ momentum) * of_values)
    return np.asarray(upper + np.triu(upper, 1).T, dtype=np.float64)


def _composite(posture: Posture) -> FloatArray:
    """Return (nv, 6, 6): the inertia of all that each value moves."""
    moved = posture.carries @ posture.inertias.reshape(-1, 36)
    return np.asarray(moved.reshape(-1, 6, 6), dtype=np.float64)


def inverse_dynamics_at(
    posture: Posture, v: FloatArray, a: FloatArray, gravity: tuple[float, float, float]
) -> FloatArray:
    """Return the forces (nv,) that give the accelerations `a` in a posture, at the rates v.

    Newton and Euler: a body's motion is the sum of its carriers', a joint's force of its load.
    """
    if not posture.S.size:
        return np.zeros(0)
    rates = posture.S * v
    velocities = rates @ posture.carries  # (6, n)
    # Each S is carried along by its own body: its rate is that body's velocity x S.
    turned = [motion_cross(velocities[:, body]) @ rates[:, i] for i, body in enumerate(posture.own)]
    accelerations = (posture.S * a + np.column_stack(turned)) @ posture.carries
    accelerations[LINEAR] -= np.array(gravity)[:, None]  # as if the root accelerated upwards
    momenta = np.einsum("nij,jn->in", posture.inertias, velocities)
    forces = np.einsum("nij,jn->in", posture.inertias, accelerations)
    for body in range(forces.shape[1]):
        forces[:, body] += force_cross(velocities[:, body]) @ momenta[:, body]
    load = forces @ posture.carries.T
    return np.asarray((posture.S * load).sum(axis=0))
