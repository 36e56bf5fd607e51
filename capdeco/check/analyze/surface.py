"""What the tools look like to whoever chooses between them: size, kinds, groups, and a question for each group."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

import attrs

from capdeco.check.analyze.records import Dynamic, FoundTool, Kind
from capdeco.declare.json_schema import render
from capdeco.declare.shape import Object, Unknown

_PRIMITIVE: Final = frozenset({
    "add", "append", "clear", "click", "close", "copy", "count", "create", "cut", "decode", "delete", "describe",
    "detect", "download", "drop", "echo", "encode", "exec", "execute", "exists", "extract", "fetch", "fill",
    "find", "get", "glob", "grep", "head", "insert", "layout", "list", "load", "lookup", "move", "ocr", "open",
    "parse", "ping", "poll", "post", "push", "put", "query", "read", "remove", "rename", "render", "reset",
    "save", "scroll", "seek", "select", "send", "set", "show", "split", "stat", "tail", "type", "unlink",
    "update", "upload", "wait", "write",
})  # fmt: skip
_OPERATION: Final = frozenset({
    "analyse", "analyze", "apply", "approve", "assess", "audit", "automate", "backup", "bootstrap", "build",
    "check", "clean", "compare", "complete", "compose", "configure", "convert", "coordinate", "debug", "deploy",
    "design", "diagnose", "draft", "enrich", "evaluate", "explain", "export", "fix", "generate", "heal", "import",
    "improve", "index", "inspect", "install", "integrate", "investigate", "locate", "manage", "merge", "migrate",
    "monitor", "optimize", "orchestrate", "plan", "prepare", "process", "promote", "provision", "publish",
    "reconcile", "refactor", "release", "repair", "report", "research", "resolve", "restore", "review",
    "rollback", "scan", "schedule", "setup", "solve", "suggest", "summarise", "summarize", "sync", "synchronize",
    "test", "transform", "translate", "triage", "troubleshoot", "tune", "upgrade", "validate", "verify", "vet",
})  # fmt: skip
"""Verbs by what they usually stand for. A guess by words alone, and shown as one."""

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SEPARATOR: Final = re.compile(r"[_.\-]")


def kind_of(name: str) -> Kind:
    """Guess by its first verb whether a name stands for a primitive or for an operation."""
    for word in _WORD.findall(name):
        if word.lower() in _PRIMITIVE:
            return "primitive"
        if word.lower() in _OPERATION:
            return "operation"
    return "unclassified"


def prefix_of(name: str) -> str | None:
    """Give what stands before the first `_`, `.` or `-`; `None` without one."""
    found = _SEPARATOR.search(name)
    return name[: found.start()] if found and found.start() > 0 else None


@attrs.frozen
class Group:
    """Tools whose names begin alike."""

    prefix: str
    tools: tuple[FoundTool, ...]
    question: str


def groups_of(tools: Iterable[FoundTool]) -> tuple[Group, ...]:
    """Group tools by the prefix of their names, two or more different names to a group, by prefix."""
    found: dict[str, list[FoundTool]] = {}
    for tool in tools:
        prefix = prefix_of(tool.name) if isinstance(tool.name, str) else None
        if prefix is not None:
            found.setdefault(prefix, []).append(tool)
    return tuple(
        Group(prefix, tuple(members), _question(members))
        for prefix, members in sorted(found.items())
        if len({tool.name for tool in members}) > 1
    )


def _question(tools: Iterable[FoundTool]) -> str:
    names = list(dict.fromkeys(str(tool.name) for tool in tools))
    few = len(names) < 6
    shown, last = (names[:-1], names[-1]) if few else (names[:5], f"{len(names) - 5} more")
    return f"Are {', '.join(shown)} and {last} steps of one operation, or independent capabilities?"


def schema_of(tool: FoundTool) -> dict[str, Any]:
    """Give the input schema as far as it can be read."""
    if isinstance(tool.takes, Object):
        try:
            return render(tool.takes)
        except RecursionError:
            return {"type": "object"}
    return {"type": "object"}


def size_of(tool: FoundTool) -> int:
    """Give the bytes of name, description and schema, as compact JSON: at least that is what a model is sent."""
    if tool.bytes is not None:
        return tool.bytes
    entry: Mapping[str, object] = {
        "name": tool.name if isinstance(tool.name, str) else "",
        "description": tool.description if isinstance(tool.description, str) else "",
        "input_schema": schema_of(tool),
    }
    return len(compact(entry))


def compact(value: object) -> bytes:
    """Give *value* as compact JSON in UTF-8."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str).encode("utf-8", "replace")


def is_measured(tool: FoundTool) -> bool:
    """Tell whether every part of the tool was read, so that its size is exact."""
    if tool.bytes is not None:
        return True
    if isinstance(tool.name, Dynamic) or isinstance(tool.description, Dynamic) or isinstance(tool.takes, Unknown):
        return False
    return not any(is_dynamic(field.shape) for field in tool.takes.fields.values())


def is_dynamic(shape: object) -> bool:
    """Tell whether a shape stands for what the source does not say, rather than for any JSON."""
    return isinstance(shape, Unknown) and shape.reason != Unknown().reason
