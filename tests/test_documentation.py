"""What README.md and docs/ show is what a running gateway does."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import connect

from tests.support import netcat
from tests.support.live import ROOT, Live, gateway

ANYTHING = "…"
REPLAYED = re.compile(r"<!-- replay -->\n```(\w+)\n(.*?)```", re.DOTALL)
SHOWN_JSON = re.compile(r"```json\n(.*?)```", re.DOTALL)
SESSION = re.compile(r"```wire\n(.*?)```", re.DOTALL)
CONVERSATION = re.compile(r"```wire (live|websocket)\n(.*?)```", re.DOTALL)
RUN_SECONDS = 60


@pytest.fixture(scope="module")
def live() -> Iterator[Live]:
    with gateway("--websocket-port", "0") as running:
        yield running


def replayed(page: str) -> list[tuple[str, str]]:
    return REPLAYED.findall((ROOT / page).read_text("utf-8"))


def run(language: str, text: str, port: int, tools: Path, websocket_port: int = 0) -> str:
    netcat.install(tools)
    command = ["bash", "-euo", "pipefail", "-c"] if language == "sh" else [sys.executable, "-c"]
    path = f"{tools}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    result = subprocess.run(
        [*command, text.replace("9095", str(port)).replace("9090", str(websocket_port))],
        cwd=ROOT,
        env=os.environ | {"PATH": path, "GATEWAY_PORT": str(port), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=RUN_SECONDS,
        check=False,
    )
    assert result.returncode == 0, f"{text}\n{result.stdout}\n{result.stderr}"
    return result.stdout


def test_the_readme_does_what_it_says(live: Live, tmp_path: Path) -> None:
    outputs = [run(language, text, live.port, tmp_path) for language, text in replayed("README.md")]
    loaded, solved, asked, stored, sockets, client = outputs
    decoder = json.JSONDecoder()
    summary, end = decoder.raw_decode(loaded)
    assert summary["name"] == "desk_arm"
    (shown,) = SHOWN_JSON.findall((ROOT / "README.md").read_text("utf-8"))
    expected = json.loads(shown) | {"version": summary["version"]}
    assert difference(expected, json.loads(loaded[end:])) == ""
    assert json.loads(solved)["position_error"] <= 1e-6
    assert json.loads(asked)["result"] is True
    assert json.loads(stored)["id"] == "load"
    assert sockets.count("'result': True") == 2
    assert "unreachable - " in client


def test_the_clients_do_what_their_page_says(live: Live, tmp_path: Path) -> None:
    blocking, concurrent = [
        run(language, text, live.port, tmp_path) for language, text in replayed("docs/client.md")
    ]
    assert "unknown_link - no link is named 'tol'" in blocking
    lines = concurrent.splitlines()
    assert lines[:2] == ["True", "{'value': 42}"]
    assert "'w': 0.968" in lines[2]


def test_roslibpy_does_what_its_page_says(live: Live, tmp_path: Path) -> None:
    ((language, text),) = replayed("docs/rosbridge.md")
    output = run(language, text, live.port, tmp_path, live.websocket_port)
    assert len(json.loads(output)) == 6


def conversations() -> list[tuple[str, str, str]]:
    return [
        (f"{page.name}-{number}", kind, text)
        for page in sorted((ROOT / "docs").glob("*.md"))
        for number, (kind, text) in enumerate(CONVERSATION.findall(page.read_text("utf-8")), 1)
    ]


def test_there_are_conversations_to_replay() -> None:
    assert len(conversations()) >= 4


@pytest.mark.parametrize(
    ("kind", "text"),
    [found[1:] for found in conversations()],
    ids=[found[0] for found in conversations()],
)
def test_a_conversation_of_the_docs(kind: str, text: str, live: Live) -> None:
    """Each line that comes back is waited for; other topics' messages may come between."""
    live.load((ROOT / "docs/examples/arm.urdf").read_text("utf-8"))
    with talking(kind, live) as (send, receive):
        for line in re.sub(r"\n(?![→←])\s*", " ", text).strip().splitlines():
            if line[0] == "→":
                send(line[1:].strip())
                continue
            pattern = json.loads(line[1:])
            while found := difference(pattern, answer := json.loads(receive())):
                assert answer["op"] == "publish", f"expected {line}\nreceived {answer}\n{found}"


