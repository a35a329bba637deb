"""Rigid transforms are a group, and the kernels respect where in an array they write."""

from __future__ import annotations

import random

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinematics.arrays import floats
from kinematics.model import IDENTITY, transform
from kinematics.transforms import compose, compose_inverse
from tests.support.numpy_kinematics import origin_of
from tests.support.random_robots import joint, origin
from urdf import Origin

Array = npt.NDArray[np.float64]

ORIGINS = st.builds(lambda seed: origin(random.Random(seed), 3.0), st.integers(0, 2**32))


def numbers(of: Origin) -> Array:
    return np.array(transform(of))


def product(a: Array, b: Array) -> Array:
    out = floats([7.0] * 14)
    compose(floats([0.0, *a]), 1, floats([0.0, 0.0, *b]), 2, out, 1)
    assert (out[0], out[13]) == (7.0, 7.0)
    return np.array(out[1:13])


def seen_from(a: Array, b: Array) -> Array:
    out = floats([7.0] * 14)
    compose_inverse(floats([0.0, *a]), 1, floats([0.0, 0.0, *b]), 2, out, 1)
    assert (out[0], out[13]) == (7.0, 7.0)
    return np.array(out[1:13])


def matrix(of: Array) -> Array:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = of[:9].reshape(3, 3), of[9:]
    return T


@given(ORIGINS, ORIGINS, ORIGINS)
def test_transforms_are_a_group(a_: Origin, b_: Origin, c_: Origin) -> None:
    a, b, c = numbers(a_), numbers(b_), numbers(c_)
    identity = np.array(IDENTITY)
    assert (product(identity, a) == a).all()
    assert (product(a, identity) == a).all()
    assert product(product(a, b), c) == pytest.approx(product(a, product(b, c)), abs=1e-14)
    inverse = seen_from(a, identity)
    assert product(a, inverse) == pytest.approx(identity, abs=1e-14)
    assert product(inverse, a) == pytest.approx(identity, abs=1e-14)
    assert seen_from(a, b) == pytest.approx(product(inverse, b), abs=1e-14)
    assert seen_from(a, a) == pytest.approx(identity, abs=1e-15)


@given(ORIGINS, ORIGINS)
def test_the_product_is_that_of_the_matrices(a_: Origin, b_: Origin) -> None:
    a, b = numbers(a_), numbers(b_)
    assert matrix(product(a, b)) == pytest.approx(matrix(a) @ matrix(b), abs=1e-14)


@given(ORIGINS)
def test_an_origin_turns_about_fixed_x_then_y_then_z(of: Origin) -> None:
    placed = joint("j", xyz=of.xyz, rpy=of.rpy)
    assert matrix(numbers(of)) == pytest.approx(origin_of(placed), abs=1e-15)
