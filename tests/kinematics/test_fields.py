"""Each reader of a field: what it takes, and the sentence for everything else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kinematics import fields
from kinematics.errors import KinematicsError
from kinematics.fields import MISSING

Reader = Callable[[object, str], Any]


def between(value: object, where: str) -> float:
    return fields.number_between(value, where, 0.0, 10.0)


def whole_between(value: object, where: str) -> int:
    return fields.integer_between(value, where, 1, 64)


WRONG: list[tuple[Reader, str, list[object]]] = [
    (fields.object_of, "an object", [MISSING, None, True, 1, 0.5, "x", [1, 2]]),
    (fields.string, "a string", [MISSING, None, False, 1, 0.5, {}, []]),
    (fields.number, "a number", [MISSING, None, True, "1", {}, [1]]),
    (between, "a number from 0 to 10", [MISSING, None, True, "1", {}, [], -1e-9, 10.1, 1e300]),
    (fields.positive_number, "a number above 0", [MISSING, None, True, "1", {}, [], 0, 0.0, -1]),
    (whole_between, "an integer from 1 to 64", [MISSING, None, True, "1", {}, 0, 65, 1.0, 10**18]),
    (fields.strings, "an array of strings", [MISSING, None, True, 1, "x", {}]),
    (fields.numbers, "an array of numbers", [MISSING, None, True, 1, "x", {}]),
    (fields.vector, 'an object {"x":…,"y":…,"z":…}', [MISSING, None, True, 1, "x", [0, 0, 0]]),
    (fields.quaternion, 'an object {"x":…,"y":…,"z":…,"w":…}', [MISSING, None, 1, [0, 0, 0, 1]]),
]


@pytest.mark.parametrize(
    ("reader", "right", "value"),
    [
        pytest.param(reader, right, value, id=f"{right}, not {value!r:.20}")
        for reader, right, values in WRONG
        for value in values
    ],
)
def test_a_wrong_value_is_refused_with_what_would_be_right(
    reader: Reader, right: str, value: object
) -> None:
    with pytest.raises(KinematicsError) as refused:
        reader(value, "a.b")
    assert refused.value.code == "invalid_request"
    came = "missing" if value is MISSING else fields.show(value)
    assert str(refused.value) == f"'a.b' is {came}; {right} expected"


@pytest.mark.parametrize(
    ("reader", "value", "sentence"),
    [
        (fields.strings, ["a", 1], "'a.b[1]' is 1; a string expected"),
        (fields.strings, [None], "'a.b[0]' is null; a string expected"),
        (fields.numbers, [0, 1.5, "2"], "'a.b[2]' is the string '2'; a number expected"),
        (fields.numbers, [True], "'a.b[0]' is true; a number expected"),
        (fields.vector, {"x": 1, "y": 2}, "'a.b.z' is missing; a number expected"),
        (fields.vector, {"x": 1, "y": [], "z": 0}, "'a.b.y' is an array of 0; a number expected"),
        (
            fields.quaternion,
            {"x": 0, "y": 0, "z": 0, "w": "1"},
            "'a.b.w' is the string '1'; a number expected",
        ),
        (
            fields.quaternion,
            {"x": 0, "y": 0, "z": 0},
            "'a.b.w' is missing; a number expected",
        ),
    ],
)
def test_a_wrong_part_is_named(reader: Reader, value: object, sentence: str) -> None:
    with pytest.raises(KinematicsError) as refused:
        reader(value, "a.b")
    assert str(refused.value) == sentence


def test_right_values_are_taken() -> None:
    assert fields.object_of({"x": 1}, "f") == {"x": 1}
    assert fields.string("", "f") == ""
    assert fields.number(3, "f") == 3.0
    assert type(fields.number(3, "f")) is float
    assert (between(0, "f"), between(10, "f")) == (0.0, 10.0)
    assert fields.positive_number(5e-324, "f") == 5e-324
    assert (whole_between(1, "f"), whole_between(64, "f")) == (1, 64)
    assert fields.strings([], "f") == []
    assert fields.numbers([1, 0.5], "f") == [1, 0.5]
    assert fields.vector({"x": 1, "y": 2, "z": 3, "more": 4}, "f").tolist() == [1, 2, 3]


@pytest.mark.parametrize("norm", [1.0, 0.9991, 1.0009])
def test_a_quaternion_is_normalised_if_it_nearly_is(norm: float) -> None:
    unit = np.array([0.5, -0.5, 0.1, 0.7])
    unit /= np.linalg.norm(unit)
    given = dict(zip("xyzw", (unit * norm).tolist(), strict=True))
    assert fields.quaternion(given, "f") == pytest.approx(unit, abs=1e-15)


@pytest.mark.parametrize(
    ("w", "norm"), [(0, "0"), (2, "2"), (1.002, "1.002"), (0.998, "0.998"), (1e200, "inf")]
)
def test_a_quaternion_of_another_length_is_refused(w: float, norm: str) -> None:
    with pytest.raises(KinematicsError) as refused:
        fields.quaternion({"x": 0, "y": 0, "z": 0, "w": w}, "target.orientation")
    assert str(refused.value) == (
        f"'target.orientation' has norm {norm}; a unit quaternion expected (within 0.001 of 1)"
    )


def test_a_tiny_quaternion_is_refused_and_no_division_by_zero() -> None:
    with pytest.raises(KinematicsError, match="has norm 0; a unit quaternion"):
        fields.quaternion({"x": 0, "y": 0, "z": 0, "w": 1e-200}, "q")


def test_a_name_may_come_once() -> None:
    fields.each_once(["a", "b", "A"], "joints")
    with pytest.raises(KinematicsError, match="'joints' has 'b' twice; once expected"):
        fields.each_once(["a", "b", "b", "b"], "joints")


def test_what_is_shown_is_short_and_printable() -> None:
    assert fields.show(MISSING) == "nothing"
    assert fields.show(None) == "null"
    assert fields.show(1.5e300) == "1.5e+300"
    assert fields.show({"a": 1}) == "an object"
    assert fields.show("a\n\x00b") == r"the string 'a\n\x00b'"
    assert len(fields.show("x" * 10_000)) < 100


def test_fields_that_nothing_reads_are_listed_up_to_a_bound() -> None:
    known = frozenset({"link"})
    assert fields.unknown_fields({"link": 1, "lnik": 2}, known) == ["lnik"]
    assert fields.unknown_fields({"y": 1}, known, "target.") == ["target.y"]
    flood = {str(i): 0 for i in range(1000)}
    assert len(fields.unknown_fields(flood, known)) == fields.IGNORED_NAMES
