"""Read the fields of a request's JSON objects, with a complaint that says what to send.

Every reader takes the value and `where`, the field's path as the client would write
it (`target.position.x`), and raises `KinematicsError` with code `invalid_request`:
the field, what came, what would be right.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, TypeGuard

import numpy as np
import orjson

from kinematics.arrays import FloatArray
from kinematics.errors import KinematicsError, quote

Object = Mapping[str, object]

MISSING: Final = object()  # JSON null is a value, and a wrong one: absence needs its own mark
QUATERNION_NORM_TOLERANCE: Final = 1e-3  # the contract's: further off is a mistake, not rounding
NUMBER_TYPES: Final = frozenset({int, float})
IGNORED_NAMES: Final = 100  # of surplus fields listed: a misspelling is one, a flood is not


def show(value: object) -> str:
    """Return a short, printable picture of a JSON value for an error sentence."""
    if value is MISSING:
        return "nothing"
    match value:
        case str():
            return f"the string {quote(value)}"
        case list():
            return f"an array of {len(value)}"
        case dict():
            return "an object"
        case _:
            return orjson.dumps(value).decode()


def wrong(where: str, value: object, right: str) -> KinematicsError:
    """Return the error for a field that is missing or of the wrong kind."""
    if value is MISSING:
        return KinematicsError("invalid_request", f"'{where}' is missing; {right} expected")
    return KinematicsError("invalid_request", f"'{where}' is {show(value)}; {right} expected")


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def object_of(value: object, where: str, right: str = "an object") -> Object:
    """Return a JSON object."""
    if not isinstance(value, dict):
        raise wrong(where, value, right)
    return value


def string(value: object, where: str) -> str:
    """Return a string."""
    if not isinstance(value, str):
        raise wrong(where, value, "a string")
    return value


def number(value: object, where: str) -> float:
    """Return a finite number as a float."""
    if not _is_number(value):
        raise wrong(where, value, "a number")
    return float(value)


def number_between(value: object, where: str, low: float, high: float) -> float:
    """Return a number in the closed range."""
    right = f"a number from {low:g} to {high:g}"
    if not _is_number(value) or not low <= value <= high:
        raise wrong(where, value, right)
    return float(value)


def positive_number(value: object, where: str) -> float:
    """Return a number above 0."""
    if not _is_number(value) or value <= 0:
        raise wrong(where, value, "a number above 0")
    return float(value)


def integer_between(value: object, where: str, low: int, high: int) -> int:
    """Return an integer in the closed range."""
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise wrong(where, value, f"an integer from {low} to {high}")
    return value


def strings(value: object, where: str) -> list[str]:
    """Return an array of strings."""
    if not isinstance(value, list):
        raise wrong(where, value, "an array of strings")
    for i, item in enumerate(value):
        if not isinstance(item, str):
            raise wrong(f"{where}[{i}]", item, "a string")
    return value


def numbers(value: object, where: str) -> list[float]:
    """Return an array of numbers."""
    if not isinstance(value, list):
        raise wrong(where, value, "an array of numbers")
    if not NUMBER_TYPES.issuperset(map(type, value)):  # a look at all before one at each
        for i, item in enumerate(value):
            if not _is_number(item):
                raise wrong(f"{where}[{i}]", item, "a number")
    return value


def each_once(names: Iterable[str], where: str) -> None:
    """Refuse a name that is given twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise KinematicsError(
                "invalid_request", f"'{where}' has {quote(name)} twice; once expected"
            )
        seen.add(name)


def vector(value: object, where: str) -> FloatArray:
    """Return a `geometry_msgs/Point` as an array (3,)."""
    fields = object_of(value, where, 'an object {"x":…,"y":…,"z":…}')
    return np.array([number(fields.get(k, MISSING), f"{where}.{k}") for k in "xyz"])


def quaternion(value: object, where: str) -> FloatArray:
    """Return a `geometry_msgs/Quaternion` as a unit array (4,), x y z w."""
    fields = object_of(value, where, 'an object {"x":…,"y":…,"z":…,"w":…}')
    q = np.array([number(fields.get(k, MISSING), f"{where}.{k}") for k in "xyzw"])
    with np.errstate(over="ignore"):  # a huge component has the norm inf, which is refused
        norm = float(np.sqrt(q @ q))
    if not abs(norm - 1.0) <= QUATERNION_NORM_TOLERANCE:
        raise KinematicsError(
            "invalid_request",
            f"'{where}' has norm {norm:.6g}; a unit quaternion expected "
            f"(within {QUATERNION_NORM_TOLERANCE:g} of 1)",
        )
    return q / norm


def unknown_fields(fields: Object, known: frozenset[str], where: str = "") -> list[str]:
    """Return the names of the fields that nothing reads, as paths, for `values.ignored`."""
    surplus = [f"{where}{name}" for name in fields if name not in known]
    return surplus[:IGNORED_NAMES]
