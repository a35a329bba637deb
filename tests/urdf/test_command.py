"""The command line: what it says, where, and with which status."""

from __future__ import annotations

import importlib
import io
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import urdf
from tests.support.arm import ARM, arm, kind
from tests.support.full import FULL
from tests.support.live import ROOT
from urdf.__main__ import COMMANDS, main

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def arm_file(tmp_path: Path) -> str:
    return written(tmp_path / "arm.urdf", ARM)


@pytest.fixture
def full_file(tmp_path: Path) -> str:
    return written(tmp_path / "full.urdf", FULL)


def written(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


def stdin(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))


def test_check_says_ok(arm_file: str, capsys: Capture) -> None:
    assert main(["check", arm_file]) == 0
    said = capsys.readouterr().out
    assert said == f"{arm_file}: ok: robot 'arm', 2 links, 1 joint (1 movable), root 'a'\n"


def test_check_is_like_a_compiler(tmp_path: Path, arm_file: str, capsys: Capture) -> None:
    wrong = written(tmp_path / "wrong.urdf", arm(('upper="2"', 'upper="two"')))
    absent = str(tmp_path / "absent.urdf")
    assert main(["check", wrong, arm_file, absent]) == 1
    refused, accepted, missing = capsys.readouterr().out.splitlines()
    assert refused.startswith(f"{wrong}:6:53: element: joint 'j' (line 4, column 1): <limit> on")
    assert accepted.startswith(f"{arm_file}: ok: ")
    assert missing == f"{absent}:1:1: file: No such file or directory"


