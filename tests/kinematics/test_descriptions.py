"""What a worker holds of robot descriptions, and what it lets go."""

from __future__ import annotations

import orjson
import pytest

from kinematics import descriptions
from kinematics.descriptions import NOT_SET, Descriptions, describe
from tests.support.arm import ARM, arm


def encoded(value: object) -> bytes:
    return orjson.dumps(value)


def test_a_description_is_read_and_found_by_its_serial() -> None:
    held = Descriptions()
    loaded = held.load(7, 3, encoded(ARM))
    assert held.get(7) is loaded
    assert loaded.version == 3
    assert loaded.refusal == ""
    assert loaded.milliseconds > 0
    assert loaded.model is not None
    assert loaded.model.joint_names == ("j",)


@pytest.mark.parametrize("value", [None, 5, [], {}, "", "<robot", "x" * 100])
def test_what_is_no_robot_is_held_with_its_refusal(value: object) -> None:
    held = Descriptions()
    loaded = held.load(1, 1, encoded(value))
    assert held.get(1) is loaded
    assert loaded.model is None
    assert loaded.refusal


def test_the_same_text_is_read_once() -> None:
    held = Descriptions()
    first = held.load(1, 1, encoded(ARM))
    again = held.load(2, 2, encoded(ARM))
    assert again.model is first.model
    assert again.version == 2
    assert again.milliseconds < first.milliseconds


def test_serial_0_is_no_description() -> None:
    held = Descriptions()
    assert held.get(0) is NOT_SET
    assert (NOT_SET.version, NOT_SET.model, NOT_SET.refusal) == (0, None, "")


def test_a_description_that_is_withdrawn_is_gone_its_content_is_kept() -> None:
    held = Descriptions()
    first = held.load(1, 1, encoded(ARM))
    held.forget(1)
    held.forget(1)  # twice does no harm
    with pytest.raises(KeyError):
        held.get(1)
    assert held.load(2, 2, encoded(ARM)).model is first.model


def test_the_content_used_last_is_kept_longest() -> None:
    held = Descriptions()
    texts = [arm(('name="arm"', f'name="{i}"')) for i in range(descriptions.KEPT_MODELS + 1)]
    models = [held.load(i + 1, 1, encoded(text)).model for i, text in enumerate(texts[:-1])]
    assert held.load(100, 1, encoded(texts[0])).model is models[0]
    held.load(101, 1, encoded(texts[-1]))  # one too many: the second goes, the first was used
    assert held.load(102, 1, encoded(texts[0])).model is models[0]
    assert held.load(103, 1, encoded(texts[1])).model is not models[1]


def test_what_the_log_is_told() -> None:
    held = Descriptions()
    good = orjson.loads(describe(held.load(1, 4, encoded(ARM))))
    assert good.pop("milliseconds") > 0
    assert good == {"version": 4, "robot": "arm", "root_link": "a", "links": 2, "joints": 1}
    bad = held.load(2, 5, encoded(5))
    assert orjson.loads(describe(bad)) == {
        "version": 5,
        "milliseconds": bad.milliseconds,
        "refusal": bad.refusal,
    }
