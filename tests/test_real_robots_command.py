"""Every robot that there is through every command of the command line.

The files belong to their authors and are not part of this project. `ROBOTS_DIR` names a folder
with `urdf/*.urdf`; two robots come as packages.
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
from urdf.__main__ import main
from urdf.bodies import flawed_bodies
from urdf.command_format import formatted

REPOSITORY = Path(__file__).parent.parent
ROBOTS = Path(os.environ.get("ROBOTS_DIR", REPOSITORY / ".." / "shared" / "robots")).resolve()
SHIPPED = [Path(jvrc_description.urdf_path), Path(upkie_description.URDF_PATH)]
FILES = sorted((ROBOTS / "urdf").glob("*.urdf"))
ABSENT = f"no robots in {ROBOTS}; set ROBOTS_DIR to a folder with urdf/"


def files() -> list[Any]:
    folder = [pytest.param(path, id=path.stem) for path in FILES] or [
        pytest.param(None, id="none", marks=pytest.mark.skip(reason=ABSENT))
    ]
    return [*folder, *(pytest.param(path, id=path.stem) for path in SHIPPED)]


def read(path: Path, profile: str) -> urdf.Robot | None:
    try:
        return urdf.parse(path.read_bytes().decode("utf-8"), profile)
    except urdf.UrdfError:
        return None


@pytest.mark.parametrize("path", files())
def test_every_command(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    strict, full = read(path, "strict"), read(path, "extended")
    name = str(path)
    assert main(["check", name]) == (strict is None)
    assert main(["check", "--extended", name]) == (full is None)
    capsys.readouterr()
    main(["check", "--strict-inertial", "--format", "json", name])
    (report,) = json.loads(capsys.readouterr().out)
    moving = [] if full is None else [flaw for flaw in flawed_bodies(full) if flaw.moves]
    assert report["accepted"] == (full is not None and not moving)
    for command in ("info", "tree", "graph"):
        assert main([command, name]) == (full is None)
        captured = capsys.readouterr()
        shown = captured.out if full is not None else captured.err
        for link in () if full is None else full.links:
            assert link.name in shown
    assert main(["diff", name, name]) == (2 if full is None else 0)


@pytest.mark.parametrize("path", files())
def test_laid_out_it_says_the_same(path: Path) -> None:
    text = path.read_bytes().decode("utf-8")
    try:
        laid_out = formatted(text)
    except urdf.XmlError:
        assert read(path, "strict") is None
        return
    assert formatted(laid_out) == laid_out
    for profile in ("strict", "extended"):
        robot = read(path, profile)
        if robot is not None:
            assert urdf.parse(laid_out, profile) == robot


@pytest.mark.oracle
@pytest.mark.parametrize("path", files())
def test_bodies_weigh_what_pinocchio_reads(path: Path) -> None:
    pin = pytest.importorskip("pinocchio")
    robot = read(path, "extended")
    if robot is None:
        return
    try:
        model = pin.buildModelFromXML(path.read_text("utf-8"), pin.JointModelFreeFlyer())
    except (ValueError, RuntimeError):  # it refuses more than we do
        return
    masses = math.fsum(link.inertial.mass for link in robot.links if link.inertial)
    assert math.fsum(body.mass for body in model.inertias) == pytest.approx(masses, rel=1e-9)
    compare_single_bodies(robot, model)


def compare_single_bodies(robot: urdf.Robot, model: Any) -> None:
    """Compare the bodies that are one link: its inertia stands for itself in both."""
    merged = {joint.parent for joint in robot.joints if joint.type == "fixed"}
    links = {link.name: link for link in robot.links}
    for joint in robot.joints:
        body = links[joint.child].inertial
        if (
            joint.movable
            and joint.child not in merged
            and body
            and model.existJointName(joint.name)
        ):
            theirs = model.inertias[model.getJointId(joint.name)]
            assert list(theirs.lever) == pytest.approx(body.com if body.mass else (0, 0, 0))
            for row, own in zip(theirs.inertia.tolist(), body.inertia, strict=True):
                assert row == pytest.approx(own, rel=1e-9, abs=1e-12 + 1e-9 * largest(body))


def largest(body: urdf.Inertial) -> float:
    return max(abs(value) for row in body.inertia for value in row)