@contextmanager
def talking(kind: str, live: Live) -> Iterator[tuple[Callable[[str], None], Callable[[], str]]]:
    """Connect; return how to send a message, and how to receive one."""
    if kind == "websocket":
        with connect(f"ws://127.0.0.1:{live.websocket_port}") as websocket:
            yield websocket.send, lambda: str(websocket.recv(RUN_SECONDS))
        return
    with live.connection() as sock, sock.makefile("r", encoding="utf-8") as stream:
        yield (lambda line: sock.sendall(line.encode() + b"\n")), stream.readline


def sessions() -> list[tuple[str, str]]:
    pages = [*(ROOT / "docs").glob("*.md"), ROOT / "README.md"]
    return [
        (f"{page.name}-{number}", text)
        for page in sorted(pages)
        for number, text in enumerate(SESSION.findall(page.read_text("utf-8")), 1)
    ]


def test_there_are_sessions_to_replay() -> None:
    assert len(sessions()) >= 9


@pytest.mark.parametrize(("name", "text"), sessions(), ids=[name for name, _ in sessions()])
def test_a_session_of_the_docs(name: str, text: str, live: Live) -> None:
    arm = (ROOT / "docs/examples/arm.urdf").read_text("utf-8")
    live.load(arm)
    sent: list[str] = []
    expected: list[str] = []
    for line in re.sub(r"\n(?![→←])\s*", " ", text).strip().splitlines():
        (sent if line[0] == "→" else expected).append(line[1:].strip())
    received = live.exchange("\n".join(sent).encode() + b"\n")
    for line in expected:
        pattern = json.loads(line)
        differences = [difference(pattern, answer) for answer in received]
        assert "" in differences, f"{name}\nexpected {line}\nreceived {received}\n{differences}"
        received.pop(differences.index(""))
    assert received == []


def difference(pattern: Any, value: Any, at: str = "") -> str:
    """Return where a value is not what a pattern shows; "…" in a pattern is anything."""
    if pattern == ANYTHING:
        return ""
    if isinstance(pattern, dict) and isinstance(value, dict):
        return difference_of_objects(pattern, value, at)
    if isinstance(pattern, list) and isinstance(value, list):
        return difference_of_arrays(pattern, value, at)
    same = pattern == value and type(pattern) is type(value)
    if isinstance(pattern, float) and isinstance(value, int | float):
        same = math.isclose(pattern, value, rel_tol=1e-6, abs_tol=1e-9)
    return "" if same else f"{at}: {value!r}"


def difference_of_objects(pattern: dict[str, Any], value: dict[str, Any], at: str) -> str:
    if pattern.keys() != value.keys():
        return f"{at}: fields {sorted(value)}"
    found = (difference(pattern[name], value[name], f"{at}.{name}") for name in pattern)
    return next(filter(None, found), "")


def difference_of_arrays(pattern: list[Any], value: list[Any], at: str) -> str:
    if ANYTHING in pattern[-1:]:  # and more
        pattern = pattern[:-1]
        value = value[: len(pattern)]
    if len(pattern) != len(value):
        return f"{at}: {len(value)} items"
    pairs = enumerate(zip(pattern, value, strict=True))
    return next(filter(None, (difference(p, v, f"{at}[{i}]") for i, (p, v) in pairs)), "")


def test_every_option_is_explained() -> None:
    from gateway.config import OPTIONS

    page = (ROOT / "docs/operations.md").read_text("utf-8")
    for option in OPTIONS:
        assert f"`{option.name}" in page
        assert option.variable in page


def test_every_link_leads_somewhere() -> None:
    for page in [*(ROOT / "docs").glob("*.md"), ROOT / "README.md"]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
