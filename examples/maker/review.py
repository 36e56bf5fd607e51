"""The rules that a plugin is held to, as plain functions over what `capdeco analyze` reads from its source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import attrs

from capdeco import CapdecoError, ToolError
from capdeco.check.analyze.analysis import analyze_folder
from capdeco.check.analyze.records import Dynamic, Found, FoundTool
from capdeco.codes import UNCHECKED
from capdeco.declare.names import tool_name_fault


@attrs.frozen
class Rule:
    """One thing that is asked of a plugin."""

    id: str
    says: str


RULES: Final = (
    Rule("read", "every source file can be read"),
    Rule("named", "every tool has a legal name that is written in the source"),
    Rule("unique", "no two tools have the same name"),
    Rule("described", "every tool says what it does"),
    Rule("declared", "what belongs together is declared as a capability"),
    Rule("narrow", "what is a step of an operation is not in front of the model as well"),
    Rule("wired", "every declaration is proved: what the model may set reaches a step"),
)


@attrs.frozen
class Finding:
    """One place where a rule is broken, and how to mend it."""

    rule: str
    where: str
    what: str
    fix: str


def read_plugin(path: str) -> Found:
    """Read a plugin's source; nothing of it is imported or run.

    Raises:
        ToolError: there is nothing to read, code NOT_FOUND.
    """
    try:
        return analyze_folder(Path(path))
    except CapdecoError as error:
        raise ToolError(error.diagnostics[0].what, code="NOT_FOUND") from None


def review(found: Found) -> list[Finding]:
    """Give everything that is wrong with a plugin, rule by rule, each by place."""
    return [
        *(Finding("read", each.path, each.reason, "make it readable, or leave it out") for each in found.unread),
        *_names(found.tools),
        *_descriptions(found.tools),
        *_declarations(found),
        *_wiring(found),
    ]


def _names(tools: tuple[FoundTool, ...]) -> Iterator[Finding]:
    for tool in tools:
        if isinstance(tool.name, Dynamic):
            yield Finding("named", str(tool.place), f"the name is computed: {tool.name.source}", "write it out")
        elif fault := tool_name_fault(tool.name):
            yield Finding("named", str(tool.place), fault, "give the tool another name")
    counts = Counter(tool.name for tool in tools if isinstance(tool.name, str))
    for name in (name for name, count in counts.items() if count > 1):
        places = " and ".join(str(tool.place) for tool in tools if tool.name == name)
        yield Finding("unique", places, f'{counts[name]} tools are called "{name}"', "rename all but one")


def _descriptions(tools: tuple[FoundTool, ...]) -> Iterator[Finding]:
    for tool in tools:
        if not tool.description:
            yield Finding("described", str(tool.place), f'"{_name(tool)}" has no description', "write a docstring")


def _declarations(found: Found) -> Iterator[Finding]:
    if len(found.tools) > 1 and not found.capabilities:
        yield Finding("declared", found.source, "no capability is declared", "see plugin_adopt for a start")
    steps = {step.tool for each in found.capabilities for operation in each.operations for step in operation.steps}
    for tool in found.tools:
        if tool.exposed and tool.name in steps:
            what = f'"{_name(tool)}" is a step, and the model sees it too'
            yield Finding("narrow", str(tool.place), what, "declare it with expose=False")


def _wiring(found: Found) -> Iterator[Finding]:
    # The analyzer refuses one of capdeco's own tools that says nothing; that is already said.
    silent = {tool.place for tool in found.tools if not tool.description}
    for each in found.diagnostics:
        if each.code != UNCHECKED and each.place not in silent:
            yield Finding("wired", str(each.place), f"{each.what} [{each.code}]", each.fix)


def _name(tool: FoundTool) -> str:
    return tool.name if isinstance(tool.name, str) else tool.name.source
