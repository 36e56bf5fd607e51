"""The MCP SDK (`FastMCP` of 1.x, `MCPServer` of 2.x, low-level `Tool` lists) and FastMCP."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from capdeco.check.analyze.frameworks.site import Framework, Site, given_function, given_functions, same_function
from capdeco.check.analyze.records import FoundTool
from capdeco.declare.shape import Unknown


def _tool_record(site: Site) -> Iterable[FoundTool]:
    """`types.Tool(name=..., description=..., inputSchema=...)`, as a list-tools handler returns it."""
    name = site.text("name")
    if name is None:
        return
    takes = site.schema("inputSchema", "input_schema", "parameters")
    yield site.tool(name, site.text("description"), takes if takes is not None else Unknown("it has no schema"))


def _from_function(site: Site) -> Iterable[FoundTool]:
    function = site.function("fn", at=0)
    if function is not None:
        yield site.of_function(function, name=site.text("name"), description=site.text("description"))


def _from_tool(site: Site) -> Iterable[FoundTool]:
    """A transformed tool: only its new name is written here."""
    name = site.text("name")
    if name is not None:
        yield site.tool(name, site.text("description"), Unknown("it is made from another tool"))


_INJECTED: Final = frozenset({"Context", "CurrentContext", "Depends", "Progress", "CurrentRequest", "Resolve"})

MCP: Final = Framework(
    name="mcp",
    homes=("mcp", "mcp_types", "?"),
    decorators={"FastMCP.tool": same_function, "MCPServer.tool": same_function, "?.tool": same_function},
    calls={
        "FastMCP.add_tool": given_function,
        "MCPServer.add_tool": given_function,
        "?.add_tool": given_function,
        "Tool": _tool_record,
        "Tool.from_function": _from_function,
        "FastMCP": given_functions("tools"),
        "MCPServer": given_functions("tools"),
    },
    injected=_INJECTED,
)

FASTMCP: Final = Framework(
    name="fastmcp",
    homes=("fastmcp",),
    decorators={
        "FastMCP.tool": same_function,
        "LocalProvider.tool": same_function,
        "tool": same_function,
        "mcp_tool": same_function,
    },
    calls={
        "FastMCP.add_tool": given_function,
        "LocalProvider.add_tool": given_function,
        "FastMCP": given_functions("tools"),
        "Tool": _tool_record,
        "FunctionTool": _tool_record,
        "Tool.from_function": _from_function,
        "FunctionTool.from_function": _from_function,
        "Tool.from_tool": _from_tool,
        "TransformedTool.from_tool": _from_tool,
    },
    injected=_INJECTED,
)
