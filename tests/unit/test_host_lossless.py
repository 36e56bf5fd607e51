"""Lossless JSON: what is taken comes back equal, and everything else is refused with its place."""

from __future__ import annotations

import datetime
import decimal
import enum
import math
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capdeco.host.lossless import NotLossless, from_json, to_json

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False).filter(
    lambda number: number != 0 or math.copysign(1, number) > 0
)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    max_leaves=20,
)


@given(JSON)
def test_plain_json_comes_back_equal_and_detached(value: Any) -> None:
    json, copy = to_json(value)
    assert copy == value == from_json(json)
    assert copy is not value or not isinstance(value, dict | list)


def cycle() -> Any:
    inner: dict[str, Any] = {}
    inner["again"] = [inner]
    return inner


class Colour(enum.Enum):
    RED = "red"


@pytest.mark.parametrize(
    ("value", "place"),
    [
        (math.nan, "nan"),
        ({"a": [1, math.inf]}, "a[1]"),
        ([-0.0], "[0]"),
        ({"a": {1: 2}}, "a: the key 1"),
        ((1, 2), "tuple"),
        ({1, 2}, "set"),
        (b"bytes", "bytes"),
        (object(), "object"),
        (datetime.datetime(2026, 1, 1), "datetime"),
        (decimal.Decimal(1), "Decimal"),
        (Colour.RED, "Colour"),
        ("half \ud83d", "surrogate"),
        ({"half \ud83d": 1}, "surrogate"),
        (cycle(), "contains itself"),
        (msgspec.UNSET, "UnsetType"),
        (msgspec.Raw(b"1"), "Raw"),
    ],
    ids=str,
)
def test_what_json_cannot_say_is_refused_and_the_message_says_where(value: Any, place: str) -> None:
    with pytest.raises(NotLossless) as refusal:
        to_json(value)
    assert place in str(refusal.value)


def test_text_that_looks_like_negative_zero_is_text() -> None:
    assert to_json({"a": "-0.0", "b": -0.05})[1] == {"a": "-0.0", "b": -0.05}


def test_nesting_without_end_is_refused_and_not_a_crash() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(NotLossless):
        to_json(deep)


def test_parts_that_were_encoded_before_are_taken_as_they_are() -> None:
    json, copy = to_json({"steps": [{"value": msgspec.Raw(b'{"x":[1,2]}')}]}, parts=True)
    assert json == b'{"steps":[{"value":{"x":[1,2]}}]}'
    assert copy == {"steps": [{"value": {"x": [1, 2]}}]}


@pytest.mark.parametrize("value", [math.nan, (1,), {1: 1}, -0.0, b"x"])
def test_what_stands_around_parts_is_held_to_the_same_rules(value: Any) -> None:
    with pytest.raises(NotLossless):
        to_json({"part": msgspec.Raw(b"1"), "value": value}, parts=True)


@pytest.mark.parametrize("part", [b"{", b"NaN", b"[-0.0]", b"1e999", b""])
def test_a_forged_part_is_found(part: bytes) -> None:
    with pytest.raises(NotLossless):
        to_json({"part": msgspec.Raw(part)}, parts=True)


@pytest.mark.parametrize("json", [b"", b"{", b"NaN", b"-0.0", b"[-0e5]", b"1e999", b'"\\ud800"', b"\xff"])
def test_foreign_json_is_checked_too(json: bytes) -> None:
    with pytest.raises(NotLossless):
        from_json(json)
