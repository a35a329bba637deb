"""Chains: a path with its fixed joints folded, kept for the next time, and refused if upward."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given

from kinematics import chain as chains
from kinematics import kernels
from kinematics.arrays import floats
from kinematics.chain import chain_between, path_joints
from kinematics.errors import KinematicsError
from kinematics.folding import turn_z_to
from kinematics.model import build_model
from tests.support import numpy_kinematics as witness
from tests.support.random_robots import configuration, named, random_robot, random_robots
from urdf import Robot


@given(random_robots(extreme=False))
def test_walking_a_chain_ends_where_the_tree_says(robot: Robot) -> None:
    model = build_model(robot)
    q = configuration(model, random.Random(len(robot.links)))
    point = np.array([0.1, -0.2, 0.3])
    for tip in model.link_names:
        chain = chain_between(model, model.root, model.link_index(tip))
        names = [model.joint_names[i] for i in chain.joints]
        assert names == [j.name for j in witness.path(robot, robot.root_link, tip)]
        assert chain.size == len(names)
        k = chain.size
        tool, at, tip_at, axes, work = 0, 12, 12 + k, 24 + k, 24 + 7 * k
        numbers = floats([*chain.tool(point), *q[chain.joints], *[0.0] * (36 + 6 * k)])
        kernels.walk_chain(chain.numbers, chain.kind, numbers, tool, at, axes, tip_at, work)
        end = numbers[tip_at : tip_at + 12]
        wanted = witness.link_transforms(robot, named(model, q))[tip]
        assert np.reshape(end[:9], (3, 3)) == pytest.approx(wanted[:3, :3], abs=1e-12)
        assert np.array(end[9:]) == pytest.approx((wanted @ [*point, 1.0])[:3], abs=1e-9)


def test_a_link_is_a_chain_of_no_joints_to_itself() -> None:
    model = build_model(random_robot(random.Random(0), 5))
    chain = chain_between(model, 3, 3)
    assert chain.size == 0
    assert (chain.end == np.eye(4)).all()


def test_a_base_that_is_not_above_is_refused_by_name() -> None:
    robot = random_robot(random.Random(3), 6, branch=0.0)
    model = build_model(robot)
    upper, lower = model.link_index("link 2"), model.link_index("link 4")
    path_joints(model, upper, lower)
    with pytest.raises(KinematicsError) as refused:
        chain_between(model, lower, upper)
    assert refused.value.code == "invalid_request"
    assert str(refused.value) == (
        "'base_link' is 'link 4', which is not above 'link 2'; "
        "the link itself or one of its ancestors expected"
    )


def test_a_chain_is_kept_and_the_oldest_given_up() -> None:
    count = chains.KEPT_CHAINS + 2
    model = build_model(random_robot(random.Random(4), count))
    first = chain_between(model, model.root, 0)
    assert chain_between(model, model.root, 0) is first
    for tip in range(1, count):
        assert chain_between(model, model.root, 0) is first  # asked for: stays
        chain_between(model, model.root, tip)
    assert len(model.chains) == chains.KEPT_CHAINS
    assert (model.root, 1) not in model.chains


@pytest.mark.parametrize(
    "axis",
    [(0, 0, 1), (0, 0, -1), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0.6, 0.8, 0), (0.36, 0.48, 0.8)],
)
def test_z_is_turned_to_an_axis(axis: tuple[float, float, float]) -> None:
    x, y, z = map(float, axis)
    numbers = floats(np.zeros(10))
    turn_z_to(x, y, z, numbers, 1)
    R = np.reshape(numbers[1:], (3, 3))
    assert R[:, 2] == pytest.approx(axis, abs=0)
    assert np.abs(R @ R.T - np.eye(3)).max() < 1e-15
    assert np.linalg.det(R) == pytest.approx(1.0, abs=1e-15)
