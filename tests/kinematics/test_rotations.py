"""Quaternions, matrices and rotation vectors, near the angles where textbooks lose digits."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinematics.arrays import floats
from kinematics.rotations import matrix_from_quaternion, quaternion_from_matrix, rotation_vector
from tests.support.numpy_kinematics import about, unit

Array = npt.NDArray[np.float64]

AXES = [
    (1.0, 0.0, 0.0),
    (0.0, 1.0, 0.0),
    (0.0, 0.0, 1.0),
    (1.0, 2.0, 3.0),
    (-3.0, 1.0, 0.0),
    (0.0, -1.0, -1.0),
    (1.0, -1.0, 1e-9),
]
ANGLES = [0.0, 1e-300, 1e-12, 1e-8, 1e-4, 0.5, math.pi / 2, 2.0, 3.0]
NEAR_HALF = [math.pi - gap for gap in (1e-3, 1e-6, 1e-8, 1e-9, 1e-12, 1e-15, 0.0)]


def quaternion_of(matrix: Array) -> Array:
    out = floats([9.0] * 5)
    quaternion_from_matrix(floats(matrix.ravel()), 0, out, 1)
    assert out[0] == 9.0
    return np.array(out[1:])


def matrix_of(quaternion: Array) -> Array:
    out = floats([9.0] * 10)
    matrix_from_quaternion(floats(quaternion), 0, out, 1)
    assert out[0] == 9.0
    return np.array(out[1:]).reshape(3, 3)


def log_of(matrix: Array) -> tuple[Array, float]:
    out = floats([9.0] * 5)
    angle = rotation_vector(floats(matrix.ravel()), 0, out, 1)
    return np.array(out[1:4]), float(angle)


def half_turn(axis: tuple[float, float, float]) -> Array:
    """Return the rotation by pi exactly: 2 u u^T - I."""
    u = np.array(unit(axis))
    return 2.0 * np.outer(u, u) - np.eye(3)


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("angle", ANGLES + NEAR_HALF)
def test_the_logarithm_is_axis_times_angle(axis: tuple[float, float, float], angle: float) -> None:
    quaternion = np.array([*(math.sin(angle / 2) * np.array(unit(axis))), math.cos(angle / 2)])
    vector, norm = log_of(matrix_of(quaternion))
    assert norm == pytest.approx(angle, rel=1e-14, abs=1e-15)
    sign = -1.0 if vector @ np.array(axis) < 0 else 1.0
    if angle < math.pi - 1e-14:
        assert sign == 1.0 or angle <= 1e-15
    assert sign * vector == pytest.approx(angle * np.array(unit(axis)), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("axis", AXES)
def test_half_a_turn_has_a_logarithm_of_norm_pi(axis: tuple[float, float, float]) -> None:
    vector, norm = log_of(half_turn(axis))
    assert norm == math.pi
    assert abs(vector @ np.array(unit(axis))) == pytest.approx(math.pi, rel=1e-14)


@pytest.mark.parametrize("noise", [3e-16, -3e-16, 1e-12])
def test_a_matrix_a_rounding_away_from_identity_has_a_finite_logarithm(noise: float) -> None:
    matrix = np.eye(3)
    matrix[0, 0] += noise  # the arc cosine of its trace is not a number
    vector, norm = log_of(matrix)
    assert norm == 0.0
    assert not vector.any()


@pytest.mark.parametrize("angle", [*ANGLES, *NEAR_HALF, 3.3, 5.0, -2.0])
@pytest.mark.parametrize("axis", AXES)
def test_the_quaternion_turns_as_the_matrix_does(
    axis: tuple[float, float, float], angle: float
) -> None:
    matrix = about(unit(axis), angle)
    quaternion = quaternion_of(matrix)
    assert quaternion[3] >= 0.0
    assert math.hypot(*quaternion) == pytest.approx(1.0, abs=4e-16)
    assert matrix_of(quaternion) == pytest.approx(matrix, abs=2e-15)


@given(st.lists(st.floats(-1.0, 1.0), min_size=4, max_size=4))
def test_matrix_and_quaternion_are_inverse(numbers: list[float]) -> None:
    q = np.array(numbers)
    if math.hypot(*q) < 1e-3:
        q = np.array([0.0, 0.0, 0.0, 1.0])
    q /= math.hypot(*q)
    matrix = matrix_of(q)
    # An entry is off by some four roundings, the square of a row by twice as much.
    assert matrix @ matrix.T == pytest.approx(np.eye(3), abs=3e-15)
    assert np.linalg.det(matrix) == pytest.approx(1.0, abs=3e-15)
    back = quaternion_of(matrix)
    assert min(np.abs(back - q).max(), np.abs(back + q).max()) < 1e-15


def test_the_quaternion_of_a_half_turn_has_a_w_of_zero_without_sign() -> None:
    for axis in AXES:
        quaternion = quaternion_of(half_turn(axis))
        assert quaternion[3] == 0.0
        assert math.copysign(1.0, quaternion[3]) == 1.0
        assert abs(quaternion[:3] @ np.array(unit(axis))) == pytest.approx(1.0, abs=1e-15)


def test_a_matrix_that_has_drifted_still_gives_a_unit_quaternion() -> None:
    matrix = about(unit((1.0, 2.0, 3.0)), 2.0) * (1.0 + 1e-9)
    assert math.hypot(*quaternion_of(matrix)) == pytest.approx(1.0, abs=4e-16)
