"""Plugins as the analyzer meets them: path in the folder -> source. Text, since some must never be imported."""

# ruff: noqa: E501 - sources as others write them
from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from capdeco.errors import Diagnostic

Plugin = Mapping[str, str]


def said(diagnostic: Diagnostic) -> str:
    """Give what is said of a part of a function with the name of that part."""
    return f"{diagnostic.subject}: {diagnostic.what}" if diagnostic.subject.startswith("the ") else diagnostic.what


def write(plugin: Plugin, root: Path) -> Path:
    """Write a plugin below *root*."""
    for path, source in plugin.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(source).lstrip("\n"), encoding="utf-8")
    return root


MCP: Final[Plugin] = {
    "names.py": """
        from enum import Enum, StrEnum, auto

        SEARCH = "notes_search"
        NAMES = {"get": "notes_get"}

        class Names(str, Enum):
            GO = "notes_go"

        class Auto(StrEnum):
            NOTES_AUTO = auto()
    """,
    "server.py": '''
        from typing import Annotated
        import mcp.types as types
        from fastmcp import Context, FastMCP
        from fastmcp.tools import Tool
        from mcp.server.fastmcp import FastMCP as OldFastMCP
        from mcp.server.mcpserver import MCPServer
        from pydantic import Field
        from .names import NAMES, SEARCH, Auto, Names
        from . import other

        raise SystemExit("this plugin must not be imported")
        mcp = FastMCP("notes")

        @mcp.tool
        def bare(a: int, ctx: Context, b: str = "x", c: int = Field(description="The c."), d: int = Field(default=3)):
            """A bare decorator."""

        @mcp.tool(SEARCH)
        def by_constant(q: Annotated[str, "What to look for."]): ...

        @mcp.tool(name=Names.GO.value, description="By an enum.")
        def by_enum(): ...

        @mcp.tool(name=Auto.NOTES_AUTO)
        def by_auto(): ...

        @mcp.tool(name=NAMES["get"])
        def by_table(): ...

        @mcp.tool(name="notes_" + SEARCH)
        def computed(): ...

        for each in ("x", "y"):
            mcp.add_tool(other.shared, name=each)

        class Plugin:
            def __init__(self):
                self.server = OldFastMCP("old")
                self.server.add_tool(self.go, name="notes_method")
                self.server.tool()(self.other)

            def go(self, x: int):
                """A method."""

            def other(self, y: "list[str] | None" = None): ...

        class MyServer(MCPServer): ...

        mine = MyServer("mine")

        @mine.tool()
        def of_a_subclass(): ...

        def register(mcp, server: OldFastMCP):
            @mcp.tool()
            def of_a_parameter(): ...

            @server.tool("of_an_annotated_parameter")
            def inner(): ...

        @mine.list_tools()
        async def list_tools():
            return [
                types.Tool(
                    name="low_level",
                    description="As a list.",
                    inputSchema={"type": "object", "properties": {"p": {"type": "string"}}, "required": ["p"]},
                )
            ]

        mcp.tool(name="on_an_import")(other.shared)
        mcp.add_tool(Tool.from_function(other.shared, name="from_function"))
        CONFIG = {"name": "notes", "version": "1", "description": "no tool"}
    ''',
    "other.py": '''
        def shared(k: int = 1):
            """Shared."""
    ''',
}

AGENTS: Final[Plugin] = {
    "langchain_tools.py": '''
        from typing import Annotated, Type
        from langchain_core.tools import BaseTool, InjectedToolArg, StructuredTool, tool
        from langchain_core.callbacks import CallbackManagerForToolRun
        from langchain.agents import create_agent
        from pydantic import BaseModel, Field

        class Args(BaseModel):
            q: str = Field(description="The query.")
            n: int = 3

        @tool
        def lc_plain(a: int, user: Annotated[str, InjectedToolArg]) -> str:
            """Plain."""

        @tool("lc_named", args_schema=Args)
        def other_name(q, n):
            """Named."""

        def helper(z: float):
            """Helper."""

        made = StructuredTool.from_function(func=helper, name="lc_made", description="Made.")

        class Mine(BaseTool):
            name: str = "lc_class"
            description: str = "A class."

            def _run(self, q: str, run_manager: CallbackManagerForToolRun | None = None): ...

        agent = create_agent("model", tools=[lc_plain, helper])
    ''',
    "pydantic_tools.py": '''
        from pydantic_ai import Agent, RunContext, Tool
        from pydantic_ai.toolsets import FunctionToolset

        agent = Agent("m")
        toolset = FunctionToolset[int]()

        @agent.tool
        async def pa_roll(ctx: RunContext[int], n: int):
            """Roll."""

        @agent.tool_plain(name="pa_named")
        def plain():
            """Plain."""

        @toolset.tool
        def pa_set(q: str): ...

        def fn(x: int): ...

        other = Agent("m", tools=[fn, Tool(fn, name="pa_tool")])
        schema = Tool.from_schema(fn, name="pa_schema", description="S.", json_schema={"type": "object", "properties": {}})
    ''',
    "openai_tools.py": '''
        from agents import Agent, FunctionTool, RunContextWrapper, function_tool

        @function_tool(name_override="oa_override")
        def original(ctx: RunContextWrapper[int], q: str):
            """Override."""

        made = FunctionTool(name="oa_made", description="Made.", params_json_schema={"type": "object"}, on_invoke_tool=None)
        helper = Agent(name="helper")
        tool = helper.as_tool(tool_name="oa_agent", tool_description="An agent.")
    ''',
    "adk_tools.py": '''
        from google.adk.agents import Agent
        from google.adk.tools import FunctionTool, ToolContext
        from google.adk.tools.agent_tool import AgentTool

        def adk_weather(city: str, tool_context: ToolContext):
            """Weather."""

        def adk_long(x: int): ...

        root = Agent(name="adk_root", tools=[adk_weather, FunctionTool(func=adk_long)])
        used = AgentTool(agent=root)
    ''',
    "smol_tools.py": '''
        from smolagents import Tool, tool

        @tool
        def smol_function(a: int):
            """Function."""

        class Smol(Tool):
            name = "smol_class"
            description = "Class."
            inputs = {"q": {"type": "string", "description": "Q."}, "n": {"type": "integer", "nullable": True}}
            output_type = "string"

            def forward(self, q, n=None): ...
    ''',
    "specs.py": """
        OPENAI = [{
            "type": "function",
            "function": {"name": "spec_chat", "description": "C.", "parameters": {"type": "object", "properties": {}}},
        }]
        ANTHROPIC = {"name": "spec_messages", "description": "M.", "input_schema": {"type": "object", "properties": {
            "parameters": {"type": "string"}, "name": {"type": "string"}}}}
        CONFIG = {"name": "app", "parameters": {"retries": 3}}
    """,
    "unrelated.py": """
        from somewhere import registry, tool

        @tool
        def not_known(): ...

        @registry.tool("x")
        def neither(): ...
    """,
}

