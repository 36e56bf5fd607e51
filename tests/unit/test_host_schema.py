"""Schemas: local JSON Schema 2020-12 and nothing else, and problems said in our words, all at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from capdeco.host.schema import UnsupportedSchema, compile_schema

CLOSED = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "columns": {"type": "integer", "minimum": 1},
        "mode": {"enum": ["fast", "slow"]},
        "layout": {"$ref": "#/$defs/layout"},
    },
    "required": ["path"],
    "additionalProperties": False,
    "$defs": {"layout": {"type": "object", "properties": {"gap": {"type": "number"}}, "additionalProperties": False}},
}


def test_all_problems_are_said_at_once_with_their_paths() -> None:
    problems = compile_schema(CLOSED).problems({"columns": 0, "mode": "quick", "layout": {"gap": "wide"}})
    assert sorted(problems) == [
        "columns: must be at least 1",
        "layout.gap: must be number, not string",
        'mode: must be one of "fast", "slow"',
        "path: is required",
    ]


def test_an_undeclared_field_names_the_near_miss_at_every_depth() -> None:
    problems = compile_schema(CLOSED).problems({"path": "x", "colums": 2, "layout": {"gape": 1}})
    assert sorted(problems) == [
        "colums: not a known field; did you mean columns?",
        "layout.gape: not a known field; did you mean gap?",
    ]


def test_a_closed_object_without_properties_names_every_field_at_fault() -> None:
    problems = compile_schema({"type": "object", "additionalProperties": False}).problems({"a": 1, "b": 2})
    assert problems == ["a: not a known field", "b: not a known field"]


def test_two_point_zero_is_an_integer_and_true_is_none() -> None:
    integer = compile_schema({"properties": {"n": {"type": "integer"}}})
    assert integer.accepts({"n": 2.0})
    assert not integer.accepts({"n": True})


def test_problems_quote_no_value() -> None:
    said = " ".join(compile_schema(CLOSED).problems({"path": 1, "columns": "hunter2", "mode": "hunter2"}))
    assert "hunter2" not in said


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "https://example.com/schema.json"},
        {"properties": {"a": {"$ref": "file:///etc/passwd"}}},
        {"properties": {"a": {"items": {"$ref": "other.json"}}}},
        {"$dynamicRef": "https://example.com/x#a"},
        {"$ref": "#/$defs/nowhere"},
        {"$ref": "https://json-schema.org/draft/2020-12/schema"},
        {"$schema": "http://json-schema.org/draft-04/schema#", "type": "object"},
        {"$schema": "https://example.com/dialect"},
        {"type": "weird"},
        {"items": [{}]},
        {"minLength": -1},
        {"pattern": "("},
        {"default": object()},
        True,
        [],
    ],
    ids=str,
)
def test_everything_but_local_json_schema_2020_12_is_refused(schema: Any) -> None:
    with pytest.raises(UnsupportedSchema):
        compile_schema(schema)


def test_a_refusal_quotes_nothing_of_the_schema(tmp_path: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text('{"type": "hunter2"}', encoding="utf-8")
    for schema in ({"$ref": secret.as_uri()}, {"type": "hunter2"}, {"properties": {"hunter2": {"type": "x"}}}):
        with pytest.raises(UnsupportedSchema) as refusal:
            compile_schema(schema)
        assert "hunter2" not in str(refusal.value)
        assert str(tmp_path) not in str(refusal.value)


def test_data_that_looks_like_a_reference_is_data() -> None:
    schema = compile_schema({"properties": {"a": {"const": {"$ref": "https://example.com"}}}})
    assert schema.accepts({"a": {"$ref": "https://example.com"}})


def test_a_closed_root_keeps_what_it_declares_also_by_pattern() -> None:
    schema = compile_schema({"properties": {"a": {}}, "patternProperties": {"^x_": {}}, "additionalProperties": False})
    assert schema.declared({"a": 1, "x_b": 2, "c": 3}) == {"a": 1, "x_b": 2}


def test_an_open_root_keeps_everything() -> None:
    assert compile_schema({"type": "object"}).declared({"a": 1}) == {"a": 1}


def test_an_alternative_says_what_would_do() -> None:
    schema = compile_schema({"properties": {"n": {"anyOf": [{"type": "string"}, {"type": "null"}]}}})
    assert schema.problems({"n": 3}) == ["n: must be string or null"]
