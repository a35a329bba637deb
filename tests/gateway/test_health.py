"""The health check says whether a gateway answers."""

import subprocess
import sys

import pytest

from gateway import health
from tests.support.live import ROOT, gateway


def test_a_running_gateway_is_healthy(monkeypatch: pytest.MonkeyPatch) -> None:
    with gateway() as live:
        environ = {"GATEWAY_HOST": "0.0.0.0", "GATEWAY_PORT": str(live.port)}
        assert health.check(environ) == ""
        for name, value in environ.items():
            monkeypatch.setenv(name, value)
        command = [sys.executable, "-m", "gateway.health"]
        assert subprocess.run(command, cwd=ROOT, check=False).returncode == 0


def test_where_nobody_listens_it_is_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GATEWAY_PORT", "1")
    assert health.main() == 1
    assert capsys.readouterr().err.startswith("unhealthy: 127.0.0.1:1: ")
