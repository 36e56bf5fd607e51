"""LangChain and LangGraph: `@tool`, `StructuredTool`, `BaseTool` subclasses, plain functions given to an agent."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Final

from capdeco.check.analyze.frameworks.site import Framework, Site, given_functions, text_input
from capdeco.check.analyze.python.signature import takes_of
from capdeco.check.analyze.records import FoundTool
from capdeco.declare.shape import Unknown
from capdeco.declare.wiring import Input


def _decorated(site: Site) -> Iterable[FoundTool]:
    """`@tool`, `@tool("name")`, `@tool(args_schema=...)`, `tool("name", runnable)`, `tool(function)`."""
    takes = site.schema("args_schema")
    description = site.text("description")
    if site.target is not None:
        if not isinstance(site.target.node, ast.ClassDef):
            name = site.text("name_or_callable", at=0)
            yield site.of_function(site.target, name=name, description=description, takes=takes)
        return
    function = site.function("name_or_callable", at=0)
    if function is not None:
        yield site.of_function(function, description=description, takes=takes)
    elif site.argument("runnable", at=1) is not None:
        name = site.text("name_or_callable", at=0)
        made_of = site.function("runnable", at=1)
        if made_of is not None:
            yield site.of_function(made_of, name=name, description=description, takes=takes)
        else:
            yield site.tool(name, description, takes or Unknown("it is made of a runnable"))


def _from_function(site: Site) -> Iterable[FoundTool]:
    """`StructuredTool.from_function(func, coroutine, name, description, ..., args_schema)` and the old `Tool`."""
    single = site.called.endswith("Tool.Tool") or ".Tool." in site.called or site.called.endswith(".Tool")
    function = site.function("func", at=0) or site.function("coroutine", at=1)
    takes: Input | None = site.schema("args_schema")
    if takes is None and single:
        takes = text_input("__arg1")
    at = 1 if single else 2
    name, description = site.text("name", at=at), site.text("description", at=at + 1)
    if function is not None:
        yield site.of_function(function, name=name, description=description, takes=takes)
    else:
        yield site.tool(name, description, takes or Unknown("its function is not in the folder"))


def _record(site: Site) -> Iterable[FoundTool]:
    """`StructuredTool(name=..., args_schema=...)` and `Tool(name, func, description)`."""
    single = site.called.endswith(".Tool")
    name = site.text("name", at=0 if single else None)
    if name is None:
        return
    function = site.function("func", at=1 if single else None) or site.function("coroutine")
    takes = site.schema("args_schema")
    if takes is None and single:
        takes = text_input("__arg1")
    if takes is None and function is not None:
        takes = takes_of(site.shapes, function, site.framework.injects)
    description = site.text("description", at=2 if single else None)
    yield site.tool(name, description, takes or Unknown("its function is not in the folder"))


def _subclass(site: Site) -> Iterable[FoundTool]:
    """A class with `name`, `description`, perhaps `args_schema`, and `_run`."""
    name = site.class_text("name")
    method = site.method("_run", "_arun")
    if name is None and method is None:
        return  # a base class of other tools
    schema = site.class_value("args_schema")
    takes = site.schema_at(*schema) if schema is not None else None
    if takes is None and method is not None:
        takes = takes_of(site.shapes, method, site.framework.injects)
    yield site.tool(name, site.class_text("description"), takes or Unknown("it has no _run"))


_INJECTED: Final = frozenset(
    {
        "AsyncCallbackManagerForToolRun",
        "BaseCallbackManager",
        "CallbackManagerForToolRun",
        "Callbacks",
        "InjectedState",
        "InjectedStore",
        "InjectedToolArg",
        "InjectedToolCallId",
        "RunnableConfig",
        "Runtime",
        "ToolRuntime",
    }
)

LANGCHAIN: Final = Framework(
    name="langchain",
    homes=("langchain_core", "langchain", "langchain_classic", "langchain_community", "langgraph", "langchain_openai",
           "langchain_anthropic", "deepagents"),
    decorators={"tool": _decorated},
    calls={
        "StructuredTool.from_function": _from_function,
        "Tool.from_function": _from_function,
        "StructuredTool": _record,
        "Tool": _record,
        "create_agent": given_functions("tools", at=1),
        "create_react_agent": given_functions("tools", at=1),
        "create_deep_agent": given_functions("tools", at=0),
        "ToolNode": given_functions("tools", at=0),
        "ChatOpenAI.bind_tools": given_functions("tools", at=0),
        "ChatAnthropic.bind_tools": given_functions("tools", at=0),
        "init_chat_model.bind_tools": given_functions("tools", at=0),
    },
    bases={"BaseTool": _subclass},
    injected=_INJECTED,
)  # fmt: skip
