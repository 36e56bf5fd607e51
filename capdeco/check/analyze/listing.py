"""The JSON of an MCP `tools/list`, or of a model API's function list, as the same records."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from capdeco.check.analyze.frameworks.model_apis import SCHEMA_KEYS
from capdeco.check.analyze.records import Found, FoundTool
from capdeco.check.analyze.schemas import input_of_schema
from capdeco.check.analyze.surface import compact
from capdeco.codes import DECLARATION
from capdeco.declare.shape import Object
from capdeco.errors import AnalysisError, Diagnostic, Place

_BYTES: Final = 50_000_000


def analyze_listing(path: Path) -> Found:
    """Read a listing.

    Raises:
        AnalysisError: it cannot be read, is no JSON, or lists no tools.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_BYTES + 1)
    except OSError as error:
        raise _refused(path, f"cannot be read: {error.strerror}") from None
    if len(data) > _BYTES:
        raise _refused(path, f"is larger than {_BYTES} bytes")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _refused(path, f"is no JSON: {error}") from None
    entries = _entries(value)
    if entries is None:
        raise _refused(path, "lists no tools")
    tools = [_tool(entry, number, path.name) for number, entry in enumerate(entries, start=1)]
    unnamed = [number for number, tool in enumerate(tools, start=1) if tool is None]
    if unnamed:
        raise _refused(path, f"is no listing: entry {unnamed[0]} has no name")
    return Found(source=str(path), kind="listing", tools=tuple(each for each in tools if each is not None), read=1)


def _entries(value: object) -> list[object] | None:
    """The list itself, or what is under `tools`, `result` (JSON-RPC), `functions` or `function_declarations`."""
    if isinstance(value, list):
        flat: list[object] = []
        for each in value:
            inner = _entries(each) if isinstance(each, Mapping) and "name" not in each else None
            flat += inner if inner is not None else [each]
        return flat
    if isinstance(value, Mapping):
        for key in ("tools", "result", "functions", "function_declarations", "functionDeclarations"):
            if key in value:
                return _entries(value[key])
    return None


def _tool(entry: object, number: int, file: str) -> FoundTool | None:
    if not isinstance(entry, Mapping):
        return None
    inner = entry.get("function")
    framework = "mcp" if "inputSchema" in entry else "function-spec"
    body = inner if isinstance(inner, Mapping) else entry
    name, description = body.get("name"), body.get("description")
    if not isinstance(name, str):
        return None
    schema = next((body[key] for key in SCHEMA_KEYS if key in body), None)
    described = description if isinstance(description, str) else None
    sent = {
        "name": name,
        "description": described or "",
        "input_schema": schema if schema is not None else {"type": "object"},
    }
    return FoundTool(
        name=name,
        description=described,
        takes=Object() if schema is None else input_of_schema(schema),
        framework=framework,
        place=Place(f"{file}#{number}"),
        bytes=len(compact(sent)),
    )


def _refused(path: Path, what: str) -> AnalysisError:
    return AnalysisError(
        Diagnostic(DECLARATION, f"{path} {what}", "give the JSON of a tools/list, or of a model API's functions")
    )
