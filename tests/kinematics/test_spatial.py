"""Spatial algebra holds its own identities; Pinocchio agrees on whole robots elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from kinematics import spatial
from kinematics.arrays import FloatArray
from kinematics.model import FIXED, PRISMATIC, REVOLUTE, transform
from urdf import Origin

STEP = 1e-5


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def random_transform(rng: np.random.Generator) -> FloatArray:
    x, y, z, roll, pitch, yaw = rng.uniform(-3, 3, 6)
    numbers = np.array(transform(Origin((x, y, z), (roll, pitch, yaw))))
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = numbers[:9].reshape(3, 3), numbers[9:]
    return T


def random_inertia(rng: np.random.Generator) -> FloatArray:
    factor = rng.normal(size=(3, 3))
    return spatial.spatial_inertia(rng.uniform(0.1, 5), rng.normal(size=3), factor @ factor.T)


def unit_axis(rng: np.random.Generator) -> FloatArray:
    axis = rng.normal(size=3)
    return np.asarray(axis / np.linalg.norm(axis))


def subspaces(rng: np.random.Generator) -> list[FloatArray]:
    axis = unit_axis(rng)
    return [
        spatial.motion_subspace(REVOLUTE, axis),
        spatial.motion_subspace(PRISMATIC, 2.0 * axis),
        spatial.helical_subspace(axis, 0.05),
        rng.normal(size=(6, 1)),
    ]


def test_orders_are_swapped_and_swapped_back() -> None:
    vector = np.arange(6.0)
    assert spatial.swap_order(vector).tolist() == [3, 4, 5, 0, 1, 2]
    matrix = np.arange(36.0).reshape(6, 6)
    both = spatial.swap_order(matrix, 0, 1)
    assert np.array_equal(both @ spatial.swap_order(vector), spatial.swap_order(matrix @ vector))
    assert np.array_equal(spatial.swap_order(both, 0, 1), matrix)


def test_motion_transform_of_a_product_is_the_product(rng: np.random.Generator) -> None:
    a, b = random_transform(rng), random_transform(rng)
    for X in (spatial.motion_transform, spatial.force_transform):
        assert np.allclose(X(a @ b), X(a) @ X(b), atol=1e-12)
        assert np.allclose(X(spatial.inverse_transform(a)) @ X(a), np.eye(6), atol=1e-12)


def test_motion_transform_acts_on_twists_as_poses_do(rng: np.random.Generator) -> None:
    T, motion = random_transform(rng), rng.normal(size=6)
    moved = spatial.twist_matrix(spatial.motion_transform(T) @ motion)
    wanted = T @ spatial.twist_matrix(motion) @ spatial.inverse_transform(T)
    assert np.allclose(moved, wanted, atol=1e-12)


def test_power_is_the_same_in_every_frame(rng: np.random.Generator) -> None:
    T, motion, force = random_transform(rng), rng.normal(size=6), rng.normal(size=6)
    moved = (spatial.force_transform(T) @ force) @ (spatial.motion_transform(T) @ motion)
    assert moved == pytest.approx(force @ motion)


def test_cross_products(rng: np.random.Generator) -> None:
    a, b, force = rng.normal(size=(3, 6))
    assert np.allclose(spatial.motion_cross(a) @ b, -spatial.motion_cross(b) @ a)
    assert np.allclose(spatial.motion_cross(a) @ a, 0)
    commutator = spatial.twist_matrix(a) @ spatial.twist_matrix(b)
    commutator -= spatial.twist_matrix(b) @ spatial.twist_matrix(a)
    assert np.allclose(spatial.twist_matrix(spatial.motion_cross(a) @ b), commutator)
    # The power of a force on a motion does not change when both are carried along.
    power = (spatial.force_cross(a) @ force) @ b + force @ (spatial.motion_cross(a) @ b)
    assert power == pytest.approx(0.0, abs=1e-12)


def test_subspaces_by_kind() -> None:
    axis = np.array([0.0, -1.0, 0.0])
    assert spatial.motion_subspace(FIXED, axis).shape == (6, 0)
    assert spatial.cardinal(spatial.motion_subspace(REVOLUTE, axis)) == (4, -1.0)
    assert spatial.cardinal(spatial.motion_subspace(PRISMATIC, 2 * axis)) == (1, -2.0)
    assert spatial.cardinal(spatial.helical_subspace(axis, 0.1)) is None


def test_a_screw_turns_and_goes_along() -> None:
    axis = np.array([0.0, 0.0, 1.0])
    T = spatial.joint_transform(np.eye(4), spatial.helical_subspace(axis, 0.05), 2.0)
    assert np.allclose(T[:3, 3], [0, 0, 0.1])
    assert np.allclose(T[:2, :2], [[np.cos(2), -np.sin(2)], [np.sin(2), np.cos(2)]])


def test_joints_add_up_along_their_own_motion(rng: np.random.Generator) -> None:
    for S in subspaces(rng):
        origin = random_transform(rng)
        there = spatial.joint_transform(spatial.joint_transform(origin, S, 0.4), S, 0.9)
        assert np.allclose(there, spatial.joint_transform(origin, S, 1.3), atol=1e-12)


def test_derivatives_are_those_of_differences(rng: np.random.Generator) -> None:
    for S in subspaces(rng):
        origin, q = random_transform(rng), 0.7
        for value, derivatives in (
            (spatial.joint_transform, spatial.joint_transform_derivatives),
            (spatial.joint_motion_transform, spatial.joint_motion_transform_derivatives),
        ):
            first, second = derivatives(origin, S, q)
            ahead, behind = value(origin, S, q + STEP), value(origin, S, q - STEP)
            assert np.allclose((ahead - behind) / (2 * STEP), first, atol=1e-7)
            ahead, behind = (derivatives(origin, S, q + sign * STEP)[0] for sign in (1, -1))
            assert np.allclose((ahead - behind) / (2 * STEP), second, atol=1e-7)


def test_subspace_is_the_derivative_at_rest(rng: np.random.Generator) -> None:
    for S in subspaces(rng):
        first, _ = spatial.joint_motion_transform_derivatives(np.eye(4), S, 0.0)
        assert np.array_equal(first, -spatial.motion_cross(S[:, 0]))


def test_inertia_under_a_change_of_frame(rng: np.random.Generator) -> None:
    T, inertia, motion = random_transform(rng), random_inertia(rng), rng.normal(size=6)
    moved = spatial.move_inertia(T, inertia)
    X = spatial.motion_transform(T)
    assert (X @ motion) @ moved @ (X @ motion) == pytest.approx(motion @ inertia @ motion)
    mass, com, about = spatial.inertia_parameters(inertia)
    moved_mass, moved_com, moved_about = spatial.inertia_parameters(moved)
    assert moved_mass == pytest.approx(mass)
    assert np.allclose(moved_com, T[:3, :3] @ com + T[:3, 3])
    assert np.allclose(moved_about, T[:3, :3] @ about @ T[:3, :3].T)


def test_inertia_is_what_it_was_made_of(rng: np.random.Generator) -> None:
    inertia = random_inertia(rng)
    assert np.allclose(spatial.spatial_inertia(*spatial.inertia_parameters(inertia)), inertia)
    massless = spatial.spatial_inertia(0.0, np.zeros(3), np.eye(3))
    assert np.array_equal(spatial.inertia_parameters(massless)[1], np.zeros(3))