JAVASCRIPT: Final[Plugin] = {
    "server.ts": """
        import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
        import { z } from "zod";
        import { NAMES, Kind, SHARED } from "./names.js";
        const server = new McpServer({ name: "x", version: "1" });
        server.tool("web_get", "Get it.", { a: z.string().describe("The a."), n: z.number().int().optional() }, async () => {});
        server.tool("web_ping", async () => {});
        server.registerTool(NAMES.read, { description: "Read " + "it.", inputSchema: { p: z.string() } }, async () => {});
        server.registerTool(Kind.Go, { description: "Go.", inputSchema: SHARED }, async () => {});
        server.registerTool(`web_${y}`, { description: "Computed." }, async () => {});
        server.experimental.tasks.registerToolTask("web_long", {
          description: "Long.", inputSchema: z.object({ q: z.enum(["a", "b"]).default("a") }) }, handler);
        server.server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [
          { name: "low_one", description: "One.", inputSchema: { type: "object", properties: { z: { type: "string" } } } },
          { name: "low_two", description: "Two.", inputSchema: zodToJsonSchema(Foo) },
        ] }));
        const config = { name: "app", version: "1", args: ["x"] };
    """,
    "names.ts": """
        export const NAMES = { read: "web_read" } as const;
        export enum Kind { Go = "web_go" }
        export const SHARED = { s: z.array(z.string()) };
    """,
    "sdk.mjs": """
        import { tool } from "ai";
        export const weatherTool = tool({ description: "Weather.", inputSchema: z.object({ city: z.string() }), execute: f });
        const loose = tool({ description: "Never given.", inputSchema: z.object({}), execute() {} });
        generateText({ tools: { ai_weather: weatherTool, ai_inline: tool({ description: "I.", parameters: z.object({}) }) } });
    """,
    "plugin.js": """
        import { defineTool } from '@deepseek-ai/dsh-tools'
        const extractTool = defineTool({
          name: 'pdf_extract', description: 'Extract.',
          parameters: { path: { type: 'string', required: true } }, async execute() {} })
        function wrap(ctx, spec, fn) { ctx.tools.register(defineTool({ ...spec, execute: fn })) }
        export function apply(ctx) {
          ctx.tools.register(extractTool)
          wrap(ctx, { name: 'pdf_layout', description: "It's `odd` {", parameters: { columns: { type: 'number' } } }, f)
          ctx.capabilities.register({ id: 'pdf', description: 'Read a PDF.', operations: [
            { name: 'analyze', description: 'Analyze.', parameters: {
                path: { type: 'string', required: true },
                layout: { type: 'object', required: true, additionalProperties: false, properties: { columns: { type: 'number' } } } },
              steps: [{ tool: 'pdf_extract' }, { tool: 'pdf_layout', from: 'layuot' }] } ] })
        }
        // defineTool({ name: "in_a_comment" })
        const text = "defineTool({ name: 'in_a_text' })", template = `defineTool({ name: ${x} })`
    """,
}

DECLARED: Final[Plugin] = {
    "pdf.py": '''
        from typing import Annotated
        import attrs
        from capdeco import Context, Doc, Step, capability, operation, tool

        @attrs.frozen
        class LayoutOptions:
            columns: int = 1

        @tool(expose=False)
        async def pdf_extract(path: str, context: Context) -> object:
            """Extract the text layer of a PDF."""
            return await context.call("x")

        @tool(expose=False)
        async def pdf_layout(columns: int = 1) -> object:
            """Compute layout blocks."""

        @tool
        def pdf_info(path: Annotated[str, Doc("Path of the PDF.")]) -> object:
            """Say what it is."""

        @capability(id="pdf", description="Read a PDF document.")
        class Pdf:
            @operation(steps=[Step(pdf_extract), Step(pdf_layout, from_="layout")])
            def analyze(self, path: Annotated[str, Doc("Path of the PDF.")], layout: LayoutOptions) -> None:
                """Extract text and layout from a PDF in one call."""

            @operation(steps=[Step(pdf_extract), Step("pdf_layout", from_="layuot")])
            def scan(self, path: int, layout: LayoutOptions) -> None:
                """Get both wrong."""

            @operation(steps=[Step(pdf_info)])
            def info(self, path: str, verbose: bool = False) -> None:
                """Declare what nobody reads."""

            @operation(steps=[Step("elsewhere")])
            def far(self, path: str) -> None:
                """Name a tool that is not here."""
    ''',
}

ALL: Final = {"mcp": MCP, "agents": AGENTS, "javascript": JAVASCRIPT, "declared": DECLARED}
