"""A token, where there is one, comes before everything else; TLS is spoken where it is asked for."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
from pathlib import Path

import pytest

from gateway import access
from gateway.access import WRONG_TOKENS, Access, is_loopback, read_token
from gateway.errors import ConfigError
from gateway.session import OPS
from tests.support.gateways import SessionClient, TestHub, request
from tests.support.live import gateway

TOKEN = b"the right one, \xc3\xa9"
AUTH = {"op": "auth", "token": TOKEN.decode(), "id": 7}
WRONG = {"op": "auth", "token": "wrong", "id": 8}
SET = request("/param_server/set_param", {"name": "a", "value": 1}, id="x")


@pytest.fixture
def client() -> SessionClient:
    return TestHub(token=TOKEN).client()


def test_before_the_token_a_call_is_unauthorized(client: SessionClient) -> None:
    for service in ("/param_server/set_param", "/ik/forward_kinematics", "/nobody/knows"):
        answer = client.call(service, {"name": "a", "value": 1}, id="x")
        assert (answer["service"], answer["id"], answer["result"]) == (service, "x", False)
        assert answer["values"] == {"code": "unauthorized"}
        assert '"op":"auth"' in answer["status"]


def test_before_the_token_nothing_else_has_an_effect(client: SessionClient) -> None:
    fields = {"topic": "/t", "type": "t", "msg": {}, "service": "/s", "values": {}, "result": True}
    for op in OPS.keys() - {"auth", "call_service"}:
        (answer,) = client.say({"op": op, "id": 1, "level": "info", **fields})
        assert (answer["op"], answer["level"], answer["id"]) == ("status", "error", 1)
    client.say(AUTH)
    assert client.call("/s")["values"]["code"] == "unknown_service"


def test_the_right_token_opens(client: SessionClient) -> None:
    client.say(WRONG)
    (answer,) = client.say(AUTH)
    assert (answer["op"], answer["level"], answer["id"]) == ("status", "info", 7)
    (answer,) = client.say(SET)
    assert answer["result"]


def test_a_token_counts_for_its_own_connection() -> None:
    hub = TestHub(token=TOKEN)
    hub.client().say(AUTH)
    assert hub.client().say(SET)[0]["values"] == {"code": "unauthorized"}


def test_the_third_wrong_token_closes(client: SessionClient) -> None:
    for n in range(WRONG_TOKENS):
        assert not client.outlet.finished, n
        (answer,) = client.say(WRONG)
        assert (answer["level"], answer["id"]) == ("error", 8)
    assert client.outlet.finished
    assert client.say(AUTH)[0]["level"] == "error"
    assert client.say(SET)[0]["values"] == {"code": "unauthorized"}


def test_without_a_token_auth_is_acknowledged() -> None:
    client = TestHub().client()
    assert client.say(WRONG)[0]["level"] == "info"
    assert Access(b"").given


@pytest.mark.parametrize("content", [b"secret", b"  secret\r\n", b"secret\n\n"])
def test_a_token_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "token"
    path.write_bytes(content)
    assert read_token(str(path)) == b"secret"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "No such file"),
        (b" \n", "the file is empty"),
        (b"\xff" * 20, "not UTF-8"),
        (b"x" * 5000, "over 4096 bytes"),
    ],
)
def test_a_token_file_that_is_none(tmp_path: Path, content: bytes | None, sentence: str) -> None:
    path = tmp_path / "token"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigError, match=sentence) as caught:
        read_token(str(path))
    assert str(caught.value).startswith(f"--auth-token-file {path}: ")


def test_what_only_this_machine_reaches() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "127.8.8.8", "::1", "localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "10.0.0.1", "example.org")))


def test_a_gateway_for_everyone_warns(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_bytes(TOKEN)
    for options, warned in [((), True), (("--auth-token-file", str(token)), False)]:
        assert ("anyone who reaches" in first_log(("--host", "0.0.0.0", *options))) is warned


def first_log(options: tuple[str, ...]) -> str:
    """Return what a gateway logs that finds its port taken, and so ends at once."""
    import sys

    with socket.create_server(("0.0.0.0", 0)) as taken:
        result = subprocess.run(
            [sys.executable, "-m", "gateway", "--port", str(taken.getsockname()[1]), *options],
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
    assert result.returncode == 1
    return result.stderr


def test_tls_options_that_do_not_fit(tmp_path: Path) -> None:
    nonsense = tmp_path / "cert.pem"
    nonsense.write_text("nonsense")
    assert access.tls_context("", "") is None
    for cert, key, sentence in [
        ("", "key.pem", "--tls-key without --tls-cert"),
        (str(nonsense), "", "PEM certificate and its key expected"),
        (str(tmp_path / "none.pem"), "", "No such file"),
    ]:
        with pytest.raises(ConfigError, match=sentence):
            access.tls_context(cert, key)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
def test_tls_and_token_together(tmp_path: Path) -> None:
    cert, key, token = (str(tmp_path / name) for name in ("cert.pem", "key.pem", "token"))
    Path(token).write_bytes(TOKEN)
    command = (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
        "-subj /CN=localhost -addext subjectAltName=IP:127.0.0.1"
    )
    subprocess.run(
        [*command.split(), "-keyout", key, "-out", cert], check=True, capture_output=True
    )
    options = ("--tls-cert", cert, "--tls-key", key, "--auth-token-file", token, "--workers", "1")
    with gateway(*options) as live:
        client = ssl.create_default_context(cafile=cert)
        with (
            live.connection() as plain,
            client.wrap_socket(plain, server_hostname="127.0.0.1") as sock,
        ):
            sock.sendall(b'{"op":"auth","token":"%s"}\n' % TOKEN)
            stream = sock.makefile("rb")
            assert b'"level":"info"' in stream.readline()
            large = b'{"op":"call_service","service":"/param_server/set_param",'
            large += b'"args":{"name":"a","value":"%s"}}\n' % (b"x" * 1_000_000)
            sock.sendall(large)
            assert b'"version":1' in stream.readline()
            stream.close()
        with live.connection() as plain:  # no TLS, no answer, no harm
            plain.sendall(b'{"op":"auth","token":"x"}\n')
            assert b"{" not in plain.recv(4096)
