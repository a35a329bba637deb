"""The health check says whether a gateway answers."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gateway import health
from gateway.async_client import AsyncClient
from gateway.client import CallError, Client
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


def test_the_clients_show_a_token(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("open sesame\n")
    token.chmod(0o600)
    with gateway("--auth-token-file", str(token)) as live:
        environ = {"GATEWAY_PORT": str(live.port), "GATEWAY_AUTH_TOKEN_FILE": str(token)}
        assert health.check(environ) == ""
        assert "unauthorized" not in health.check(environ)
        assert "token" in health.check({"GATEWAY_PORT": str(live.port)})
        with pytest.raises(CallError, match="token"):
            Client(port=live.port, token="open barley")
        called = subprocess.run(
            [ROOT / "scripts/call", "/param_server/list_params"],
            env=os.environ | environ,
            check=False,
            capture_output=True,
            text=True,
        )
        assert json.loads(called.stdout)["params"] == []


async def test_the_asyncio_client_shows_a_token(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("open sesame\n")
    token.chmod(0o600)
    with gateway("--auth-token-file", str(token)) as live:
        async with AsyncClient(port=live.port, token="open sesame") as client:
            assert await client.call("/param_server/list_params") == {"params": []}
