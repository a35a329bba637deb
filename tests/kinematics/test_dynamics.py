"""Dynamics hold energy and momentum, undo each other, and are Pinocchio's."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import jvrc_description  # type: ignore[import-untyped]
import numpy as np
import pytest
import upkie_description  # type: ignore[import-untyped]

import urdf
from kinematics.arrays import FloatArray
from kinematics.dynamics import (
    GRAVITY,
    center_of_mass,
    forward_dynamics,
    gravity_torques,
    inverse_dynamics,
    mass_matrix,
)
from kinematics.errors import KinematicsError
from kinematics.multibody import Multibody, build_multibody
from kinematics.posture import Posture
from tests.support.heavy_robots import heavy_text
from tests.support.random_robots import configuration

STEP = 1e-5
PACKAGED = [jvrc_description.urdf_path, upkie_description.URDF_PATH]
TEXTS = [
    *(pytest.param(heavy_text(seed, 10), id=f"random {seed}") for seed in range(10)),
    *(pytest.param(Path(path).read_text("utf-8"), id=Path(path).stem) for path in PACKAGED),
]
PENDULUM = """
<robot name="pendulum"><link name="stand"/>
  <link name="bob"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
    <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <joint name="pivot" type="continuous"><parent link="stand"/><child link="bob"/>
    <axis xyz="0 -1 0"/></joint>
</robot>"""


def bodies(text: str, ordering: str = "pinocchio", *, merge_fixed: bool = True) -> Multibody:
    return build_multibody(urdf.parse(text, "extended"), ordering, merge_fixed=merge_fixed)


def state(found: Multibody, seed: int = 3) -> tuple[FloatArray, FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    q = found.from_model(configuration(found.model, random.Random(seed)))
    return q, rng.normal(size=found.nv), rng.normal(size=found.nv)


def energy(found: Multibody, q: FloatArray, v: FloatArray) -> float:
    mass = center_of_mass(found, q)
    kinetic = 0.5 * v @ mass_matrix(found, q) @ v
    return float(kinetic - mass.mass * np.dot(GRAVITY, mass.position))


def test_a_pendulum_is_as_the_books_have_it() -> None:
    found = bodies(PENDULUM)
    q, v, a = np.array([0.3]), np.array([1.7]), np.array([-0.4])
    assert mass_matrix(found, q) == pytest.approx(np.array([[2 * 0.5**2]]))
    wanted = 2 * 0.25 * a + 2 * 9.81 * 0.5 * np.cos(q)
    assert inverse_dynamics(found, q, v, a) == pytest.approx(wanted)
    still = center_of_mass(found, q)
    assert still.mass == 2.0
    assert still.position == pytest.approx([0.5 * np.cos(0.3), 0, 0.5 * np.sin(0.3)])


@pytest.mark.parametrize("text", TEXTS)
def test_identities(text: str) -> None:
    found = bodies(text)
    q, v, a = state(found)
    M = mass_matrix(found, q)
    assert np.array_equal(M, M.T)
    still = np.zeros(found.nv)
    # tau = M a + what velocity asks for + what gravity asks for, each by itself.
    moving = inverse_dynamics(found, q, v, still, (0.0, 0.0, 0.0))
    whole = M @ a + moving + gravity_torques(found, q)
    tau = inverse_dynamics(found, q, v, a)
    assert np.allclose(tau, whole, atol=1e-9 * max(1.0, abs(tau).max()))
    # Gravity's torque is the gradient of the potential energy.
    mass = center_of_mass(found, q)
    wanted = -mass.mass * np.asarray(GRAVITY) @ mass.jacobian
    assert np.allclose(gravity_torques(found, q), wanted, atol=1e-9 * mass.mass)


@pytest.mark.parametrize("seed", range(10))
def test_power_goes_into_energy(seed: int) -> None:
    found = bodies(heavy_text(seed, 8))
    q, v, a = state(found, seed)
    power = inverse_dynamics(found, q, v, a) @ v
    ahead = energy(found, q + STEP * v + STEP**2 * a / 2, v + STEP * a)
    behind = energy(found, q - STEP * v + STEP**2 * a / 2, v - STEP * a)
    assert (ahead - behind) / (2 * STEP) == pytest.approx(power, rel=1e-5, abs=1e-4)


@pytest.mark.parametrize("seed", range(10))
def test_forward_undoes_inverse(seed: int) -> None:
    found = bodies(heavy_text(seed, 8, kinds=("revolute", "continuous")))
    q, v, a = state(found, seed)
    tau = inverse_dynamics(found, q, v, a)
    M = mass_matrix(found, q)
    assert np.linalg.eigvalsh(M).min() > 0
    again = forward_dynamics(found, q, v, tau)
    assert np.allclose(again, a, atol=1e-12 * np.linalg.cond(M) * max(1.0, abs(tau).max()))


@pytest.mark.parametrize("seed", range(6))
def test_the_ordering_and_merging_change_no_number(seed: int) -> None:
    text = heavy_text(seed, 12)
    first, other = bodies(text), bodies(text, "grid", merge_fixed=False)
    q, v, a = (first.to_model(values) for values in state(first, seed))
    found = [
        one.to_model(inverse_dynamics(one, one.from_model(q), one.from_model(v), one.from_model(a)))
        for one in (first, other)
    ]
    assert np.allclose(found[0], found[1], atol=1e-9)
    masses = [center_of_mass(one, one.from_model(q)) for one in (first, other)]
    assert np.allclose(masses[0].position, masses[1].position)
    assert masses[0].mass == pytest.approx(masses[1].mass)


@pytest.mark.parametrize("seed", range(4))
def test_the_centres_jacobian_is_that_of_differences(seed: int) -> None:
    found = bodies(heavy_text(seed, 8))
    q, v, _ = state(found, seed)
    for base in (True, False):
        ahead, behind = (center_of_mass(found, q + s * STEP * v, base=base) for s in (1, -1))
        rate = (ahead.position - behind.position) / (2 * STEP)
        assert np.allclose(center_of_mass(found, q, base=base).jacobian @ v, rate, atol=1e-7)


def test_a_robot_that_weighs_nothing_or_has_no_joint() -> None:
    weightless = bodies(PENDULUM.replace('value="2"', 'value="0"'))
    q = np.zeros(1)
    assert center_of_mass(weightless, q).jacobian.tolist() == [[0.0]] * 3
    with pytest.raises(KinematicsError, match="joint 'pivot' moves nothing that has inertia"):
        forward_dynamics(weightless, q, q, q)
    still = bodies('<robot name="r"><link name="a"/></robot>')
    none = np.zeros(0)
    assert mass_matrix(still, none).shape == (0, 0)
    assert inverse_dynamics(still, none, none, none).shape == (0,)
    assert forward_dynamics(still, none, none, none).shape == (0,)


def test_joints_that_share_what_one_would_move() -> None:
    twice = PENDULUM.replace("</robot>", "").replace('<parent link="stand"/>', '<parent link="m"/>')
    twice += (
        '<link name="m"/><joint name="first" type="continuous"><parent link="stand"/>'
        '<child link="m"/><axis xyz="0 -1 0"/></joint></robot>'
    )
    two = np.zeros(2)
    with pytest.raises(KinematicsError, match="the mass matrix is singular"):
        forward_dynamics(bodies(twice), two, two, two)


def test_lengths_and_overflows_are_refused() -> None:
    found = bodies(PENDULUM)
    one = np.zeros(1)
    with pytest.raises(KinematicsError, match=r"v has the shape \(2,\); \(1,\) expected"):
        inverse_dynamics(found, one, np.zeros(2), one)
    with pytest.raises(KinematicsError, match="a joint's force would not be finite"):
        inverse_dynamics(found, one, one, np.array([np.inf]))
    with pytest.raises(KinematicsError, match="q has the shape"):
        Posture(found, np.zeros(3))


class Oracle:
    """Pinocchio's model of the same description, and a state of it."""

    def __init__(self, text: str, found: Multibody, q: FloatArray) -> None:
        self.pinocchio: Any = pytest.importorskip("pinocchio", reason="needs the extra `oracle`")
        self.model = self.pinocchio.buildModelFromXML(text)
        self.data = self.model.createData()
        self.q = self.pinocchio.neutral(self.model)
        assert list(found.value_names) == list(self.model.names)[1:]
        for joint, value in zip(list(self.model.joints)[1:], q, strict=True):
            turned = [np.cos(value), np.sin(value)] if joint.nq == 2 else [value]
            self.q[joint.idx_q : joint.idx_q + joint.nq] = turned


