# mypy: ignore-errors
"""The same two guarded steps under one tool in other frameworks, each the way that its own policy sees every step.

Each is a context manager over a call of the composite, without policy or with one that lets everything through.
"""

# mypy mostly runs without these frameworks: they are in the extra `bench` only.

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from fastmcp import FastMCP
from fastmcp.server.middleware import Middleware
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.tools import StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from mcp import Client
from mcp.server.mcpserver import MCPServer
from pydantic_ai import Agent, RunContext, Tool
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.models.test import TestModel
from pydantic_ai.tool_manager import ToolManager
from pydantic_ai.tools import ToolDenied
from pydantic_ai.toolsets import FunctionToolset
from pydantic_ai.usage import RunUsage

from tests.benchmarks.composite import ARGUMENTS, Blocks, Extracted, Layout, pdf_extract, pdf_layout

Composite = Callable[[], Awaitable[list[Any]]]


async def extract(path: str) -> Extracted:
    """Extract the text layer."""
    return await pdf_extract(path)


async def layout_blocks(columns: int) -> Blocks:
    """Compute layout blocks."""
    return await pdf_layout(columns)


@asynccontextmanager
async def pydantic_ai(hooks: int) -> AsyncIterator[Composite]:
    """`ToolManager.handle_call` for the composite and for each step."""

    class Policy(AbstractCapability[None]):
        async def wrap_tool_execute(self, ctx, *, call, tool_def, args, handler):
            return await handler(args)

    steps = FunctionToolset([Tool(extract, name="extract"), Tool(layout_blocks, name="layout")])

    async def analyze(ctx: RunContext[None], path: str, layout: Layout) -> dict[str, Any]:
        """Extract text and layout in one call."""
        inner = ToolManager(
            toolset=steps, root_capability=ctx.tool_manager.root_capability, ctx=ctx, tools=await steps.get_tools(ctx)
        )
        values = []
        for number, (name, args) in enumerate([("extract", {"path": path}), ("layout", layout)], start=1):
            part = ToolCallPart(name, args, tool_call_id=f"{ctx.tool_call_id}/{number}")
            value = await inner.handle_call(part, wrap_validation_errors=False)
            assert not isinstance(value, ToolDenied)
            values.append(value)
        return {"steps": values}

    managers = []

    async def hold(ctx: RunContext[None]) -> None:
        """Keep what the agent dispatches through: its own policy is in it too."""
        managers.append(ctx.tool_manager)

    agent = Agent(TestModel(call_tools=["hold"]), tools=[analyze, hold], capabilities=[Policy() for _ in range(hooks)])
    await agent.run("hold")
    (manager,) = managers

    async def call() -> list[Any]:
        return (await manager.handle_call(ToolCallPart("analyze", ARGUMENTS, tool_call_id="1")))["steps"]

    yield call


@asynccontextmanager
async def fastmcp(hooks: int) -> AsyncIterator[Composite]:
    """`server.call_tool` for the composite and for each step."""

    class Policy(Middleware):
        async def on_call_tool(self, context, call_next):
            return await call_next(context)

    server = FastMCP("bench", middleware=[Policy() for _ in range(hooks)])
    server.tool(extract, name="extract")
    server.tool(layout_blocks, name="layout")

    @server.tool
    async def analyze(path: str, layout: Layout) -> dict[str, Any]:
        """Extract text and layout in one call."""
        first = await server.call_tool("extract", {"path": path})
        second = await server.call_tool("layout", dict(layout))
        return {"steps": [first.structured_content, second.structured_content]}

    async def call() -> list[Any]:
        return (await server.call_tool("analyze", ARGUMENTS)).structured_content["steps"]

    yield call