def test_check_reads_stdin_and_writes_json(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    stdin(monkeypatch, b"<robot>\n  <link name='a'/>\n  <link name='b'/></robot>")
    assert main(["check", "--format", "json", "-"]) == 1
    (report,) = json.loads(capsys.readouterr().out)
    assert (report["file"], report["accepted"]) == ("<stdin>", False)
    (finding,) = report["findings"]
    assert (finding["line"], finding["column"]) == (3, 3)
    assert (finding["rule"], finding["severity"]) == ("tree", "error")
    assert "2 roots" in finding["sentence"]


@pytest.mark.parametrize(
    ("text", "rule", "place"),
    [
        ("<robot", "xml", "1:1"),
        ("<robot/>", "tree", "1:1"),
        (kind("ball"), "joint-type", "4:1"),
        (FULL, "joint-type", "40:3"),
    ],
)
def test_rules_of_refusals(
    text: str, rule: str, place: str, tmp_path: Path, capsys: Capture
) -> None:
    path = written(tmp_path / "r.urdf", text)
    assert main(["check", path]) == 1
    assert capsys.readouterr().out.startswith(f"{path}:{place}: {rule}: ")


def warned(text: str, tmp_path: Path, capsys: Capture, *options: str) -> dict[str, str]:
    path = written(tmp_path / "warned.urdf", text)
    assert main(["check", "--format", "json", *options, path]) == 0
    (report,) = json.loads(capsys.readouterr().out)
    assert all(finding["severity"] == "warning" for finding in report["findings"])
    return {finding["rule"]: finding["sentence"] for finding in report["findings"]}


@pytest.mark.parametrize(
    ("text", "rule", "sentence"),
    [
        (arm(("0 0 1\"/><limit", '0 0 2"/><limit')), "axis", "has length 2; a unit vector"),
        (kind("prismatic", ("0 0 1\"/><limit", '0 0 2"/><limit')), "axis", "moves it 2 m"),
        (arm(('lower="-2"', 'lower="1"')), "limits-exclude-zero", "0 is outside [1, 2]"),
        (arm(('upper="2"', 'upper="-1"')), "limits-exclude-zero", "0 is outside [-2, -1]"),
        (arm(('upper="2"', 'upper="-2"')), "limits-equal", "lower = upper = -2"),
        (arm(('upper="2"', 'upper="-3"')), "limits-empty", "no value is within [-2, -3]"),
        (arm(('lower="-2" upper="2"', 'lower="-90" upper="90"')), "limits-degrees",
         "radians expected, [-1.5708, 1.5708]"),
        (arm(('rpy="0 0 0"', 'rpy="0 -90 0"')), "rpy-degrees", "radians expected, -1.5708"),
        (arm(('name="a"', 'name="${side}"'), ('parent link="a"', 'parent link="${side}"')),
         "left-over", "'${side}' is left over from xacro"),
        (arm(('<box size="1 2 3"/>', '<mesh filename="no.stl"/>')), "mesh", "no file at"),
        (arm(('<box size="1 2 3"/>', '<mesh filename="package://p/x"/>')), "mesh", "no package 'p'"),
        (arm(('<box size="1 2 3"/>', '<mesh filename="file:///no/a.stl"/>')), "mesh", "at /no/a"),
    ],
)  # fmt: skip
def test_what_costs_people_hours(
    text: str, rule: str, sentence: str, tmp_path: Path, capsys: Capture
) -> None:
    assert sentence in warned(text, tmp_path, capsys)[rule]


@pytest.mark.parametrize(
    "text",
    [
        arm(('0 0 1"/><limit', '0.5774 0.5774 0.5774"/><limit')),
        arm(('rpy="0 0 0"', 'rpy="0 -6.2832 3.1416"')),
        arm(("</robot>", "<!-- ${side} --></robot>")),
        arm(('<box size="1 2 3"/>', '<mesh filename="https://x.org/a.stl"/>')),
        kind("fixed", ('0 0 1"/><limit', '0 0 2"/><limit')),
    ],
)
def test_what_is_meant(text: str, tmp_path: Path, capsys: Capture) -> None:
    assert warned(text, tmp_path, capsys) == {}


def test_masses_are_looked_at_where_it_is_asked_for(tmp_path: Path, capsys: Capture) -> None:
    assert "inertial" not in warned(ARM, tmp_path, capsys)
    assert "no link has an <inertial>" in warned(ARM, tmp_path, capsys, "--extended")["inertial"]
    weak = FULL.replace('ixx="1" ixy="0.1"', 'ixx="1" ixy="3"')
    assert "link 'finger'" in warned(weak, tmp_path, capsys, "--extended")["inertia"]
    path = written(tmp_path / "weak.urdf", weak)
    assert main(["check", "--strict-inertial", path]) == 1
    assert f"{path}:27:5: inertial: link 'finger'" in capsys.readouterr().out


def test_warnings_can_be_silent_or_fatal(tmp_path: Path, capsys: Capture) -> None:
    path = written(tmp_path / "odd.urdf", arm(('lower="-2"', 'lower="1"')))
    assert main(["check", "--no-warnings", path]) == 0
    assert "warning: " not in capsys.readouterr().out
    assert main(["check", "--warnings-as-errors", path]) == 1
    assert ":4:1: limits-exclude-zero: warning: joint 'j': " in capsys.readouterr().out


def test_a_mesh_is_found_where_it_may_be(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "desc"
    for directory in (package / "urdf", package / "meshes", tmp_path / "ws/share/other"):
        directory.mkdir(parents=True)
    for mesh in (package / "meshes/a.stl", tmp_path / "ws/share/other/b.stl"):
        mesh.touch()
    for name in ("package://desc/meshes/a.stl", "../meshes/a.stl"):
        text = arm(('<box size="1 2 3"/>', f'<mesh filename="{name}"/>'))
        assert warned(text, package / "urdf", capsys) == {}
    text = arm(('<box size="1 2 3"/>', '<mesh filename="package://other/b.stl"/>'))
    assert "mesh" in warned(text, package, capsys)
    given = f"other={tmp_path / 'ws/share/other'}"
    assert warned(text, package, capsys, "--package", given) == {}
    assert warned(text, package, capsys, "--package-path", str(tmp_path / "ws/share")) == {}
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "ws"))
    assert warned(text, package, capsys) == {}


