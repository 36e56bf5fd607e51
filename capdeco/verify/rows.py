"""What a plugin adds to the model's view: the row that `capdeco list` and `capdeco verify` print."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs
import msgspec

from capdeco.host.protocol import Host, ToolSpec
from capdeco.registrations import Plugin


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
        bytes=size_of(seen),
        error=str(plugin.error) if plugin.error else "",
    )


def size_of(tools: Iterable[ToolSpec]) -> int:
    """Give the bytes that a model is sent at least: name, description and input schema of each, as compact JSON."""
    shown = ({"name": tool.name, "description": tool.description, "input_schema": tool.input_schema} for tool in tools)
    return sum(len(msgspec.json.encode(each)) for each in shown)


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