@asynccontextmanager
async def langchain_core(hooks: int) -> AsyncIterator[Composite]:
    """`tool.ainvoke` with a tool call, for the composite and for each step: callbacks are all its policy."""

    class Policy(AsyncCallbackHandler):
        raise_error = True

        async def on_tool_start(self, serialized, input_str, **kwargs):
            return None

    def artifact(function):
        async def run(**arguments):
            value = await function(**arguments)
            return str(value), value

        return run

    def step(name, function):
        return StructuredTool.from_function(
            coroutine=artifact(function),
            name=name,
            description=function.__doc__,
            args_schema=StructuredTool.from_function(coroutine=function).args_schema,
            response_format="content_and_artifact",
        )

    first, second = step("extract", extract), step("layout", layout_blocks)

    async def analyze(path: str, layout: Layout) -> dict[str, Any]:
        """Extract text and layout in one call."""
        values = []
        for tool, args in ((first, {"path": path}), (second, layout)):
            message = await tool.ainvoke({"type": "tool_call", "name": tool.name, "args": args, "id": "2"})
            assert message.status == "success"
            values.append(message.artifact)
        return {"steps": values}

    composite = step("analyze", analyze)
    config = {"callbacks": [Policy() for _ in range(hooks)]} if hooks else None

    async def call() -> list[Any]:
        part = {"type": "tool_call", "name": "analyze", "args": ARGUMENTS, "id": "1"}
        return (await composite.ainvoke(part, config)).artifact["steps"]

    yield call


@asynccontextmanager
async def mcp(hooks: int) -> AsyncIterator[Composite]:
    """An in-memory client for the composite, and a second one for its steps."""

    async def policy(ctx, call_next):
        return await call_next(ctx)

    server = MCPServer("bench", middleware=[policy for _ in range(hooks)])
    server.tool(name="extract")(extract)
    server.tool(name="layout")(layout_blocks)

    async with Client(server) as inner:

        @server.tool()
        async def analyze(path: str, layout: Layout) -> list[Any]:
            """Extract text and layout in one call."""
            first = await inner.call_tool("extract", {"path": path})
            second = await inner.call_tool("layout", dict(layout))
            return [first.structured_content, second.structured_content]

        async with Client(server) as outer:
            await outer.list_tools()
            await inner.list_tools(cache_mode="bypass")

            async def call() -> list[Any]:
                return (await outer.call_tool("analyze", ARGUMENTS)).structured_content["result"]

            yield call


PEERS: dict[str, Any] = {
    "pydantic-ai": pydantic_ai,
    "fastmcp": fastmcp,
    "langchain-core": langchain_core,
    "mcp": mcp,
}


@dataclass
class Registry:
    """How tools are registered and listed: `add(name, function)`, `listing()`, and a scope that hides some, if any."""

    add: Callable[[str, Callable[..., Any]], object]
    listing: Callable[[], Awaitable[object]]
    scope: Callable[[int], object] | None = None


def pydantic_ai_registry() -> Registry:
    """A toolset, listed for one step of a run; a scope is a filtered view of it."""
    toolset = FunctionToolset()
    context = RunContext(deps=None, model=TestModel(), usage=RunUsage())

    async def listing() -> object:
        return (await ToolManager(toolset=toolset).for_run_step(context)).tool_defs

    def scope(number: int) -> object:
        return toolset.filtered(lambda ctx, tool: tool.name != f"tool_{number}")

    return Registry(lambda name, function: toolset.add_tool(Tool(function, name=name)), listing, scope)


def fastmcp_registry() -> Registry:
    """A server; a scope is a server of its own that mounts it."""
    server = FastMCP("bench")

    def scope(number: int) -> object:
        child = FastMCP(f"agent {number}")
        child.mount(server)
        return child

    return Registry(lambda name, function: server.tool(function, name=name), server.list_tools, scope)


def langchain_registry() -> Registry:
    """A list; each agent has its own."""
    tools: list[Any] = []

    async def listing() -> object:
        return [convert_to_openai_tool(tool) for tool in tools]

    def add(name: str, function: Callable[..., Any]) -> None:
        tools.append(StructuredTool.from_function(coroutine=function, name=name))

    return Registry(add, listing)


def mcp_registry() -> Registry:
    """A server; it knows no scopes."""
    server = MCPServer("bench")
    return Registry(lambda name, function: server.tool(name=name)(function), server.list_tools)


REGISTRIES: dict[str, Callable[[], Registry]] = {
    "pydantic-ai": pydantic_ai_registry,
    "fastmcp": fastmcp_registry,
    "langchain-core": langchain_registry,
    "mcp": mcp_registry,
}
