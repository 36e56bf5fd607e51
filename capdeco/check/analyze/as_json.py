"""The report as JSON; `report.schema.json` beside this file says its form, which only ever grows."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any, Final

from capdeco.check.analyze.propose import propose
from capdeco.check.analyze.records import Dynamic, Found, FoundCapability, FoundTool, Text
from capdeco.check.analyze.surface import groups_of, is_dynamic, is_measured, kind_of, schema_of, size_of
from capdeco.declare.shape import NO_DEFAULT, Field, Object, show
from capdeco.errors import Diagnostic

VERSION: Final = 1


def report_schema() -> dict[str, Any]:
    """Give the JSON Schema of the report."""
    text = resources.files("capdeco.check.analyze").joinpath("report.schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def to_json(found: Found, *, with_proposal: bool = False) -> dict[str, Any]:
    """Give the report as plain data, in the order of the text report."""
    visible = [tool for tool in found.tools if tool.exposed]
    report: dict[str, Any] = {
        "version": VERSION,
        "source": {"kind": found.kind, "path": found.source},
        "complete": found.complete,
        "files": {
            "read": found.read,
            "other": found.other,
            "unread": [{"path": each.path, "reason": each.reason} for each in found.unread],
        },
        "surface": {
            "tools": len(visible),
            "bytes": sum(map(size_of, visible)),
            "exact": all(map(is_measured, visible)),
        },
        "tools": [_tool(tool) for tool in found.tools],
        "groups": [
            {
                "prefix": group.prefix,
                "tools": list(dict.fromkeys(tool.name for tool in group.tools)),
                "question": group.question,
            }
            for group in groups_of(found.tools)
        ],
        "capabilities": [_capability(each) for each in found.capabilities],
        "diagnostics": [_diagnostic(each) for each in found.diagnostics],
    }
    if with_proposal:
        report["proposal"] = propose(found)
    return report


def _tool(tool: FoundTool) -> dict[str, Any]:
    dynamic = isinstance(tool.name, Dynamic)
    return {
        "name": None if dynamic else tool.name,
        "dynamic": tool.name.source if isinstance(tool.name, Dynamic) else None,
        "description": _text(tool.description),
        "framework": tool.framework,
        "file": tool.place.file,
        "line": tool.place.line,
        "exposed": tool.exposed,
        "kind": kind_of(tool.name) if isinstance(tool.name, str) else "unclassified",
        "bytes": size_of(tool),
        "exact": is_measured(tool),
        "parameters": [_parameter(name, field) for name, field in tool.takes.fields.items()]
        if isinstance(tool.takes, Object)
        else None,
        "unread": None if isinstance(tool.takes, Object) else tool.takes.reason,
        "open": isinstance(tool.takes, Object) and tool.takes.rest is not None,
        "schema": schema_of(tool) if isinstance(tool.takes, Object) else None,
    }


def _parameter(name: str, field: Field) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": name,
        "type": type_of(field),
        "required": not field.optional,
        "description": field.shape.doc,
    }
    return found if field.default is NO_DEFAULT else {**found, "default": field.default}


def type_of(field: Field) -> str:
    """Spell a parameter's type, or `dynamic` where the source does not say."""
    return "dynamic" if is_dynamic(field.shape) else show(field.shape)


def _text(text: Text | None) -> dict[str, str] | str | None:
    return {"dynamic": text.source} if isinstance(text, Dynamic) else text


def _capability(found: FoundCapability) -> dict[str, Any]:
    return {
        "id": found.id,
        "description": found.description,
        "file": found.place.file,
        "line": found.place.line,
        "operations": [
            {
                "name": each.name,
                "tool": f"{found.id}_{each.name}",
                "description": each.description,
                "file": each.place.file,
                "line": each.place.line,
                "steps": [{"tool": _text(step.tool), "from": _text(step.from_)} for step in each.steps],
            }
            for each in found.operations
        ],
    }


def _diagnostic(found: Diagnostic) -> dict[str, Any]:
    return {
        "code": found.code,
        "what": found.what,
        "fix": found.fix,
        "file": found.place.file if found.place else None,
        "line": found.place.line if found.place else None,
        "subject": found.subject,
    }
