"""pydantic-ai: `@agent.tool`, `@agent.tool_plain`, function toolsets, `Tool(...)`, `Tool.from_schema`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Final

from capdeco.check.analyze.frameworks.site import Framework, Site, given_functions
from capdeco.check.analyze.python.signature import is_injected
from capdeco.check.analyze.records import FoundTool
from capdeco.declare.shape import Unknown


def _decorated(site: Site) -> Iterable[FoundTool]:
    function = site.target or site.function(at=0)
    if function is None or isinstance(function.node, ast.ClassDef):
        return
    # `agent.tool` gives the first parameter whatever its annotation; a toolset's looks at it.
    first = site.called.endswith("Agent.tool") and not _first_is_context(site, function.node)
    yield site.of_function(function, name=site.text("name"), description=site.text("description"), skip_first=first)


def _first_is_context(site: Site, node: ast.AST) -> bool:
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    arguments = node.args.posonlyargs + node.args.args
    return bool(arguments) and is_injected(
        site.shapes, arguments[0].annotation, None, site.scope, site.framework.injects
    )


def _tool(site: Site) -> Iterable[FoundTool]:
    function = site.function("function", at=0)
    if function is not None:
        yield site.of_function(function, name=site.text("name"), description=site.text("description"))
    elif site.argument("name") is not None:
        yield site.tool(site.text("name"), site.text("description"), Unknown("its function is not in the folder"))


def _from_schema(site: Site) -> Iterable[FoundTool]:
    takes = site.schema("json_schema", "parameters_json_schema", at=3)
    name = site.text("name", at=1 if site.called.endswith("from_schema") else None)
    yield site.tool(name, site.text("description", at=2), takes or Unknown("it has no schema"))


def _added(site: Site) -> Iterator[FoundTool]:
    function = site.function("func", at=0)
    if function is not None:
        yield site.of_function(function, name=site.text("name", at=2), description=site.text("description"))


PYDANTIC_AI: Final = Framework(
    name="pydantic-ai",
    homes=("pydantic_ai", "?"),
    decorators={
        "Agent.tool": _decorated,
        "Agent.tool_plain": _decorated,
        "FunctionToolset.tool": _decorated,
        "FunctionToolset.tool_plain": _decorated,
        "?.tool_plain": _decorated,
    },
    calls={
        "Tool": _tool,
        "Tool.from_schema": _from_schema,
        "ToolDefinition": _from_schema,
        "FunctionToolset.add_function": _added,
        "Agent": given_functions("tools"),
        "FunctionToolset": given_functions("tools", at=0),
    },
    injected=frozenset({"RunContext"}),
)
