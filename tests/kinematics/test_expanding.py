"""Planar and translation joints as chains of others."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import urdf
from kinematics.dynamics import mass_matrix
from kinematics.errors import KinematicsError
from kinematics.expanding import expand, plane_axes
from kinematics.forward import link_transform
from kinematics.multibody import Multibody, build_multibody

INERTIAL = (
    '<inertial><origin xyz="0.1 -0.2 0.3"/><mass value="2"/>'
    '<inertia ixx="0.3" ixy="0" ixz="0.01" iyy="0.4" iyz="0" izz="0.5"/></inertial>'
)


def text(kind: str, axis: str = "0 0 1", more: str = "") -> str:
    return (
        f'<robot name="r"><link name="a"/><link name="b">{INERTIAL}</link>'
        f'<link name="c">{INERTIAL}</link>'
        f'<joint name="j" type="{kind}"><parent link="a"/><child link="b"/>'
        f'<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><axis xyz="{axis}"/>'
        f'<dynamics damping="0.5"/>{more}</joint>'
        '<joint name="k" type="revolute"><parent link="b"/><child link="c"/>'
        '<origin xyz="0.2 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>'
    )


def bodies(description: str) -> Multibody:
    return build_multibody(urdf.parse(description, "extended"))


def test_a_planar_joint_is_three() -> None:
    found = bodies(text("planar"))
    assert found.joint_names == ("j__sub0", "j__sub1", "j__sub2", "k")
    assert found.body_names == ("j__dummy0", "j__dummy1", "b", "c")
    kinds = [joint.type for joint in found.joints]
    assert kinds == ["prismatic", "prismatic", "continuous", "revolute"]
    assert found.lower[:3].tolist() == [-math.inf] * 3
    assert found.damping.tolist() == [0.5, 0.5, 0.5, 0.0]


@pytest.mark.parametrize("kind", ["translation", "cartesian"])
def test_a_translation_goes_along_all_axes(kind: str) -> None:
    found = bodies(text(kind))
    model = found.model
    link = model.link_index("b")
    there, here = (
        link_transform(model, found.to_model(np.array([*xyz, 0.0])), model.root, link)
        for xyz in ((0.4, 0.5, 0.6), (0.0, 0.0, 0.0))
    )
    assert np.allclose(np.linalg.solve(here, there)[:3, 3], [0.4, 0.5, 0.6])


def test_axes_of_a_plane() -> None:
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    assert plane_axes((0, 0, -2)) == (x, y, z)
    assert plane_axes((0, 3, 0)) == (x, z, y)
    assert plane_axes((1, 0, 0)) == (y, z, x)
    for normal in ((1, 1, 1), (0.2, -0.3, -0.9), (0, 1, -1), (1e-200, 0, -1)):
        R = np.array(plane_axes(normal)).T
        assert np.allclose(R.T @ R, np.eye(3))
        assert np.linalg.det(R) == pytest.approx(1.0)
        assert np.allclose(np.cross(R[:, 2], normal), 0, atol=1e-12)
        assert R[:, 2] @ normal > 0
        # The shortest turn: its axis lies in the plane of x and y.
        assert (R - R.T)[1, 0] == pytest.approx(0.0)


def test_others_are_left_alone() -> None:
    robot = urdf.parse(text("continuous"), "extended")
    assert expand(robot) is robot


def test_what_is_refused() -> None:
    taken = text("planar").replace('name="c"', 'name="j__dummy1"').replace('"c"', '"j__dummy1"')
    with pytest.raises(KinematicsError, match="link 'j__dummy1' would be there twice"):
        bodies(taken)
    with pytest.raises(KinematicsError, match="joint 'j__sub2' would be there twice"):
        bodies(text("planar").replace('name="k"', 'name="j__sub2"'))


@pytest.mark.oracle
def test_pinocchios_planar_joint_is_the_same_motion() -> None:
    pinocchio: Any = pytest.importorskip("pinocchio", reason="needs the extra `oracle`")
    found = bodies(text("planar"))
    model = pinocchio.buildModelFromXML(text("planar"))
    data = model.createData()
    x, y, angle, k = 0.3, -0.4, 0.9, 0.5
    q = np.array([x, y, angle, k])
    theirs = np.array([x, y, math.cos(angle), math.sin(angle), k])
    pinocchio.framesForwardKinematics(model, data, theirs)
    wanted = data.oMf[model.getFrameId("c", pinocchio.FrameType.BODY)].homogeneous
    link = found.model.link_index("c")
    ours = link_transform(found.model, found.to_model(q), found.model.root, link)
    assert np.allclose(ours, wanted, rtol=0, atol=1e-12)
    upper = np.triu(pinocchio.crba(model, data, theirs))
    M = upper + np.triu(upper, 1).T
    # Pinocchio's velocity is along the turned axes, ours along those of the parent.
    B = np.eye(4)
    B[:2, :2] = [[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]]
    assert np.allclose(mass_matrix(found, q), B.T @ M @ B, rtol=0, atol=1e-10)
