"""Every conformance case: the verdict, the root link and the poses that a robot must have."""

from __future__ import annotations

import importlib.util
import json
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import urdf
from tests.support import plain_fk

HERE = Path(__file__).parent / "data" / "conformance"
CASES: list[dict[str, Any]] = [
    json.loads(line)
    for line in (HERE / "urdf_cases.jsonl").read_text(encoding="utf-8").splitlines()
]


def _generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("conformance_generate", HERE / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATE = _generator()


def _with(verdict: str) -> list[Any]:
    return [pytest.param(case, id=case["id"]) for case in CASES if case["verdict"] == verdict]


def test_the_cases_are_all_there() -> None:
    assert Counter(case["verdict"] for case in CASES) == {
        "accept": 176,
        "reject": 223,
        "unspecified": 54,
    }
    assert len({case["id"] for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", _with("accept"))
def test_is_accepted_with_its_root_and_its_poses(case: dict[str, Any]) -> None:
    robot = urdf.parse(GENERATE.case_value(case))
    assert robot.root_link == case["root"]
    for configuration in case.get("fk", []):
        found = plain_fk.poses(robot, configuration["joints"])
        for link, wanted in configuration["poses"].items():
            assert plain_fk.agree(found[link], tuple(wanted)), (link, found[link], wanted)


@pytest.mark.parametrize("case", _with("reject"))
def test_is_refused(case: dict[str, Any]) -> None:
    with pytest.raises(urdf.UrdfError):
        urdf.parse(GENERATE.case_value(case))


@pytest.mark.parametrize("case", _with("unspecified"))
def test_ends_in_a_robot_or_a_refusal_where_either_is_right(case: dict[str, Any]) -> None:
    try:
        robot = urdf.parse(GENERATE.case_value(case))
    except urdf.UrdfError as error:
        assert str(error)  # noqa: PT017 - either ending is right, but a refusal says why
    else:
        assert set(plain_fk.poses(robot, {})) == {link.name for link in robot.links}
