"""Every link's Jacobian at once is what one link's is by itself."""

from __future__ import annotations

import random

import numpy as np
import pytest

import urdf
from kinematics.jacobian import jacobian
from kinematics.model import transform
from kinematics.multibody import build_multibody
from kinematics.posture import Posture, body_transforms, link_jacobians
from kinematics.spatial import joint_motion_transform
from tests.support.heavy_robots import heavy_text
from tests.support.random_robots import configuration


@pytest.mark.parametrize("ordering", ["pinocchio", "grid"])
@pytest.mark.parametrize("seed", range(5))
def test_jacobians(seed: int, ordering: str) -> None:
    found = build_multibody(urdf.parse(heavy_text(seed, 10), "extended"), ordering)
    model = found.model
    q = configuration(model, random.Random(seed))
    posture = Posture(found, found.from_model(q))
    links = list(range(len(model.link_names)))[::-1]
    for reference in ("base", "link"):
        stacked = link_jacobians(posture, links, reference)
        for link, ours in zip(links, stacked, strict=True):
            joints, matrix, _ = jacobian(model, q, link, model.root, np.zeros(3), reference)
            wanted = np.zeros((6, found.nv))
            wanted[:, joints] = matrix
            in_order = np.array([found.from_model(row) for row in wanted])
            assert np.allclose(ours, in_order, rtol=0, atol=1e-11)


@pytest.mark.parametrize("seed", range(5))
def test_body_transforms_are_the_joints_own(seed: int) -> None:
    robot = urdf.parse(heavy_text(seed, 10), "extended")
    found = build_multibody(robot, merge_fixed=False)
    q = configuration(found.model, random.Random(seed))
    transforms = body_transforms(Posture(found, found.from_model(q)))
    for joint, S, i, ours in zip(
        found.joints, found.subspaces, found.q_index, transforms, strict=True
    ):
        numbers = np.array(transform(joint.origin))
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = numbers[:9].reshape(3, 3), numbers[9:]
        moved = S if joint.movable else np.zeros((6, 1))
        wanted = joint_motion_transform(T, moved, q[i] if i >= 0 else 0.0)
        assert np.allclose(ours, wanted, rtol=0, atol=1e-11)


@pytest.mark.oracle
@pytest.mark.parametrize("seed", range(10))
def test_transforms_subspaces_and_orders_are_pinocchios(seed: int) -> None:
    pinocchio = pytest.importorskip("pinocchio", reason="needs the extra `oracle`")
    text = heavy_text(seed, 10, kinds=("revolute", "prismatic", "fixed"))
    found = build_multibody(urdf.parse(text, "extended"))
    q = found.from_model(configuration(found.model, random.Random(seed)))
    model = pinocchio.buildModelFromXML(text)
    data = model.createData()
    pinocchio.computeJointJacobians(model, data, q)
    posture = Posture(found, q)
    for body, X in enumerate(body_transforms(posture)):
        wanted = data.liMi[body + 1].inverse()
        assert np.allclose(X, wanted.action, rtol=0, atol=1e-10)
    assert np.allclose(posture.S, data.J, rtol=0, atol=1e-10)
