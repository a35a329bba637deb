"""Xacro files: expanded with arguments and packages, within bounds, and errors that say where."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

import urdf
from tests.support.live import ROOT
from urdf.__main__ import main
from urdf.errors import XacroError
from urdf.expansion import Xacro, expand

pytest.importorskip("xacrodoc")

Capture = pytest.CaptureFixture[str]
XMLNS = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
ARM = f"""<robot name="arm" {XMLNS}>
  <xacro:arg name="length" default="0.4"/>
  <xacro:property name="half" value="${{0.5 * $(arg length)}}"/>
  <link name="base"/>
  <link name="tip">
    <visual><geometry><box size="$(arg length) 1 1"/></geometry></visual>
  </link>
  <joint name="j" type="fixed">
    <parent link="base"/><child link="tip"/>
    <origin xyz="${{half}} 0 0"/>
  </joint>
</robot>"""


def written(path: Path, text: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(path)


def robot(inside: str) -> str:
    return f'<robot name="r" {XMLNS}>{inside}</robot>'


@pytest.mark.parametrize(("arguments", "length"), [([], 0.4), (["--arg", "length:=3"], 3.0)])
def test_arguments(arguments: list[str], length: float, tmp_path: Path, capsys: Capture) -> None:
    assert main(["expand", *arguments, written(tmp_path / "arm.xacro", ARM)]) == 0
    arm = urdf.parse(capsys.readouterr().out)
    assert arm.name == "arm"
    assert arm.joints[0].origin.xyz == (length / 2, 0.0, 0.0)
    visual = arm.links[1].visual
    assert visual is not None
    assert visual.shape == urdf.Box((length, 1, 1))


def test_a_misspelt_property_is_an_error_with_its_place(tmp_path: Path, capsys: Capture) -> None:
    path = written(tmp_path / "arm.xacro", ARM.replace("${half}", "${hlaf}"))
    assert main(["expand", path]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"{path}:10:18: xacro: xacro cannot expand it: name 'hlaf' is")


@pytest.mark.parametrize(
    ("inside", "sentence"),
    [
        ('<link name="$(arg nope)"/>', "nope"),
        ('<xacro:include filename="absent.xacro"/>', "absent.xacro"),
        ('<xacro:nope/>', "nope"),
        ('<xacro:include filename="$(find nope)/a.xacro"/>', "Package not found: nope"),
        ('<link name="${1/0}"/>', "division"),
        ('<link name="${open(1)}"/>', "open"),
        ("<link", "not well-formed"),
    ],
)  # fmt: skip
def test_what_cannot_be_expanded(inside: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(XacroError, match=sentence) as caught:
        expand(written(tmp_path / "r.xacro", robot(inside)), Xacro())
    assert "\n" not in str(caught.value)


def test_includes_and_packages(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = robot('<link name="${name}"/>')
    package = tmp_path / "parts/wheels"
    written(package / "package.xml", "<package><name>wheels</name></package>")
    written(package / "wheel.xacro", part)
    written(tmp_path / "main/local.xacro", part)
    named = '<xacro:property name="name" value="{}"/><xacro:include filename="{}"/>'
    local = written(tmp_path / "main/a.xacro", robot(named.format("a", "local.xacro")))
    found = robot(named.format("b", "$(find wheels)/wheel.xacro"))
    other = written(tmp_path / "main/b.xacro", found)
    inside = written(package / "urdf/c.xacro", found.replace('"b"', '"c"'))
    monkeypatch.chdir(tmp_path / "parts")
    for arguments, link in (
        ([local], "a"),
        ([other, "--package", f"wheels={package}"], "b"),
        ([other, "--package", "wheels=wheels"], "b"),
        ([other, "--package-path", str(tmp_path / "parts")], "b"),
        ([inside], "c"),
    ):
        assert main(["expand", *arguments]) == 0, capsys.readouterr().err
        assert urdf.parse(capsys.readouterr().out).root_link == link


def test_packages_of_meshes_stay_as_they_are(tmp_path: Path) -> None:
    mesh = '<mesh filename="package://nowhere/a.stl"/>'
    link = f'<link name="a"><visual><geometry>{mesh}</geometry></visual></link>'
    assert "package://nowhere/a.stl" in expand(written(tmp_path / "m.xacro", robot(link)), Xacro())


def test_one_that_does_not_end(tmp_path: Path) -> None:
    path = written(tmp_path / "slow.xacro", robot('<link name="${9**9**9}"/>'))
    begin = time.monotonic()
    with pytest.raises(XacroError, match=r"does not end within 0\.5 s"):
        expand(path, Xacro(timeout_seconds=0.5))
    assert time.monotonic() - begin < 10


def test_one_that_takes_too_much_memory(tmp_path: Path) -> None:
    path = written(tmp_path / "large.xacro", robot('<link name="${len([1] * 10**9)}"/>'))
    with pytest.raises(XacroError, match="more than 512 MiB"):
        expand(path, Xacro(memory_bytes=512 << 20))


def test_a_child_that_dies_is_an_error_too(tmp_path: Path) -> None:
    path = written(tmp_path / "r.xacro", ARM)
    with pytest.raises(XacroError, match="without an answer"):
        expand(path, Xacro(memory_bytes=1 << 20))


def test_the_directory_of_a_file_is_not_imported_from(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('imported')")
    (tmp_path / "xacrodoc.py").write_text("raise SystemExit('imported')")
    assert "<robot" in expand(written(tmp_path / "r.xacro", ARM), Xacro())


def test_without_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')  # no site-packages
    bare.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(bare))
    monkeypatch.delenv("PYTHONPATH", raising=False)
    with pytest.raises(XacroError, match=r"pip install 'robot-gateway\[xacro\]' expected"):
        expand(written(tmp_path / "r.xacro", ARM), Xacro())


@pytest.mark.parametrize("command", ["check", "info", "tree", "graph", "format"])
def test_every_command_takes_xacro(command: str, tmp_path: Path, capsys: Capture) -> None:
    path = written(tmp_path / "arm.txt", ARM)
    if command != "format":  # what xacro is not expanded is XML all the same
        main([command, path])
        assert "$(arg length)" in "".join(capsys.readouterr())
    assert main([command, "--xacro", path]) == 0
    assert "base" in capsys.readouterr().out
    named = written(tmp_path / "arm.urdf.xacro", ARM.replace("${half}", "x"))
    assert main([command, named]) == (0 if command == "format" else 1)
    if command != "format":
        assert f"{named} (expanded):14:5: element:" in "".join(capsys.readouterr())


def test_diff_of_a_file_and_its_expansion(tmp_path: Path, capsys: Capture) -> None:
    path = written(tmp_path / "arm.xacro", ARM)
    out = str(tmp_path / "arm.urdf")
    assert main(["expand", path, "-o", out]) == 0
    assert main(["diff", path, out]) == 0
    assert main(["diff", path, out, "--arg", "length:=1"]) == 1
    assert "xyz: 0.5 0 0 -> 0.2 0 0" in capsys.readouterr().out
    assert main(["format", "--in-place", path]) == 1
    assert "not xacro" in capsys.readouterr().err
    assert main(["expand", path, "-o", str(tmp_path)]) == 1
    assert str(tmp_path) in capsys.readouterr().err


def test_what_xacro_warns_of_is_passed_on(tmp_path: Path, capsys: Capture) -> None:
    text = robot('<xacro:include filename="no*.xacro"/><link name="a"/>')
    assert main(["expand", written(tmp_path / "w.xacro", text)]) == 0
    assert "no*.xacro" in capsys.readouterr().err


def test_left_overs_are_warned_of(tmp_path: Path, capsys: Capture) -> None:
    path = written(tmp_path / "kept.urdf", '<robot name="r">\n<link name="$(arg side)_a"/></robot>')
    assert main(["check", path]) == 0
    assert f"{path}:2:13: left-over: warning: '$(arg side)'" in capsys.readouterr().out
    assert str(ROOT) not in path
