"""The OpenAI Agents SDK: `@function_tool`, `FunctionTool(...)`, `agent.as_tool(...)`."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Final

from capdeco.check.analyze.frameworks.site import Framework, Site, text_input
from capdeco.check.analyze.records import FoundTool
from capdeco.declare.shape import Unknown


def _decorated(site: Site) -> Iterable[FoundTool]:
    function = site.target or site.function("func", at=0)
    if function is not None and not isinstance(function.node, ast.ClassDef):
        yield site.of_function(function, name=site.text("name_override"), description=site.text("description_override"))


def _record(site: Site) -> Iterable[FoundTool]:
    takes = site.schema("params_json_schema", at=2)
    yield site.tool(site.text("name", at=0), site.text("description", at=1), takes or Unknown("it has no schema"))


def _agent(site: Site) -> Iterable[FoundTool]:
    """An agent as a tool takes one text, or what `parameters=` says."""
    takes = site.schema("parameters") or text_input("input")
    yield site.tool(site.text("tool_name", at=0), site.text("tool_description", at=1), takes)


OPENAI_AGENTS: Final = Framework(
    name="openai-agents",
    homes=("agents",),
    decorators={"function_tool": _decorated},
    calls={"FunctionTool": _record, "Agent.as_tool": _agent},
    injected=frozenset({"RunContextWrapper", "ToolContext"}),
)
