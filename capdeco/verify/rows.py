"""What a plugin adds to the model's view: the row that `capdeco list` and `capdeco verify` print."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs
import msgspec

from capdeco.bind.registrations import Plugin
from capdeco.host.protocol import Host, ToolSpec


@attrs.frozen
class Row:
    """One plugin of a profile."""

    plugin: str
    version: str
    tools: Sequence[str]
    """That the model sees; internal ones add nothing to its view."""
    capabilities: Sequence[str]
    bytes: int
    error: str = ""


def row_of(plugin: Plugin, host: Host) -> Row:
    """Give what *plugin* adds to the view of *host*, or why it adds nothing."""
    names = {name for registration in plugin.registrations for name in registration.tools}
    seen = [tool for name, tool in host.catalog().items() if name in names]
    return Row(
        plugin=plugin.name,
        version=plugin.version,
        tools=[tool.name for tool in seen],
        capabilities=[each.id for registration in plugin.registrations for each in registration.capabilities],
        bytes=size_of(map(shown, seen)),
        error=str(plugin.error) if plugin.error else "",
    )


def shown(tool: ToolSpec) -> Mapping[str, Any]:
    """Give what a model is sent of *tool*, at least."""
    return {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}


def size_of(tools: Iterable[Mapping[str, Any]]) -> int:
    """Give the bytes of *tools* in a model's view: each as compact JSON, so that parts add up to the whole."""
    return sum(len(msgspec.json.encode(tool)) for tool in tools)


def table(rows: Iterable[Row]) -> list[str]:
    """Lay *rows* out in columns, a heading first."""
    cells = [("plugin", "version", "tools", "capabilities", "bytes")]
    for row in rows:
        if row.error:
            cells.append((row.plugin, row.version, "failed", "", ""))
        else:
            tools, capabilities = ", ".join(row.tools) or "-", ", ".join(row.capabilities) or "-"
            cells.append((row.plugin, row.version, tools, capabilities, str(row.bytes)))
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells]
