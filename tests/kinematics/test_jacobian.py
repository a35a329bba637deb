"""The Jacobian against finite differences of the poses, and against a second opinion."""

from __future__ import annotations

import random

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinematics.errors import KinematicsError
from kinematics.forward import link_transform
from kinematics.jacobian import jacobian
from kinematics.model import Model, build_model
from tests.support import numpy_kinematics as witness
from tests.support.random_robots import (
    configuration,
    joint,
    named,
    random_robot,
    random_robots,
    serial_robot,
)
from urdf import Joint, Link, Origin, Robot

Array = npt.NDArray[np.float64]
ORIGIN = np.zeros(3)


def ancestors(robot: Robot, link: str) -> list[str]:
    above = {one.child: one.parent for one in robot.joints}
    found = [link]
    while found[-1] in above:
        found.append(above[found[-1]])
    return found


@given(random_robots(extreme=False), st.integers(0, 1000))
def test_a_second_opinion_from_any_base_at_any_point(robot: Robot, seed: int) -> None:
    choices = random.Random(seed)
    model = build_model(robot)
    q = configuration(model, choices)
    tip = choices.choice(model.link_names)
    base = choices.choice(ancestors(robot, tip))
    point = np.array([choices.uniform(-1, 1) for _ in range(3)])
    at = model.link_index(tip), model.link_index(base), point
    joints, matrix, pose = jacobian(model, q, *at, "base")
    assert [model.joint_names[i] for i in joints] == [
        one.name for one in witness.path(robot, base, tip)
    ]
    wanted = witness.jacobian(robot, named(model, q), tip, base, (point[0], point[1], point[2]))
    scale = max(1.0, float(np.abs(wanted).max(initial=0.0)))
    assert matrix == pytest.approx(wanted, abs=1e-12 * scale)

    T = witness.relative(robot, named(model, q), base, tip)
    assert witness.matrix_of(pose)[:3, :3] == pytest.approx(T[:3, :3], abs=1e-12)
    assert pose[:3] == pytest.approx((T @ [*point, 1.0])[:3], abs=1e-12 * scale)
    assert pose[6] >= 0.0

    _, along_link, same = jacobian(model, q, *at, "link")
    R = T[:3, :3]
    assert R @ along_link[:3] == pytest.approx(wanted[:3], abs=1e-11 * scale)
    assert R @ along_link[3:] == pytest.approx(wanted[3:], abs=1e-11 * scale)
    assert (same == pose).all()


@pytest.mark.parametrize("seed", range(10))
def test_finite_differences(seed: int) -> None:
    choices = random.Random(seed)
    model = build_model(random_robot(choices, 7, extreme=False, branch=0.0))
    q = configuration(model, choices)
    tip, point = model.link_index("link 6"), np.array([0.3, -0.1, 0.2])
    joints, matrix, _ = jacobian(model, q, tip, model.root, point, "base")
    for column, i in enumerate(joints):
        wanted = _difference(model, q, int(i), tip, point)
        assert matrix[:, column] == pytest.approx(wanted, abs=1e-7)


def _difference(model: Model, q: Array, i: int, tip: int, point: Array) -> Array:
    """Return how the point moves with joint i, by central differences."""
    step = 1e-5
    up, down = q.copy(), q.copy()
    up[i] += step
    down[i] -= step
    T_up, T_down = (link_transform(model, at, model.root, tip) for at in (up, down))
    linear = (T_up[:3, :3] - T_down[:3, :3]) @ point + T_up[:3, 3] - T_down[:3, 3]
    turn = T_up[:3, :3] @ T_down[:3, :3].T  # I + [w]x for a small rotation w
    angular = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    return np.concatenate((linear, 0.5 * angular)) / (2.0 * step)


def test_a_prismatic_column_is_the_axis_as_written_in_the_bases_axes() -> None:
    quarter = (0.0, 0.0, np.pi / 2)
    slide = joint("slide", "prismatic", axis=(0.0, 3.0, 4.0), limits=(-1.0, 1.0), rpy=quarter)
    _, matrix, _ = jacobian(build_model(serial_robot(slide)), np.array([0.5]), 1, 0, ORIGIN, "base")
    assert matrix[:, 0] == pytest.approx([-3.0, 0.0, 4.0, 0.0, 0.0, 0.0], abs=1e-15)


@pytest.mark.parametrize("size", [5e-324, 1e-310, 1e-200, 1e200, 1e308])
def test_a_slide_turns_nothing_behind_it_however_long_its_axis(size: float) -> None:
    slide = joint("slide", "prismatic", axis=(size, size, -size), limits=(0.0, 1.0))
    turn = joint("turn", axis=(0.0, 0.0, 1.0))
    model = build_model(serial_robot(slide, turn))
    q = np.array([0.0, 0.4])
    _, matrix, pose = jacobian(model, q, 2, 0, np.array([1.0, 0.0, 0.0]), "base")
    assert matrix[:3, 0] == pytest.approx([size, size, -size], rel=0.5 if size < 1e-300 else 1e-15)
    assert matrix[:, 1] == pytest.approx([-np.sin(0.4), np.cos(0.4), 0, 0, 0, 1], abs=1e-15)
    assert pose == pytest.approx(
        [np.cos(0.4), np.sin(0.4), 0, 0, 0, np.sin(0.2), np.cos(0.2)], abs=1e-15
    )


def test_columns_are_in_the_order_of_the_path_whatever_the_documents() -> None:
    links = tuple(Link(name) for name in "cba")
    joints = (
        Joint("last", "continuous", "b", "c", Origin((1.0, 0.0, 0.0)), (0.0, 0.0, 1.0)),
        Joint("first", "continuous", "a", "b", Origin((0.0, 1.0, 0.0)), (0.0, 0.0, 1.0)),
    )
    model = build_model(Robot("r", links, joints, "a"))
    columns, matrix, _ = jacobian(model, np.zeros(2), 0, 2, ORIGIN, "base")
    assert model.joint_names == ("last", "first")
    assert columns.tolist() == [1, 0]
    assert matrix[:, 0] == pytest.approx([0, 1, 0, 0, 0, 1])  # "first" is 1 m away, "last" is not
    assert matrix[:, 1] == pytest.approx([0, 0, 0, 0, 0, 1])


def test_without_movable_joints_there_are_six_empty_rows() -> None:
    model = build_model(serial_robot(joint("weld", "fixed", (0.0, 0.0, 1.0))))
    joints, matrix, pose = jacobian(model, np.zeros(0), 1, 0, ORIGIN, "link")
    assert joints.shape == (0,)
    assert matrix.shape == (6, 0)
    assert pose.tolist() == [0, 0, 1, 0, 0, 0, 1]


def test_a_base_that_is_not_above_the_link_is_refused() -> None:
    model = build_model(serial_robot(joint("a"), joint("b")))
    with pytest.raises(KinematicsError, match="'base_link' is '2', which is not above '1'"):
        jacobian(model, np.zeros(2), 1, 2, ORIGIN, "base")


def test_a_number_that_is_none_is_refused() -> None:
    slide = joint("slide", "prismatic", axis=(1e200, 0, 0), limits=(0, 1))
    model = build_model(serial_robot(joint("turn"), slide))
    with pytest.raises(KinematicsError, match="the Jacobian would not be finite") as refused:
        jacobian(model, np.array([0.0, 1e200]), 2, 0, ORIGIN, "base")
    assert refused.value.code == "invalid_request"
    with pytest.raises(KinematicsError, match="the pose would not be finite"):
        jacobian(model, np.array([0.0, 1e200]), 2, 1, ORIGIN, "base")
