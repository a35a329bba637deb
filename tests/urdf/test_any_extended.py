"""Full descriptions, damaged anyhow: a robot or a refusal, and every command bears the robot."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import urdf
from tests.support.full import FULL
from urdf.__main__ import main
from urdf.command_diff import differences
from urdf.command_format import formatted
from urdf.command_graph import dot
from urdf.command_tree import drawn
from urdf.finding import leftovers
from urdf.mimic import flatten

PIECES = st.sampled_from(
    ["0", "-1", "1e308", "-1e308", "1e-320", "9" * 400, "nan", '"', " ", "/>", "<inertial>", "<!--",
     "-->", "<?pi x?>", "${x}", "$(", "shoulder", "knuckle", "base", "\n", "&#13;", "é", "floating",
     "planar", "spherical", "fixed", "screw", "<![CDATA[<a>]]>", "text &amp; more"]
)  # fmt: skip
DAMAGE = st.tuples(st.integers(0, len(FULL)), st.integers(0, 12), PIECES | st.text(max_size=3))
NUMBERS = [part for part in FULL.replace('"', " ").split() if part.replace(".", "").isdigit()]


def bears(text: str) -> urdf.Robot | None:
    """Parse and show; whatever is no `UrdfError` goes through and fails the test."""
    for finding in leftovers(text):
        assert finding.line <= text.count("\n") + 1
    try:
        robot = urdf.parse(text, "extended")
    except urdf.UrdfError as error:
        assert str(error).isprintable()  # noqa: PT017 - either end is right
        return None
    for finding in urdf.findings(robot):
        assert finding.sentence.isprintable()
        assert 1 <= finding.line <= text.count("\n") + 1
    assert list(differences(robot, robot)) == []
    assert len(list(drawn(robot))) == len(robot.links)
    assert len(list(dot(robot))) >= len(robot.links)
    for name, mimic in flatten(robot.joints).items():
        assert name != mimic.joint
    assert urdf.parse(formatted(text), "extended") == robot
    return robot


@settings(max_examples=300)
@example([(FULL.index("<robot"), 0, "<?pi x?>")])
@given(st.lists(DAMAGE, min_size=1, max_size=3))
def test_a_damaged_description(damages: list[tuple[int, int, str]]) -> None:
    text = FULL
    for at, gone, piece in damages:
        text = text[:at] + piece + text[at + gone :]
    bears(text)


@settings(max_examples=200)
@given(st.integers(0, len(NUMBERS) - 1), st.sampled_from(["0", "-3", "1e308", "-1e308", "1e-320"]))
def test_any_number(which: int, number: str) -> None:
    old = f'"{NUMBERS[which]}"'
    assert bears(FULL.replace(old, f'"{number}"')) is not None


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(DAMAGE, max_size=2))
def test_any_file_through_the_commands(tmp_path: Path, damages: list[tuple[int, int, str]]) -> None:
    text = FULL
    for at, gone, piece in damages:
        text = text[:at] + piece + text[at + gone :]
    path = tmp_path / "any.urdf"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for command in (
            ["check", "--extended"],
            ["info"],
            ["info", "--format", "json"],
            ["format"],
        ):
            assert main([*command, str(path)]) in {0, 1}
        assert main(["diff", str(path), str(path)]) in {0, 2}


@pytest.mark.parametrize("count", [1, 200_000])
def test_comments_without_an_end_cost_no_more_than_their_length(count: int) -> None:
    (found,) = leftovers("<!-- ${a} -->" + "<!--" * count + "\n ${b}")
    assert (found.line, found.column) == (2, 2)


def test_a_description_that_is_all_left_over_is_told_of_some_times() -> None:
    assert len(leftovers("${a}" * 1000)) == 20


def test_moments_too_large_for_a_double_are_no_bodys() -> None:
    text = FULL.replace('ixy="0.1"', 'ixy="1e308"').replace('ixx="1"', 'ixx="-1e308"')
    rules = {finding.rule for finding in urdf.findings(urdf.parse(text, "extended"))}
    assert rules == {"inertia"}
