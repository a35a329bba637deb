"""The extended reading refuses what the strict one does, but for types that only it knows."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

import urdf
from tests.test_conformance import CASES, GENERATE

# What it looks at and the strict reading skips: cases hold something malformed there.
LOOKED_AT = re.compile(
    "effort|velocity|rgba|<collision>|<visual> [12]|<mimic>|<inertial>|<dynamics>"
)


def verdict(value: object, profile: str) -> urdf.Robot | urdf.UrdfError:
    try:
        return urdf.parse(value, profile)
    except urdf.UrdfError as error:
        return error


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in CASES])
def test_both_readings_agree(case: dict[str, Any]) -> None:
    value = GENERATE.case_value(case)
    strict, full = verdict(value, "strict"), verdict(value, "extended")
    if isinstance(strict, urdf.UnsupportedJointTypeError):
        return
    if isinstance(strict, urdf.UrdfError):
        assert isinstance(full, urdf.UrdfError)
        return
    if isinstance(full, urdf.UrdfError):
        assert LOOKED_AT.search(str(full))
        return
    assert (strict.name, strict.root_link) == (full.name, full.root_link)
    assert [link.name for link in strict.links] == [link.name for link in full.links]
    for said, read in zip(strict.joints, full.joints, strict=True):
        assert said == replace(
            read, limit=said.limit, mimic=None, dynamics=None, safety=None, pitch=0.0
        )
        if said.limit is not None and read.limit is not None:
            assert (said.limit.lower, said.limit.upper) == (read.limit.lower, read.limit.upper)
