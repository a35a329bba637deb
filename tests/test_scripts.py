"""The scripts set their environment up once, and hand their own arguments on."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.live import ROOT

# Stands in for the environment's Python: writes down what it is asked to run.
RECORDER = '#!/bin/sh\necho "$*" >> "{log}"\n'


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    (tmp_path / "bin").mkdir()
    python = tmp_path / "bin/python"
    python.write_text(RECORDER.format(log=tmp_path / "log"))
    python.chmod(0o755)
    return tmp_path


def run(script: str, environment: Path, *arguments: str) -> list[str]:
    (environment / "log").unlink(missing_ok=True)
    subprocess.run(
        [ROOT / "scripts" / script, *arguments],
        env={"PATH": "/usr/bin:/bin", "GATEWAY_VENV": str(environment)},
        cwd=environment,
        check=True,
        capture_output=True,
    )
    return (environment / "log").read_text().splitlines()


@pytest.mark.parametrize(
    ("script", "spec", "module"), [("run", ".", "gateway"), ("test", ".[dev]", "pytest")]
)
def test_a_first_run_installs_and_a_second_does_not(
    script: str, spec: str, module: str, environment: Path
) -> None:
    installed, started = run(script, environment, "--port", "0")
    assert installed.startswith("-m pip install ")
    assert installed.endswith(f" --editable {spec}")
    assert started == f"-m {module} --port 0"
    assert run(script, environment, "-x") == [f"-m {module} -x"]
