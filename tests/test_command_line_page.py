"""What docs/command-line.md shows is what the commands print."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.live import ROOT
from urdf.__main__ import COMMANDS, _parser
from urdf.errors import UrdfError

PAGE = (ROOT / "docs/command-line.md").read_text("utf-8")
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
STATUS = re.compile(r"^\[status (\d+)\]\n\Z", re.MULTILINE)
SHOWN = [found for block in CONSOLE.findall(PAGE) for found in COMMAND.findall(block)]
pytest.importorskip("xacrodoc")


def test_there_are_examples_of_every_command() -> None:
    shown = " ".join(command for command, _ in SHOWN)
    assert all(f"robot-urdf {command} " in shown for command in COMMANDS)
    assert all(f"`{command} " in PAGE for command in COMMANDS)


@pytest.mark.parametrize(("command", "output"), SHOWN, ids=[command for command, _ in SHOWN])
def test_an_example(command: str, output: str, tmp_path: Path) -> None:
    tool = tmp_path / "robot-urdf"
    tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m urdf "$@"\n')
    tool.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=ROOT,
        env=os.environ | {"PATH": path, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    status = STATUS.search(output)
    assert done.stdout == STATUS.sub("", output)
    assert done.returncode == (int(status[1]) if status else 0)


def test_every_rule_is_explained() -> None:
    kinds = [UrdfError]
    for kind in kinds:
        kinds += kind.__subclasses__()
        assert f"`{kind.rule}`" in PAGE
    source = (ROOT / "urdf/finding.py").read_text() + (ROOT / "urdf/inertial.py").read_text()
    for rule in re.findall(r'(?:yield|return) \(?\s*"([a-z-]+)",', source):
        assert f"`{rule}`" in PAGE


def test_every_option_is_explained() -> None:
    for action in _parser()._subparsers._group_actions:  # type: ignore[union-attr]
        for name, command in action.choices.items():  # type: ignore[union-attr]
            for option in re.findall(r"--[a-z-]+", command.format_help()):
                assert option in PAGE or option in {"--help", "--output"}, (name, option)
