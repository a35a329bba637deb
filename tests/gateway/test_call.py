"""`scripts/call` against a gateway as users run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.live import ROOT, Live, gateway
from tests.support.pools import PLANAR_ARM


@pytest.fixture(scope="module")
def live() -> Iterator[Live]:
    with gateway("--workers", "1") as running:
        yield running


def call(port: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if name[:7] != "GATEWAY"}
    return subprocess.run(
        [sys.executable, ROOT / "scripts/call", *arguments],
        env=environ | {"GATEWAY_PORT": str(port)},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def test_a_robot_and_its_services(live: Live, tmp_path: Path) -> None:
    arm = tmp_path / "arm.urdf"
    arm.write_text(PLANAR_ARM)
    loaded = call(live.port, "--robot", str(arm))
    assert loaded.returncode == 0, loaded.stderr
    summary = json.loads(loaded.stdout)
    assert summary["name"] == "planar"
    assert summary["links"] == 4
    assert summary["joints"] == ["shoulder", "elbow"]
    answered = call(live.port, "/ik/forward_kinematics", '{"links": ["tool"]}')
    assert answered.returncode == 0, answered.stderr
    assert json.loads(answered.stdout)["poses"]["tool"]["position"] == {"x": 2, "y": 0, "z": 0}
    refused = call(live.port, "/ik/jacobian", '{"link": "tol"}')
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith("unknown_link: ")


def test_a_robot_that_is_refused_is_not_stored(live: Live, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.urdf"
    wrong.write_text("<robot/>")
    before = live.call("/param_server/list_params", {})["values"]
    refused = call(live.port, "--robot", str(wrong))
    assert refused.returncode == 1
    assert refused.stderr.startswith("invalid_robot_description: ")
    assert live.call("/param_server/list_params", {})["values"] == before


def test_one_that_is_not_there(live: Live, tmp_path: Path) -> None:
    missing = call(live.port, "--robot", str(tmp_path / "missing.urdf"))
    assert missing.returncode == 1
    assert "missing.urdf" in missing.stderr
    assert "Traceback" not in missing.stderr


@pytest.mark.parametrize(
    "arguments", [[], ["/x", "{"], ["/x", "[]"], ["--nope"], ["/x", "{}", "--port", "x"]]
)
def test_a_wrong_command_line(arguments: list[str]) -> None:
    result = call(1, *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert "usage: scripts/call" in result.stderr


def test_no_gateway() -> None:
    result = call(1, "/x")
    assert result.returncode == 1
    assert result.stderr.startswith("scripts/call: no gateway at 127.0.0.1:1; ")


XACRO = """<robot name="two" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="tip" default="tip"/>
  <link name="base"/><link name="$(arg tip)"/>
  <joint name="j" type="fixed"><parent link="base"/><child link="$(arg tip)"/></joint>
</robot>"""


def test_a_xacro_file_is_expanded_first(live: Live, tmp_path: Path) -> None:
    pytest.importorskip("xacrodoc")
    path = tmp_path / "two.urdf.xacro"
    path.write_text(XACRO)
    loaded = call(live.port, "--robot", str(path), "--arg", "tip:=hand")
    assert loaded.returncode == 0, loaded.stderr
    assert json.loads(loaded.stdout)["links"] == 2
    answered = call(live.port, "/ik/forward_kinematics", '{"links": ["hand"]}')
    assert answered.returncode == 0, answered.stderr
    path.write_text(XACRO.replace("(arg tip)", "{tpi}"))
    refused = call(live.port, "--robot", str(path))
    assert refused.returncode == 1
    assert "'tpi' is not defined" in refused.stderr
    assert refused.stderr.startswith(f"scripts/call: {path}: ")
