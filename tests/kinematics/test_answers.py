"""Answers depend on the request alone: not on the hash seed, nor on what was asked before."""

from __future__ import annotations

import os
import subprocess
import sys

import orjson
import pytest

from tests.support.calls import call, load
from tests.support.random_robots import six_axis_arm

PROGRAM = """
import sys
from kinematics.services import begin
from tests.kinematics.test_answers import LOADED, lines
for line in lines():
    started = begin(line, LOADED)
    if not isinstance(started, tuple):
        while not started.run(1.0, lambda: 0.0):
            pass
        started = started.finish()
    sys.stdout.buffer.write(started[1] + b"\\n")
"""


def _text() -> str:
    """Return the six-axis arm as a description, its joints written tip first."""
    robot = six_axis_arm()
    parts = [f'<link name="{link.name}"/>' for link in robot.links]
    for joint in reversed(robot.joints):
        xyz, axis = (" ".join(map(repr, v)) for v in (joint.origin.xyz, joint.axis))
        parts.append(
            f'<joint name="{joint.name}" type="{joint.type}"><parent link="{joint.parent}"/>'
            f'<child link="{joint.child}"/><origin xyz="{xyz}"/><axis xyz="{axis}"/>'
            '<limit lower="-2.9" upper="2.9"/></joint>'
        )
    return f'<robot name="arm">{"".join(parts)}</robot>'


LOADED = load(_text())
TARGET = {"position": {"x": 0.4, "y": 0.3, "z": 0.8}}


def lines() -> list[bytes]:
    """Return a request to each service."""
    arguments = {
        "robot_info": {},
        "forward_kinematics": {"base_link": "3"},
        "jacobian": {"link": "7"},
        "solve_robot": {"link": "7", "target": TARGET, "solutions": 4, "timeout": 10},
    }
    return [
        orjson.dumps({"service": f"/ik/{service}", "args": args})
        for service, args in arguments.items()
    ]


@pytest.mark.slow
def test_answers_are_the_same_in_every_process() -> None:
    found = set()
    for hash_seed in ("0", "1", "77"):
        ran = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env=os.environ | {"PYTHONHASHSEED": hash_seed},
            capture_output=True,
            check=True,
            timeout=60,
        )
        found.add(ran.stdout)
    (answers,) = found
    assert answers.count(b"\n") == 4


def test_an_answer_does_not_depend_on_those_before() -> None:
    args = {"link": "7", "target": TARGET, "solutions": 3, "timeout": 10}
    first = call("solve_robot", args, LOADED)
    call("forward_kinematics", {"joint_state": {"name": ["elbow"], "position": [1.0]}}, LOADED)
    call("solve_robot", {"link": "5", "target": TARGET, "timeout": 10}, LOADED)
    call("solve_robot", args | {"random_seed": 5}, LOADED)
    again = call("solve_robot", args, LOADED)
    fresh = call("solve_robot", args, load(_text()))
    for values in (first, again, fresh):
        del values["seconds"]
    assert first == again == fresh


def test_orders_are_the_documents_joints_and_the_paths_columns() -> None:
    names = call("robot_info", {}, LOADED)["joint_names"]
    assert names == ["flange", "bend", "roll", "elbow", "shoulder", "pan"]
    assert call("jacobian", {"link": "7"}, LOADED)["joint_names"] == names[::-1]
    solved = call("solve_robot", {"link": "7", "target": TARGET, "timeout": 10}, LOADED)
    assert solved["joint_state"]["name"] == names