@pytest.mark.oracle
@pytest.mark.parametrize("text", TEXTS)
def test_the_same_as_pinocchio(text: str) -> None:
    found = bodies(text)
    q, v, a = state(found)
    oracle = Oracle(text, found, q)
    pin, model, data = oracle.pinocchio, oracle.model, oracle.data
    tau = inverse_dynamics(found, q, v, a)
    scale = max(1.0, abs(tau).max())
    assert np.allclose(tau, pin.rnea(model, data, oracle.q, v, a), rtol=0, atol=1e-10 * scale)
    wanted = pin.computeGeneralizedGravity(model, data, oracle.q)
    assert np.allclose(gravity_torques(found, q), wanted, rtol=0, atol=1e-10 * scale)
    upper = np.triu(pin.crba(model, data, oracle.q))
    M = mass_matrix(found, q)
    assert np.allclose(np.triu(M), upper, rtol=0, atol=1e-10 * max(1.0, abs(M).max()))
    mass = center_of_mass(found, q, base=False)
    wanted = pin.centerOfMass(model, data, oracle.q)
    assert np.allclose(mass.position, wanted, rtol=0, atol=1e-10)
    wanted = pin.jacobianCenterOfMass(model, data, oracle.q)
    assert np.allclose(mass.jacobian, wanted, rtol=0, atol=1e-10)
    if np.linalg.cond(M) < 1e6:
        ours, theirs = (forward_dynamics(found, q, v, a), pin.aba(model, data, oracle.q, v, a))
        assert np.allclose(ours, theirs, rtol=1e-8, atol=1e-8)
