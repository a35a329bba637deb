"""A short run of what scripts/fuzz does for as long as asked."""

from __future__ import annotations

import logging
import random

import pytest

from tests.support.fuzzing import TARGETS

RUNS = 300


@pytest.mark.parametrize("name", TARGETS)
def test_random_inputs(name: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)
    for seed in range(RUNS):
        TARGETS[name](random.Random(seed))
    assert "gateway error" not in caplog.text
