"""Numbers against a second reader of them: a state machine, and exact rational arithmetic."""

from __future__ import annotations

import math
import sys
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from urdf.scalars import number, vector

# state -> what comes -> next state; the states that a number may end in
STEPS = {
    "start": {"sign": "signed", "digit": "whole", "dot": "bare dot"},
    "signed": {"digit": "whole", "dot": "bare dot"},
    "whole": {"digit": "whole", "dot": "fraction", "e": "exponent"},
    "bare dot": {"digit": "fraction"},
    "fraction": {"digit": "fraction", "e": "exponent"},
    "exponent": {"sign": "signed exponent", "digit": "exponent digits"},
    "signed exponent": {"digit": "exponent digits"},
    "exponent digits": {"digit": "exponent digits"},
}
ENDS = {"whole", "fraction", "exponent digits"}
KINDS = {**dict.fromkeys("0123456789", "digit"), "+": "sign", "-": "sign", ".": "dot"}
KINDS |= {"e": "e", "E": "e"}

LARGEST = Fraction(sys.float_info.max)
TOO_LARGE = LARGEST + Fraction(math.ulp(sys.float_info.max)) / 2  # rounds to infinity from here on

TOKENS = st.text("0123456789+-.eE", min_size=1, max_size=9) | st.text("01.e-xN_,\u0661", min_size=1)


def is_number(token: str) -> bool:
    state: str | None = "start"
    for character in token:
        state = STEPS[state].get(KINDS.get(character, "other")) if state is not None else None
    return state in ENDS


def exact(token: str) -> Fraction:
    """Return the number that a token stands for; exponents here are small enough to write out."""
    mantissa, _, exponent = token.lower().partition("e")
    whole, _, fraction = mantissa.partition(".")
    sign = -1 if whole.startswith("-") else 1
    digits = (whole.lstrip("+-") + fraction) or "0"
    return sign * Fraction(int(digits)) * Fraction(10) ** (int(exponent or "0") - len(fraction))


@given(TOKENS)
@example("1e400")
@example(".e1")
@example("1_0")
def test_the_pattern(token: str) -> None:
    try:
        value = number(token)
    except ValueError:
        assert not is_number(token) or int(token.lower().partition("e")[2] or "0") > 290
    else:
        assert is_number(token)
        assert math.isfinite(value)


@given(st.from_regex(r"\A[+-]?([0-9]{1,25}(\.[0-9]{0,25})?|\.[0-9]{1,25})([eE][+-]?[0-9]{1,3})?\Z"))
@example("1.7976931348623157e308")
@example("1.7976931348623158e308")
@example("1.7976931348623159e308")
@example("4.9e-324")
@example("2.4e-324")
def test_the_value_is_the_nearest_double(token: str) -> None:
    wanted = exact(token)
    if abs(wanted) >= TOO_LARGE:
        with pytest.raises(ValueError, match="too large for a double"):
            number(token)
        return
    assert number(token) == float(wanted)


def test_underflow_is_zero_and_long_literals_are_exact() -> None:
    assert number("1e-400") == 0.0
    assert number("-1e-99999999999999999999") == 0.0
    assert number("0e99999999999999999999") == 0.0
    assert number("1" + "0" * 400 + "e-400") == 1.0
    assert number("0." + "0" * 400 + "1e401") == 1.0


@pytest.mark.parametrize("space", ["\u00a0", "\u0085", "\u2003", "\v", "\f", "\x1c", "\u3000"])
def test_only_the_white_space_of_xml_parts_numbers(space: str) -> None:
    assert vector(" 1\t2\r\n3 ") == (1.0, 2.0, 3.0)
    for text in (f"1{space}2{space}3", f"1 2 3{space}", f"{space}1 2 3", f"1 2{space} 3"):
        with pytest.raises(ValueError, match="but holds"):
            vector(text)
    with pytest.raises(ValueError, match="but holds"):
        number(f"1{space}")


@pytest.mark.parametrize(
    "token", ["nan", "-inf", "infinity", "0x10", "0x1p3", "1_000", "1e999", "\u0661", "\uff11.5"]
)
def test_what_python_or_c_would_take_is_refused(token: str) -> None:
    with pytest.raises(ValueError, match="but"):
        number(token)
