"""What docs/model.md shows works, and what it names is there."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import urdf
from kinematics import posture, spatial
from kinematics.multibody import build_multibody
from kinematics.orderings import ORDERINGS
from tests.support.heavy_robots import heavy_text
from tests.support.live import ROOT

PAGE = (ROOT / "docs/model.md").read_text("utf-8")
(TABLE,) = re.findall(r"^\| there \|.*?\n\n?((?:\|.*\n)+)", PAGE, re.MULTILINE)
SHOWN = sorted(set(re.findall(r"`((?:m|len|spatial|posture|np|\[j)\b[^`]*)`", TABLE)))


def test_the_example_runs() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(compile(example, "docs/model.md", "exec"), {})


def test_every_ordering_is_told() -> None:
    for name in ORDERINGS:
        assert f"| `{name}` |" in PAGE


@pytest.mark.parametrize("expression", SHOWN)
def test_every_counterpart_is_there(expression: str) -> None:
    m = build_multibody(urdf.parse(heavy_text(1, 9), "extended"))
    names: dict[str, Any] = {
        "m": m,
        "np": np,
        "spatial": spatial,
        "posture": SimpleNamespace(body_transforms=posture.body_transforms),
        "Posture": posture.Posture,
        "q": np.zeros(m.nv),
        "name": m.joint_names[0],
        "i": 1,
        "of": 0,
        "ids": [0, 1],
        "level": 0,
    }
    assert eval(expression, names) is not None
