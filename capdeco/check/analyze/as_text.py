"""The report as text for people: the same facts in the same order, whatever the width of the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from capdeco.check.analyze.as_json import type_of
from capdeco.check.analyze.records import Dynamic, Found, FoundCapability, FoundTool, Text
from capdeco.check.analyze.surface import groups_of, is_measured, kind_of, size_of
from capdeco.codes import UNCHECKED
from capdeco.declare.shape import NO_DEFAULT, Field, Object


def to_text(found: Found) -> str:
    """Give the report as lines, ending in a newline."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Found) -> Iterator[str]:
    yield f"# What {safe(found.source)} puts in front of a model"
    yield ""
    yield from _summary(found)
    yield from _tools(found)
    yield from _groups(found)
    yield from _capabilities(found)
    yield from _diagnostics(found)
    yield from _unread(found)


def _summary(found: Found) -> Iterator[str]:
    visible = [tool for tool in found.tools if tool.exposed]
    internal = len(found.tools) - len(visible)
    size = sum(map(size_of, visible))
    at_least = "" if all(map(is_measured, visible)) else "at least "
    yield f"{_count(len(visible), 'tool')}, {at_least}{_count(size, 'byte')} of names, descriptions and schemas"
    if internal:
        yield f"{_count(internal, 'internal tool')} that no model sees"
    if found.kind == "folder":
        other = _count(found.other, "other file")
        yield f"{_count(found.read, 'source file')} read, {len(found.unread)} not (whole), {other}"
    if not found.complete:
        yield "The time limit was reached: what follows is not everything."


def _tools(found: Found) -> Iterator[str]:
    if not found.tools:
        return
    yield ""
    yield "## Tools"
    for tool in found.tools:
        yield ""
        yield f"{_name(tool.name)}  ({_about(tool)})"
        yield f"  at {safe(str(tool.place))}"
        if tool.description is None:
            yield "  no description"
        else:
            yield f"  {_clipped(tool.description)}"
        yield from _parameters(tool)


def _about(tool: FoundTool) -> str:
    kind = kind_of(tool.name) if isinstance(tool.name, str) else "unclassified"
    words = [tool.framework, kind if kind == "unclassified" else f"{kind}-like"]
    words.append(("" if is_measured(tool) else "at least ") + _count(size_of(tool), "byte"))
    return ", ".join(words if tool.exposed else [*words, "internal"])


def _parameters(tool: FoundTool) -> Iterator[str]:
    if not isinstance(tool.takes, Object):
        yield f"  parameters: dynamic ({safe(tool.takes.reason)})"
        return
    # A schema is open unless it says otherwise, which tells nothing; a declaration is open because it says so.
    is_open = tool.takes.rest is not None and tool.framework == "capdeco"
    if not tool.takes.fields and not is_open:
        yield "  no parameters"
    for name, field in tool.takes.fields.items():
        yield f"  - {safe(name)}: {safe(type_of(field))}{_optional(field)}"
    if is_open:
        yield "  - any other"


def _optional(field: Field) -> str:
    if not field.optional:
        return ", required"
    return ", optional" if field.default is NO_DEFAULT else f", default {_clipped(repr(field.default), 40)}"


def _groups(found: Found) -> Iterator[str]:
    groups = groups_of(found.tools)
    if groups:
        yield ""
        yield "## Groups by name"
    for group in groups:
        yield ""
        yield f"{safe(group.prefix)}: {', '.join(dict.fromkeys(safe(str(tool.name)) for tool in group.tools))}"
        yield f"  {safe(group.question)}"


def _capabilities(found: Found) -> Iterator[str]:
    if found.capabilities:
        yield ""
        yield "## Declared capabilities"
    for capability in found.capabilities:
        yield ""
        yield from _capability(capability)


def _capability(capability: FoundCapability) -> Iterator[str]:
    yield f"{safe(capability.id)}  at {safe(str(capability.place))}"
    yield f"  {_clipped(capability.description)}"
    for operation in capability.operations:
        steps = " → ".join(map(_step, operation.steps)) or "dynamic"
        yield f"  - {safe(capability.id)}_{safe(operation.name)}: {steps}"


def _step(step: object) -> str:
    tool, from_ = getattr(step, "tool", ""), getattr(step, "from_", None)
    return _name(tool) if from_ is None else f"{_name(tool)} (from {_name(from_)})"


def _diagnostics(found: Found) -> Iterator[str]:
    if not found.diagnostics:
        return
    unchecked = sum(each.code == UNCHECKED for each in found.diagnostics)
    wrong = len(found.diagnostics) - unchecked
    yield ""
    yield f"## Diagnostics: {wrong} wrong, {unchecked} unchecked"
    yield ""
    for each in found.diagnostics:
        for line in str(each).split("\n"):
            yield safe(line)


def _unread(found: Found) -> Iterator[str]:
    if found.unread:
        yield ""
        yield "## Not read"
        yield ""
        for each in found.unread:
            yield f"{safe(each.path)}: {safe(each.reason)}"


def _name(name: Text) -> str:
    return f"dynamic: {safe(name.source)}" if isinstance(name, Dynamic) else safe(name)


def _clipped(text: Text, limit: int = 160) -> str:
    if isinstance(text, Dynamic):
        return f"dynamic: {safe(text.source)}"
    line = next((each.strip() for each in text.splitlines() if each.strip()), "")
    return safe(line if len(line) <= limit else line[: limit - 1] + "…")


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def safe(text: str) -> str:
    """Spell out what could drive a terminal or hide in the report: names come from whoever wrote the plugin."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)
