"""Capabilities that are declared as data."""

from __future__ import annotations

from typing import Any

import pytest

from capdeco.declare.mapping import read_capability
from capdeco.declare.parameters import compile_parameters, compile_value
from capdeco.errors import DeclarationError

SEED: dict[str, Any] = {
    "id": "pdf",
    "description": "Read a PDF document: text, layout and OCR in one deterministic sequence.",
    "operations": [
        {
            "name": "analyze",
            "description": "Extract text and layout from a PDF in one call.",
            "parameters": {"path": {"type": "string", "required": True}},
            "steps": [{"tool": "pdf_extract"}, {"tool": "pdf_layout", "from": "layout"}],
        }
    ],
}


def changed(**parts: Any) -> dict[str, Any]:
    """The seed with these parts of its only operation replaced; `None` takes a part away."""
    operation = {**SEED["operations"][0], **parts}
    return {**SEED, "operations": [{key: each for key, each in operation.items() if each is not None}]}


def refusal(declared: object) -> tuple[str, str]:
    with pytest.raises(DeclarationError) as caught:
        read_capability(declared)
    (found,) = caught.value.diagnostics
    return found.rule, str(found)


def test_the_seeds_own_declaration_is_read() -> None:
    capability = read_capability(SEED)
    (operation,) = capability.operations
    assert (capability.id, capability.tool_name(operation)) == ("pdf", "pdf_analyze")
    assert [(step.tool, step.from_) for step in operation.steps] == [("pdf_extract", None), ("pdf_layout", "layout")]


@pytest.mark.parametrize(
    ("declared", "rule", "mentions"),
    [
        (None, "capability-shape", ["None"]),
        ({**SEED, "id": "Pdf"}, "capability-id", ["Pdf"]),
        ({**SEED, "description": "\u200b "}, "capability-description", ["pdf"]),
        ({**SEED, "operations": []}, "operations", ["pdf"]),
        ({**SEED, "operation": []}, "capability-shape", ["operation", 'did you mean "operations"']),
        (changed(name="Analyze"), "operation-name", ["pdf", "Analyze"]),
        (changed(description=None), "operation-description", ["pdf.analyze"]),
        (changed(parameter={}), "operation-shape", ["pdf.analyze", 'did you mean "parameters"']),
        (changed(steps=None), "steps", ["pdf.analyze"]),
        (changed(steps=[{"tool": "a"}, {"tool": "b", "form": "x"}]), "step-shape", ["step 2", 'did you mean "from"']),
        (changed(steps=[{"tool": "a.b"}]), "step-tool", ["step 1 of pdf.analyze", "a.b"]),
        (changed(steps=[{"tool": "a", "from": "Layout"}]), "step-from", ["step 1 of pdf.analyze", "Layout"]),
        (changed(parameters={"p": {"type": "text"}}), "unsupported-schema", ["pdf.analyze", '"p"', "text"]),
        (changed(name="a" * 61), "generated-name", ["pdf", "a" * 61]),
    ],
)
def test_what_is_wrong_is_refused_saying_what_where_and_what_to_do(
    declared: object, rule: str, mentions: list[str]
) -> None:
    found, text = refusal(declared)
    assert found == rule
    assert [each for each in mentions if each not in text] == []


def test_changing_the_mapping_afterwards_changes_nothing() -> None:
    declared = changed()
    capability = read_capability(declared)
    declared["operations"][0]["steps"].clear()
    declared["operations"][0]["parameters"]["path"]["type"] = "integer"
    assert len(capability.operations[0].steps) == 2
    assert "integer" not in str(capability.operations[0].takes)


def test_parameters_compile_to_json_schema() -> None:
    assert compile_parameters(
        {
            "path": {"type": "string", "required": True, "description": "Where."},
            "mode": {"enum": ["fast", None], "default": "fast"},
            "any": {"type": "json"},
            "rows": {"type": "array", "items": {"type": "object", "additionalProperties": False}},
            "either": {"oneOf": [{"type": "integer"}, {"type": "string"}]},
        }
    ) == {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Where."},
            "mode": {"enum": ["fast", None], "default": "fast"},
            "any": {},
            "rows": {"type": "array", "items": {"type": "object", "additionalProperties": False}},
            "either": {"oneOf": [{"type": "integer"}, {"type": "string"}]},
        },
        "required": ["path"],
    }


@pytest.mark.parametrize(
    "node",
    [
        {"type": "object"},
        {"type": "object", "additionalProperties": {}},
        {"type": "string", "minLength": 1},
        {"type": "string", "items": {}},
        {"type": "array", "enum": [1]},
        {"type": ["string", "null"]},
        {"enum": []},
        {"enum": [[1]]},
        {"const": {}},
        {"oneOf": [{"type": "string"}]},
        {"oneOf": [{"type": "string"}, {}], "type": "string"},
        {"type": "array", "items": {"required": True}},
        {"description": 3},
        "string",
    ],
)
def test_what_the_parameter_language_does_not_know_is_refused_and_never_ignored(node: object) -> None:
    with pytest.raises(DeclarationError, match="capdeco-declaration"):
        compile_value(node)
