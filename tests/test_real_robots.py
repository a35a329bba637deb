"""Robots as their makers ship them: a folder of files, where there is one, and two packages.

The files belong to their authors and are not part of this project. `ROBOTS_DIR` names a folder
with `urdf/*.urdf` and, for each, `expected/*.json`: verdict, root, links, joints and poses.
"""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import jvrc_description  # type: ignore[import-untyped]
import pytest
import upkie_description  # type: ignore[import-untyped]

import urdf
from tests.support import plain_fk

REPOSITORY = Path(__file__).parent.parent
ROBOTS = Path(os.environ.get("ROBOTS_DIR", REPOSITORY / ".." / "shared" / "robots")).resolve()
EXPECTED = sorted((ROBOTS / "expected").glob("*.json"))
ABSENT = f"no robots in {ROBOTS}; set ROBOTS_DIR to a folder with urdf/ and expected/"


def _files() -> list[Any]:
    if not EXPECTED:
        return [pytest.param(None, id="none", marks=pytest.mark.skip(reason=ABSENT))]
    return [pytest.param(path, id=path.stem) for path in EXPECTED]


@pytest.mark.parametrize("path", _files())
def test_a_robot_of_the_folder_is_read_as_expected(path: Path) -> None:
    expected = json.loads(path.read_text(encoding="utf-8"))
    text = (ROBOTS / "urdf" / expected["file"]).read_bytes().decode("utf-8")
    try:
        robot = urdf.parse(text)
    except urdf.UrdfError as error:
        assert expected["verdict"] in {"reject", "UNSPECIFIED"}, error  # noqa: PT017
        return
    assert expected["verdict"] in {"accept", "UNSPECIFIED"}
    if expected["root"] is None:
        return
    assert robot.root_link == expected["root"]
    assert sorted(link.name for link in robot.links) == sorted(expected["links"])
    assert {_essence(joint) for joint in robot.joints} == {
        _expected_essence(joint) for joint in expected["joints"]
    }
    _assert_poses(robot, expected)


def _essence(joint: urdf.Joint) -> tuple[object, ...]:
    limit = (None, None) if joint.limit is None else (joint.limit.lower, joint.limit.upper)
    origin = joint.origin
    return (
        joint.name,
        joint.type,
        joint.parent,
        joint.child,
        origin.xyz,
        origin.rpy,
        joint.axis,
        *limit,
    )


def _expected_essence(joint: dict[str, Any]) -> tuple[object, ...]:
    ends = (joint["name"], joint["type"], joint["parent"], joint["child"])
    vectors = (tuple(joint[key]) for key in ("xyz", "rpy", "axis"))
    return *ends, *vectors, joint["lower"], joint["upper"]


def _assert_poses(robot: urdf.Robot, expected: dict[str, Any]) -> None:
    if expected["verdict"] == "accept":
        assert len(expected["poses"]) == len(expected["configs"]) == 3
    for positions, wanted in zip(expected["configs"], expected["poses"], strict=True):
        found = plain_fk.poses(robot, positions)
        assert set(found) == set(wanted)
        wrong = [link for link in wanted if not plain_fk.agree(found[link], tuple(wanted[link]))]
        assert not wrong


@pytest.mark.parametrize(
    ("path", "name", "root", "links", "joints", "movable"),
    [
        (jvrc_description.urdf_path, "jvrc1", "base_link", 60, 59, 44),
        (upkie_description.URDF_PATH, "upkie", "base", 41, 40, 6),
    ],
    ids=["jvrc1", "upkie"],
)
def test_a_robot_of_a_package_is_read(
    path: str, name: str, root: str, links: int, joints: int, movable: int
) -> None:
    robot = urdf.parse(Path(path).read_text(encoding="utf-8"))
    assert (robot.name, robot.root_link) == (name, root)
    assert (len(robot.links), len(robot.joints)) == (links, joints)
    assert sum(joint.movable for joint in robot.joints) == movable
    found = plain_fk.poses(robot, {joint.name: 0.5 for joint in robot.joints})
    assert set(found) == {link.name for link in robot.links}
    assert all(math.isfinite(value) for pose in found.values() for value in pose)
