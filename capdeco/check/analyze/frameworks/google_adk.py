"""Google's ADK: functions in an agent's `tools=`, `FunctionTool`, `AgentTool`, `BaseTool` subclasses."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Final

import attrs

from capdeco.check.analyze.frameworks.site import Framework, Site, given_functions, text_input
from capdeco.check.analyze.records import FoundTool
from capdeco.declare.shape import Object, Unknown


def _function(site: Site) -> Iterable[FoundTool]:
    function = site.function("func", at=0)
    if function is not None:
        yield _without_context(site.of_function(function))


def _listed(site: Site) -> Iterable[FoundTool]:
    return map(_without_context, given_functions("tools")(site))


def _without_context(tool: FoundTool) -> FoundTool:
    # ADK gives a parameter of this name whatever its annotation.
    if not isinstance(tool.takes, Object) or "tool_context" not in tool.takes.fields:
        return tool
    fields = {name: field for name, field in tool.takes.fields.items() if name != "tool_context"}
    return attrs.evolve(tool, takes=attrs.evolve(tool.takes, fields=fields))


def _agent(site: Site) -> Iterable[FoundTool]:
    """An agent as a tool has the agent's own name and description."""
    node = site.argument("agent", at=0)
    found = site.shapes.project.definition(node, site.scope) if node is not None else None
    if found is None or not isinstance(found[0], ast.Call):
        yield site.tool(None, None, text_input("request"))
        return
    agent = attrs.evolve(site, call=found[0], scope=found[1])
    yield attrs.evolve(
        site.tool(agent.text("name"), agent.text("description"), text_input("request")), place=site.place
    )


def _subclass(site: Site) -> Iterable[FoundTool]:
    name = site.class_text("name")
    if name is not None or site.method("run_async") is not None:
        yield site.tool(name, site.class_text("description"), Unknown("its declaration is made when it runs"))


GOOGLE_ADK: Final = Framework(
    name="google-adk",
    homes=("google.adk",),
    calls={
        "FunctionTool": _function,
        "LongRunningFunctionTool": _function,
        "AgentTool": _agent,
        "Agent": _listed,
        "LlmAgent": _listed,
    },
    bases={"BaseTool": _subclass},
    injected=frozenset({"ToolContext", "Context", "CallbackContext", "ReadonlyContext"}),
)
