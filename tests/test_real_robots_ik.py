"""Inverse kinematics of robots as their makers ship them, within a tenth of a second each.

The files belong to their authors and are not part of this project. `ROBOTS_DIR` names a folder
with `urdf/*.urdf`; two robots come as packages.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import jvrc_description  # type: ignore[import-untyped]
import numpy as np
import pytest
import upkie_description  # type: ignore[import-untyped]

import urdf
from kinematics import compiling
from kinematics.model import Model, build_model
from tests.support.random_robots import configuration, deepest_link
from tests.support.solving import goal_at, problem, solve

REPOSITORY = Path(__file__).parent.parent
ROBOTS = Path(os.environ.get("ROBOTS_DIR", REPOSITORY / ".." / "shared" / "robots")).resolve()
FILES = sorted((ROBOTS / "urdf").glob("*.urdf"))
PACKAGED = [Path(jvrc_description.urdf_path), Path(upkie_description.URDF_PATH)]
TARGETS = 12
SECONDS = 0.1 if compiling.COMPILED else 5.0  # interpreted kernels take that much longer
LEAST_SOLVED = 0.995


def _model(path: Path) -> Model | None:
    """Return a robot that can move, with a value for every joint, else None."""
    try:
        robot = urdf.parse(path.read_bytes().decode("utf-8"))
    except urdf.UrdfError:
        return None
    model = build_model(robot)
    return model if model.joint_names and (model.lower <= model.upper).all() else None


def _solved(model: Model) -> int:
    """Return how many of the targets are solved; every answer is checked, solved or not."""
    link = deepest_link(model.robot)
    choices = random.Random(model.robot.name)
    solved = 0
    for _ in range(TARGETS):
        goal = goal_at(model, configuration(model, choices), link)
        start = configuration(model, choices)
        solved += solve(problem(model, link, goal, seed=start), SECONDS).status == "solved"
    return solved


@pytest.mark.parametrize("path", PACKAGED, ids=lambda path: path.stem)
def test_a_robot_of_a_package(path: Path) -> None:
    model = _model(path)
    assert model is not None
    assert np.isfinite(model.lower).any()
    assert _solved(model) == TARGETS


@pytest.mark.slow
@pytest.mark.skipif(not FILES, reason=f"no robots in {ROBOTS}; set ROBOTS_DIR to a folder of them")
def test_the_robots_of_the_folder() -> None:
    models = {path.stem: model for path in FILES if (model := _model(path))}
    solved = {name: _solved(model) for name, model in models.items()}
    missed = {name: TARGETS - count for name, count in solved.items() if count < TARGETS}
    assert len(models) >= 17
    assert sum(solved.values()) >= LEAST_SOLVED * TARGETS * len(models), missed
