"""Every program in examples/ does what it says, against a running gateway."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import netcat
from tests.support.live import ROOT, Live, gateway

EXAMPLES = ROOT / "examples"
RUN_SECONDS = 60
ROSLIB_FOLDER = Path(os.environ.get("ROSLIB_FOLDER") or ROOT)
NODE = shutil.which("node")

# Program -> what its output has to match.
OUTPUTS = {
    "load_and_solve.py": r"tool is at .*\n(  \w+ +[+-]\d\.\d+\n){6}off by \d\.\de-\d\d m",
    "follow_path.py": r"60 steps around the circle; no joint moved by more than 0\.[01]",
    "publish_joint_states.py": r"the last transforms came \d+\.\d ms after",
    "plain_sockets.py": r"\A(\d /\w+/\w+ ok\n){3}\Z",
    "netcat.sh": r'(?s)(?=.*"id":"load")(?=.*"name":"desk_arm")(?=.*"tool":\{"position")',
    "roslibpy_client.py": r"joints: \[.*\]\ntransforms: \['shoulder', .*'tool'\]",
    "reachability.py": r"([1-9]|1[0-7]) of 18 grasps can be reached",
    "two_robots.py": r"desk_arm, tool at height 0\.12 m\n.*platform.*0\.00 m\nrise: 1\.2\n",
    "draw_workspace.py": r"2000 configurations drawn in .*workspace\.png",
}


@pytest.fixture(scope="module")
def live() -> Iterator[Live]:
    with gateway("--websocket-port", "0") as running:
        yield running


def run(command: list[str], live: Live, folder: Path, text: str | None = None) -> str:
    """Run a program from the checkout's root, where a gateway is on the ports it expects."""
    netcat.install(folder)
    environment = {
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "GATEWAY_PORT": str(live.port),
        "GATEWAY_WEBSOCKET_PORT": str(live.websocket_port),
    }
    result = subprocess.run(
        command,
        cwd=ROSLIB_FOLDER if command[0] == NODE else ROOT,
        env=os.environ | environment,
        input=text,
        capture_output=True,
        text=True,
        timeout=RUN_SECONDS,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_every_example_is_run() -> None:
    assert {path.name for path in EXAMPLES.iterdir() if path.is_file()} == {
        *OUTPUTS,
        "roslib_page.html",
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", OUTPUTS)
def test_an_example(name: str, live: Live, tmp_path: Path) -> None:
    if name.endswith(".sh"):
        output = run(["bash", str(EXAMPLES / name)], live, tmp_path)
    else:  # those that leave the port to the client get the one of this gateway
        text = (EXAMPLES / name).read_text("utf-8")
        text = text.replace("Client()", f"Client(port={live.port})")
        picture = tmp_path / "workspace.png"
        arguments = [str(picture)] if name == "draw_workspace.py" else []
        output = run([sys.executable, "-", *arguments], live, tmp_path, text)
        assert not arguments or picture.stat().st_size > 1000
    assert re.search(OUTPUTS[name], output), output


PAGE = """
const shown = {};
const slider = { value: "0.5", addEventListener: () => {} };
globalThis.location = { search: "?port=PORT" };
globalThis.document = { getElementById: (id) => id === "elbow" ? slider : {
  set textContent(text) {
    shown[id] = text;
    if (shown.robot && shown.tool) { console.log(shown.state, shown.robot, shown.tool); process.exit(0); }
  },
} };
setTimeout(() => process.exit(1), 20000).unref();
"""


@pytest.mark.slow
@pytest.mark.skipif(
    NODE is None or not (ROSLIB_FOLDER / "node_modules/roslib").is_dir(),
    reason="node with roslib is not there; see ROSLIB_FOLDER in tests/gateway/test_roslib.py",
)
def test_the_page_under_node_with_a_document_that_remembers(live: Live, tmp_path: Path) -> None:
    live.load((ROOT / "docs/examples/arm.urdf").read_text("utf-8"))
    page = (EXAMPLES / "roslib_page.html").read_text("utf-8")
    (script,) = re.findall(r'<script type="module">\n(.*?)</script>', page, re.DOTALL)
    imported, address = re.findall(r'import (\{.*\}) from "(.*)";', script)[0]
    assert address.startswith("https://cdn.jsdelivr.net/npm/roslib@2/")
    script = script.replace(f'import {imported} from "{address}";', "")
    text = f'import {imported} from "roslib";\n' + PAGE.replace("PORT", str(live.websocket_port))
    output = run([str(NODE), "--input-type=module", "-"], live, tmp_path, text + script)
    assert re.fullmatch(r"connected desk_arm 0\.\d+, 0\.000, -?0\.\d+\n", output), output