def test_a_package_that_is_not_around_is_told_of_once(tmp_path: Path, capsys: Capture) -> None:
    meshes = "".join(
        f'<link name="m{i}"><visual><geometry><mesh filename="package://p/{i}.stl"/></geometry>'
        "</visual></link>"
        for i in range(3)
    )
    joints = "".join(
        f'<joint name="k{i}" type="fixed"><parent link="a"/><child link="m{i}"/></joint>'
        for i in range(3)
    )
    path = written(tmp_path / "many.urdf", arm(("</robot>", f"{meshes}{joints}</robot>")))
    assert main(["check", path]) == 0
    (line, _ok) = capsys.readouterr().out.splitlines()
    assert "no package 'p' around (2 more are in it); --package p=DIR helps" in line
    nameless = arm(('<box size="1 2 3"/>', '<mesh filename="package:///a.stl"/>'))
    assert "no package ''" in warned(nameless, tmp_path, capsys)["mesh"]


def test_info(full_file: str, capsys: Capture) -> None:
    assert main(["info", full_file]) == 0
    said = capsys.readouterr().out
    assert "  mass    3 kg\n" in said
    assert (
        "\nshoulder  revolute  base    arm     0 0 1  -1     2      30      4         -\n" in said
    )
    assert "-1.5 shoulder +0.2" in said
    assert "\narm     2     0.1 0.2 0.3     0        0\n" in said
    assert main(["info", "--format", "json", full_file]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert whole["mass"] == 3
    assert whole["joints"][1]["limit"] == {"lower": -3, "upper": None, "effort": 1, "velocity": 2}


def test_tree(full_file: str, tmp_path: Path, capsys: Capture) -> None:
    forked = FULL.replace(
        "</robot>", '<link name="eye"/><joint name="neck" type="fixed"><parent link="base"/>'
        '<child link="eye"/></joint></robot>',
    )  # fmt: skip
    assert main(["tree", written(tmp_path / "forked.urdf", forked)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "base",
        "├─ arm  (shoulder: revolute)",
        "│  └─ finger  (knuckle: screw, as shoulder)",
        "└─ eye  (neck: fixed)",
    ]


def test_a_deep_tree_is_not_as_wide(tmp_path: Path, capsys: Capture) -> None:
    n = 3000
    links = "".join(f'<link name="{i}"/>' for i in range(n))
    joints = "".join(
        f'<joint name="{i}" type="fixed"><parent link="{i}"/><child link="{i + 1}"/></joint>'
        for i in range(n - 1)
    )
    assert main(["tree", written(tmp_path / "deep.urdf", f"<robot>{links}{joints}</robot>")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == n
    assert max(map(len, lines)) < 250
    assert lines[-1] == "… 2998 deep └─ 2999  (2998: fixed)"


def test_graph(full_file: str, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "full.gv"
    assert main(["graph", full_file, "-o", str(out)]) == 0
    assert '  "link base" -> "joint shoulder" -> "link arm";\n' in out.read_text()
    odd = arm(('name="arm"', 'name="a &quot;b&quot; \\"'))
    assert main(["graph", written(tmp_path / "odd.urdf", odd)]) == 0
    assert capsys.readouterr().out.startswith('digraph "a \\"b\\" \\\\" {\n')


@pytest.mark.parametrize(
    ("script", "status", "said"),
    [("cat", 0, 'digraph "full"'), ("echo bad >&2; exit 3", 1, "dot: bad"), (None, 1, "no program dot")],
)  # fmt: skip
def test_svg_is_what_dot_draws(
    script: str | None, status: int, said: str, full_file: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: Capture,
) -> None:  # fmt: skip
    tools = tmp_path / "tools"
    tools.mkdir()
    if script is not None:
        (tools / "dot").write_text(f"#!/bin/sh\n[ $1 = -Tsvg ] || exit 9\n{script}\n")
        (tools / "dot").chmod(0o755)
    rest = f"{os.pathsep}{os.environ['PATH']}" if script is not None else ""
    monkeypatch.setenv("PATH", f"{tools}{rest}")
    assert main(["graph", "--svg", full_file]) == status
    captured = capsys.readouterr()
    assert said in captured.out + captured.err


def test_diff_is_of_what_is_said(arm_file: str, tmp_path: Path, capsys: Capture) -> None:
    turn = 2 * 3.141592653589793
    same = arm(('size="1 2 3"', "size=' 1.0 2 3e0 '"), ('rpy="0 0 0"', f'rpy="{turn} 0 0"'))
    assert main(["diff", arm_file, written(tmp_path / "same.urdf", same)]) == 0
    other = arm(
        ('upper="2"', 'upper="3"'), ("0 0 1\" rpy", '0 0 1.5" rpy'), ('size="1 2 3"', 'size="1 2 4"'),
        ("</robot>", '<link name="c"/><joint name="k" type="fixed"><parent link="b"/>'
         '<child link="c"/></joint></robot>'),
    )  # fmt: skip
    path = written(tmp_path / "other.urdf", other)
    assert main(["diff", arm_file, path]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "link 'c': absent -> present",
        "link 'a' visuals 1 shape size: 1 2 3 -> 1 2 4",
        "joint 'k': absent -> present",
        "joint 'j' origin xyz: 0 0 1 -> 0 0 1.5",
        "joint 'j' limit upper: 2 -> 3",
    ]
    assert main(["diff", "--tolerance", "1", "--format", "json", arm_file, path]) == 1
    assert [change["what"] for change in json.loads(capsys.readouterr().out)] == [
        "link 'c'",
        "joint 'k'",
    ]
    assert main(["diff", arm_file, str(tmp_path / "absent")]) == 2
    assert main(["diff", "-", "-"]) == 2


def test_diff_sees_every_part(full_file: str, tmp_path: Path, capsys: Capture) -> None:
    edits = {
        'multiplier="-1.5"': 'multiplier="1"', 'damping="0.5"': 'damping="0"', 'pitch="0.05"': "",
        'k_position="15"': "", '<mass value="2"/>': '<mass value="3"/>', "wood.png": "oak.png",
        'rgba="1 0 0 0.5"': 'rgba="1 0 0 1"', 'name="hull"': "", 'velocity="4"': "",
        '<sphere radius="1"/>': '<box size="1 1 1"/>', 'name="full"': 'name="part"',
    }  # fmt: skip
    for old, new in edits.items():
        assert FULL.count(old) == 1
        path = written(tmp_path / "edited.urdf", FULL.replace(old, new))
        assert main(["diff", full_file, path]) == 1, old
    moved = FULL.replace("base", "zzz").replace("arm", "base").replace("zzz", "arm")
    assert main(["diff", full_file, written(tmp_path / "moved.urdf", moved)]) == 1
    said = capsys.readouterr().out
    assert "root link: 'base' -> 'arm'\norder of links, at 0: 'base' -> 'arm'\n" in said


def test_format(tmp_path: Path, capsys: Capture) -> None:
    text = ("<?xml version='1.0'?><!-- an arm -->\n<robot   name='r&amp;d &lt;&quot;'>\n\n<link name="
            "'a'></link><gazebo><plugin>  x &lt; 1\n</plugin></gazebo><!-- end --></robot>")  # fmt: skip
    path = written(tmp_path / "r.urdf", text)
    assert main(["format", path]) == 0
    laid_out = (
        '<?xml version="1.0" encoding="utf-8"?>\n<!-- an arm -->\n'
        '<robot name="r&amp;d &lt;&quot;">\n  <link name="a"/>\n  <gazebo>\n'
        "    <plugin>x &lt; 1</plugin>\n  </gazebo>\n  <!-- end -->\n</robot>\n"
    )
    assert capsys.readouterr().out == laid_out
    assert main(["format", "--check", path]) == 1
    assert main(["format", "--in-place", path]) == 0
    assert Path(path).read_text() == laid_out
    assert main(["format", "--in-place", path]) == 0
    assert main(["format", "--check", path]) == 0
    assert urdf.parse(laid_out) == urdf.parse(text)


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_a_wrong_file_is_one_line(command: str, tmp_path: Path, capsys: Capture) -> None:
    bad = tmp_path / "bad.urdf"
    bad.write_bytes(b"<robot>\n \xff</robot>")
    other = [str(bad)] if command == "diff" else []
    for path in (str(bad), str(tmp_path), str(tmp_path / "absent"), "a\0b"):
        assert main([command, path, *other]) == (2 if command == "diff" else 1)
        captured = capsys.readouterr()
        assert len((captured.out + captured.err).splitlines()) == 1, path
    main([command, str(bad), *other])
    captured = capsys.readouterr()
    assert f"{bad}:2:2: xml: byte 0xff" in captured.out + captured.err


@pytest.mark.parametrize(
    "arguments",
    [[], ["nope"], ["check"], ["diff", "a"], ["info", "a", "b"], ["tree", "--arg", "x", "a"],
     ["tree", "--xacro-timeout", "0", "a"], ["diff", "--tolerance", "-1", "a", "b"],
     ["diff", "--tolerance", "x", "a", "b"], ["tree", "--xacro-timeout", "x", "a"]],
)  # fmt: skip
def test_a_wrong_command_line(arguments: list[str], capsys: Capture) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: robot-urdf" in capsys.readouterr().err


def test_it_runs_as_a_module_and_minds_a_reader_that_leaves(full_file: str) -> None:
    command = f'"{sys.executable}" -m urdf info --format json "{full_file}" | head -c 1'
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}; exit 0"], cwd=ROOT, capture_output=True, text=True,
        timeout=30, check=True,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("{", "")


def test_an_interrupt_is_a_status(
    full_file: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("urdf.command.read_text", interrupted)
    assert main(["info", full_file]) == 130
    assert capsys.readouterr() == ("", "")


def test_a_drawing_that_does_not_end_is_given_up(
    full_file: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "dot").write_text("#!/bin/sh\nexec sleep 60\n")
    (tmp_path / "dot").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr("urdf.command_graph.DRAWING_SECONDS", 0.2)
    assert main(["graph", "--svg", full_file]) == 1
    assert "timed out" in capsys.readouterr().err


def test_a_file_that_is_too_large(
    full_file: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("urdf.files.MAX_BYTES", 100)
    assert main(["check", full_file]) == 1
    assert ":1:1: element: larger than 100 bytes" in capsys.readouterr().out


def test_instructions_and_mixed_text_are_laid_out(tmp_path: Path, capsys: Capture) -> None:
    text = "<robot name='r'>text<?a b?><?c?><link name='a'/>more &#13;</robot>"
    assert main(["format", written(tmp_path / "pi.urdf", text)]) == 0
    assert capsys.readouterr().out == (
        '<robot name="r">\n  text\n  <?a b?>\n  <?c?>\n  <link name="a"/>\n  more\n</robot>\n'
    )


def test_a_robot_without_joints(tmp_path: Path, capsys: Capture) -> None:
    path = written(tmp_path / "one.urdf", '<robot name="one"><link name="a"/></robot>')
    for command, said in (("info", "joints  0, 0 movable"), ("tree", "a\n"), ("check", "0 joints")):
        assert main([command, path]) == 0
        assert said in capsys.readouterr().out


def test_diff_of_parts_that_are_absent(tmp_path: Path, full_file: str, capsys: Capture) -> None:
    start, end = FULL.index('    <dynamics damping="0.5"'), FULL.index("    <safety_controller")
    path = written(tmp_path / "less.urdf", FULL[:start] + FULL[end:])
    assert main(["diff", full_file, path]) == 1
    assert capsys.readouterr().out == "joint 'shoulder' dynamics: present -> absent\n"
    path = written(tmp_path / "moved.urdf", FULL.replace('rpy="0 0 1.5707', 'rpy="0 0 0.5707'))
    assert main(["diff", full_file, path]) == 1
    assert "link 'arm' inertial inertia: " in capsys.readouterr().out
    turned = FULL.replace('<origin xyz="0 1 0"/>', '<origin xyz="0 1 0" rpy="1 0 0"/>')
    assert main(["diff", full_file, written(tmp_path / "turned.urdf", turned)]) == 1
    assert capsys.readouterr().out == ("link 'base' collisions 1 origin rpy: 0 0 0 -> 1 0 0\n")


def test_the_script_is_this_command() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    module, _, function = project["scripts"]["robot-urdf"].partition(":")
    assert getattr(importlib.import_module(module), function) is main
    assert "xacro" in project["optional-dependencies"]
