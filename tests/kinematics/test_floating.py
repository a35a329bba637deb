"""A robot that nothing carries: momentum, and Pinocchio's free-flyer."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import urdf
from kinematics.arrays import FloatArray
from kinematics.dynamics import center_of_mass, inverse_dynamics, mass_matrix
from kinematics.errors import KinematicsError
from kinematics.floating import (
    FloatingPosture,
    floating_inverse_dynamics,
    floating_mass_matrix,
    q_from_legacy,
    q_to_legacy,
    swap_legacy_v,
)
from kinematics.multibody import Multibody, build_multibody
from tests.support.heavy_robots import heavy_text
from tests.support.random_robots import configuration


def state(seed: int, **options: Any) -> tuple[str, Multibody, FloatArray, FloatArray, FloatArray]:
    text = heavy_text(seed, 9, **options)
    found = build_multibody(urdf.parse(text, "extended"))
    rng = np.random.default_rng(seed)
    turn = rng.normal(size=4)
    joints = found.from_model(configuration(found.model, random.Random(seed)))
    q = np.concatenate([rng.normal(size=3), turn / np.linalg.norm(turn), joints])
    v, a = rng.normal(size=(2, 6 + found.nv))
    return text, found, q, v, a


@pytest.mark.parametrize("seed", range(6))
def test_identities(seed: int) -> None:
    _, found, q, v, a = state(seed)
    M = floating_mass_matrix(found, q)
    assert np.array_equal(M, M.T)
    assert np.allclose(M[6:, 6:], mass_matrix(found, q[7:]))
    mass = center_of_mass(found, q[7:])
    assert np.allclose(M[:3, :3], mass.mass * np.eye(3))
    assert np.allclose(M[:3, 6:], mass.mass * mass.jacobian)
    still = np.zeros(len(v))
    moving = floating_inverse_dynamics(found, q, v, still)
    assert np.allclose(floating_inverse_dynamics(found, q, v, a), M @ a + moving, rtol=1e-9)
    # Falling freely at rest, nothing has to hold: gravity is an acceleration of the base.
    R = FloatingPosture(found, q).R_world_root
    fall = np.concatenate([R.T @ [0.0, 0.0, -9.81], np.zeros(3 + found.nv)])
    assert np.allclose(floating_inverse_dynamics(found, q, still, fall), 0, atol=1e-9)


def test_a_base_that_is_held_is_a_fixed_one() -> None:
    _, found, q, v, a = state(3)
    q[3:7] = [0.0, 0.0, 0.0, 1.0]
    v[:6] = a[:6] = 0.0
    held = floating_inverse_dynamics(found, q, v, a)
    assert np.allclose(held[6:], inverse_dynamics(found, q[7:], v[6:], a[6:]))


def test_the_older_layout_and_back() -> None:
    q, v = np.arange(9.0), np.arange(8.0)
    assert q_to_legacy(q).tolist() == [0, 1, 2, 6, 3, 4, 5, 7, 8]
    assert q_from_legacy(q).tolist() == [0, 1, 2, 4, 5, 6, 3, 7, 8]
    assert np.array_equal(q_from_legacy(q_to_legacy(q)), q)
    assert swap_legacy_v(v).tolist() == [3, 4, 5, 0, 1, 2, 6, 7]


def test_what_is_refused() -> None:
    _, found, q, v, a = state(1)
    with pytest.raises(KinematicsError, match=r"q has the shape \(3,\)"):
        floating_mass_matrix(found, q[:3])
    with pytest.raises(KinematicsError, match="v has the shape"):
        floating_inverse_dynamics(found, q, v[:2], a)
    q[3:7] *= 2.0
    with pytest.raises(KinematicsError, match="quaternion has norm 2; a unit quaternion"):
        floating_inverse_dynamics(found, q, v, a)


@pytest.mark.oracle
@pytest.mark.parametrize("seed", range(10))
def test_the_same_as_pinocchios_free_flyer(seed: int) -> None:
    pinocchio: Any = pytest.importorskip("pinocchio", reason="needs the extra `oracle`")
    text, found, q, v, a = state(seed, kinds=("revolute", "prismatic", "fixed"))
    model = pinocchio.buildModelFromXML(text, pinocchio.JointModelFreeFlyer())
    data = model.createData()
    assert list(model.names)[2:] == list(found.value_names)
    tau = floating_inverse_dynamics(found, q, v, a)
    scale = max(1.0, abs(tau).max())
    assert np.allclose(tau, pinocchio.rnea(model, data, q, v, a), rtol=0, atol=1e-10 * scale)
    M = floating_mass_matrix(found, q)
    wanted = np.triu(pinocchio.crba(model, data, q))
    assert np.allclose(np.triu(M), wanted, rtol=0, atol=1e-10 * max(1.0, abs(M).max()))
