"""The same numbers as Pinocchio, a library that many robots run on."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import jvrc_description  # type: ignore[import-untyped]
import numpy as np
import pytest
import upkie_description  # type: ignore[import-untyped]

import urdf
from kinematics.forward import link_transform
from kinematics.jacobian import jacobian
from kinematics.model import Model, build_model
from tests.support.random_robots import configuration, random_robot

pytestmark = pytest.mark.oracle
pinocchio: Any = pytest.importorskip("pinocchio", reason="needs the extra `oracle`")

PACKAGED = [jvrc_description.urdf_path, upkie_description.URDF_PATH]


def texts() -> list[Any]:
    """Return descriptions: random ones as this project's tests write them, and two packages'."""
    found = []
    for seed in range(8):
        robot = random_robot(random.Random(seed), 9, extreme=False)
        # For a prismatic joint Pinocchio normalises the axis, we do not: a unit one is the same.
        joints = tuple(_with_unit_axis(joint) for joint in robot.joints)
        robot = urdf.Robot(robot.name, robot.links, joints, robot.root_link)
        found.append(pytest.param(_plain(robot), id=f"random {seed}"))
    found += [pytest.param(Path(p).read_text("utf-8"), id=Path(p).stem) for p in PACKAGED]
    return found


def _with_unit_axis(joint: urdf.Joint) -> urdf.Joint:
    axis = joint.axis if joint.type != "prismatic" else (0.0, 0.6, 0.8)
    return urdf.Joint(
        joint.name, joint.type, joint.parent, joint.child, joint.origin, axis, joint.limit
    )


def _plain(robot: urdf.Robot) -> str:
    lines = [f'<link name="{link.name}"/>' for link in robot.links]
    for joint in robot.joints:
        limit = joint.limit or urdf.Limit(0.0, 0.0)
        lines.append(
            f'<joint name="{joint.name}" type="{joint.type}"><parent link="{joint.parent}"/>'
            f'<child link="{joint.child}"/><origin xyz="{_row(joint.origin.xyz)}" '
            f'rpy="{_row(joint.origin.rpy)}"/><axis xyz="{_row(joint.axis)}"/>'
            f'<limit lower="{limit.lower!r}" upper="{limit.upper!r}" effort="1" velocity="1"/>'
            "</joint>"
        )
    return f'<robot name="{robot.name}">{"".join(lines)}</robot>'


def _row(numbers: tuple[float, float, float]) -> str:
    return " ".join(repr(number) for number in numbers)


class Oracle:
    """Pinocchio's model of a description."""

    def __init__(self, text: str) -> None:
        self.model = pinocchio.buildModelFromXML(text)
        self.data = self.model.createData()

    def place(self, model: Model, q: Any) -> Any:
        """Return our configuration as Pinocchio has it, and compute with it."""
        theirs = pinocchio.neutral(self.model)
        for name, value in zip(model.joint_names, q, strict=True):
            joint = self.model.joints[self.model.getJointId(name)]
            if joint.nq == 2:  # a continuous joint: cosine and sine
                theirs[joint.idx_q], theirs[joint.idx_q + 1] = np.cos(value), np.sin(value)
            else:
                theirs[joint.idx_q] = value
        pinocchio.computeJointJacobians(self.model, self.data, theirs)
        pinocchio.updateFramePlacements(self.model, self.data)
        return theirs

    def frame(self, link: str) -> int:
        """Return the frame of a link."""
        return int(self.model.getFrameId(link, pinocchio.FrameType.BODY))

    def jacobian(self, model: Model, link: str, reference: str) -> Any:
        """Return the Jacobian (6, n) with our columns."""
        axes = pinocchio.LOCAL_WORLD_ALIGNED if reference == "base" else pinocchio.LOCAL
        theirs = pinocchio.getFrameJacobian(self.model, self.data, self.frame(link), axes)
        ids = [self.model.getJointId(name) for name in model.joint_names]
        return theirs[:, [self.model.joints[i].idx_v for i in ids]]


@pytest.mark.parametrize("text", texts())
def test_every_pose_and_every_jacobian(text: str) -> None:
    model = build_model(urdf.parse(text))
    oracle = Oracle(text)
    q = configuration(model, random.Random(len(text)))
    oracle.place(model, q)
    for name in model.link_names:
        link = model.link_index(name)
        theirs = oracle.data.oMf[oracle.frame(name)].homogeneous
        assert link_transform(model, q, model.root, link) == pytest.approx(theirs, abs=1e-12)
        for reference in ("base", "link"):
            joints, matrix, _ = jacobian(model, q, link, model.root, np.zeros(3), reference)
            ours = np.zeros((6, len(model.joint_names)))
            ours[:, joints] = matrix
            wanted = oracle.jacobian(model, name, reference)
            assert ours == pytest.approx(wanted, abs=1e-12)
