"""The table of forms in which JavaScript makes a tool: by the name of what is called or inherited from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

import attrs

from capdeco.check.analyze.javascript.module import (
    FUNCTIONS,
    JsExternal,
    JsProject,
    JsScope,
    JsThing,
    JsWritten,
    fields_of,
    properties,
    text_of,
    unwrapped,
)
from capdeco.check.analyze.javascript.shapes import JsShapes
from capdeco.check.analyze.records import Dynamic, FoundTool, Text
from capdeco.check.analyze.schemas import is_schema
from capdeco.declare.shape import Object, Unknown
from capdeco.errors import Place

if TYPE_CHECKING:
    from tree_sitter import Node

_SCHEMA_KEYS: Final = ("inputSchema", "input_schema", "parameters", "schema", "args", "paramsSchema")
_HANDLERS: Final = ("execute", "handler", "run", "func", "invoke", "call", "callback", "fn")
UNNAMED: Final = Dynamic("")
"""The tool's name is the key that it is given under."""


@attrs.frozen(eq=False)
class JsTool:
    """A tool, and the object literal that specifies it, if one does."""

    tool: FoundTool
    spec: JsWritten | None = None


@attrs.frozen(eq=False)
class JsSite:
    """A call, `new` or class that may make a tool."""

    project: JsProject
    shapes: JsShapes
    scope: JsScope
    node: Node
    function: Node
    arguments: list[Node]
    thing: JsThing | None
    """What the called name means."""

    @property
    def place(self) -> Place:
        """Where the report says that the tool is made."""
        return Place(self.scope.module.path, self.node.start_point[0] + 1)

    @property
    def package(self) -> str:
        """The package that the called name was imported from; empty if none."""
        return self.thing.package if isinstance(self.thing, JsExternal) else ""

    def argument(self, at: int) -> Node | None:
        """Give the argument at a position from 0."""
        return unwrapped(self.arguments[at]) if len(self.arguments) > at else None

    def text(self, at: int) -> Text | None:
        """Give the text of an argument, followed through constants and enums."""
        node = self.argument(at)
        return None if node is None else self.project.text(node, self.scope)

    def object_at(self, node: Node | None) -> JsWritten | None:
        """Give the object literal that *node* is or names."""
        thing = self.project.resolve(node, self.scope) if node is not None else None
        return thing if isinstance(thing, JsWritten) and thing.node.type == "object" else None

    def is_function(self, at: int) -> bool:
        """Tell whether an argument is, or may be, a function."""
        node = self.argument(at)
        if node is None:
            return False
        thing = self.project.resolve(node, self.scope)
        return thing is None or (isinstance(thing, JsWritten) and thing.node.type in FUNCTIONS)

    def tool_of(self, spec: JsWritten, framework: str) -> FoundTool:
        """Make the tool that an object specifies."""
        return spec_of(spec, self.project, self.shapes, framework, self.place)


Form: TypeAlias = Callable[[JsSite], list[JsTool]]


def spec_of(spec: JsWritten, project: JsProject, shapes: JsShapes, framework: str, place: Place) -> FoundTool:
    """Read an object that says what a tool is."""
    found = properties(spec.node)
    inner = found.get("function")
    if inner is not None and unwrapped(inner).type == "object":
        found = properties(unwrapped(inner))
    name = project.text(found.get("name") or found.get("id"), spec.scope)
    schema = next((found[key] for key in _SCHEMA_KEYS if key in found), None)
    spread = any(each.type == "spread_element" for each in spec.node.named_children)
    return FoundTool(
        name=name if name is not None else UNNAMED,
        description=project.text(found.get("description"), spec.scope),
        takes=Unknown("its parameters may be among what is spread") if schema is None and spread
        else shapes.input_at(schema, spec.scope),
        framework=framework,
        place=place,
    )  # fmt: skip


def is_spec(spec: JsWritten, project: JsProject, *, handed_over: bool, called: str) -> bool:
    """Tell whether an object says what a tool is: a name and a schema, not a name with settings.

    Args:
        spec: the object.
        project: its folder.
        handed_over: it is given to a function of the folder, so a name, a text and a handler are enough if that
            function speaks of tools.
        called: the name of that function.
    """
    found = properties(spec.node)
    inner = found.get("function")
    kind = project.value(found["type"], spec.scope) if "type" in found else None
    if kind == "function" and inner is not None and unwrapped(inner).type == "object":
        return "name" in properties(unwrapped(inner))
    if "name" not in found or "steps" in found:
        return False
    name = project.value(found["name"], spec.scope)
    if not isinstance(name, str | Dynamic):
        return False
    described = "description" in found
    handled = any(key in found and _is_handler(found[key]) for key in _HANDLERS)
    key = next((each for each in _SCHEMA_KEYS if each in found), None)
    if key is None:
        return handed_over and described and handled and "tool" in called.lower()
    if key == "args" and not handled:
        return False
    written = project.resolve(found[key], spec.scope)
    if isinstance(written, JsWritten) and written.node.type == "object":
        schema = project.value(written.node, written.scope)
        return is_schema(schema) or (described and (handled or handed_over))
    computed = not isinstance(written, JsWritten) or written.node.type == "call_expression"
    return described and computed and (handled or handed_over or key in ("inputSchema", "input_schema", "parameters"))


def _is_handler(node: Node) -> bool:
    node = unwrapped(node)
    return node.type in FUNCTIONS or node.type in ("identifier", "shorthand_property_identifier", "member_expression")


# Forms


def _from_spec(framework: str) -> Form:
    """The call takes one object that says everything."""

    def form(site: JsSite) -> list[JsTool]:
        spec = site.object_at(site.argument(0))
        if spec is None or "name" not in properties(spec.node):
            return []
        return [JsTool(site.tool_of(spec, framework), spec)]

    return form


def _define_tool(site: JsSite) -> list[JsTool]:
    """`defineTool({...})`; the name may be the key it stands under."""
    spec = site.object_at(site.argument(0))
    if spec is None:
        name = site.text(0)
        settings = site.object_at(site.argument(1))
        if isinstance(name, str) and settings is not None:
            tool = attrs.evolve(site.tool_of(settings, "defineTool"), name=name)
            return [JsTool(tool, settings)]
        return []
    found = properties(spec.node)
    if "name" not in found and "description" not in found and "id" not in found:
        return []
    return [JsTool(site.tool_of(spec, "defineTool"), spec)]


_TOOL_PACKAGES: Final = {
    "ai": "ai-sdk",
    "@langchain/core/tools": "langchain",
    "langchain": "langchain",
    "@openai/agents": "openai-agents",
    "@openai/agents-core": "openai-agents",
    "@opencode-ai/plugin": "opencode",
    "@anthropic-ai/claude-agent-sdk": "mcp",
}


def _tool(site: JsSite) -> list[JsTool]:
    """`tool({...})`, `tool(function, {...})`, `tool("name", "description", schema, function)`, `server.tool(...)`."""
    first = site.argument(0)
    if first is None:
        return []
    if site.function.type == "member_expression" or site.package == "@anthropic-ai/claude-agent-sdk":
        return _server_tool(site)
    framework = _TOOL_PACKAGES.get(site.package, "function-spec")
    spec = site.object_at(first)
    if spec is not None:
        found = properties(spec.node)
        if "description" in found and any(key in found for key in (*_SCHEMA_KEYS, *_HANDLERS)):
            return [JsTool(site.tool_of(spec, framework), spec)]
        return []
    settings = site.object_at(site.argument(1))
    if settings is not None and "name" in properties(settings.node) and site.is_function(0):
        return [JsTool(site.tool_of(settings, framework), settings)]
    return []


def _server_tool(site: JsSite) -> list[JsTool]:
    """`server.tool(name, description?, schema?, annotations?, handler)`."""
    if len(site.arguments) < 2 or not site.is_function(len(site.arguments) - 1):
        return []
    name = site.text(0)
    if name is None:
        return []
    at = 1
    description = None
    second = site.argument(1)
    if second is not None and len(site.arguments) > 2 and isinstance(site.project.value(second, site.scope), str):
        description, at = site.text(1), 2
    schema = site.argument(at) if at < len(site.arguments) - 1 else None
    takes = site.shapes.input_at(schema, site.scope) if schema is not None else Object()
    tool = FoundTool(name=name, description=description, takes=takes, framework="mcp", place=site.place)
    return [JsTool(tool, site.object_at(schema))]


def _register_tool(site: JsSite) -> list[JsTool]:
    """`server.registerTool(name, {description, inputSchema}, handler)`; or one object that says everything."""
    spec = site.object_at(site.argument(0))
    if spec is not None:
        return [JsTool(site.tool_of(spec, "function-spec"), spec)] if "name" in properties(spec.node) else []
    settings = site.object_at(site.argument(1))
    name = site.text(0)
    if name is None or len(site.arguments) < 2:
        return []
    if settings is None:
        if site.is_function(1):
            return []  # a local function of that name, which is read for itself
        settings_node = site.argument(1)
        if settings_node is None or len(site.arguments) < 3:
            return []
        takes = Unknown(f"its parameters are computed: {text_of(settings_node)[:60]}")
        return [JsTool(FoundTool(name=name, description=None, takes=takes, framework="mcp", place=site.place))]
    tool = attrs.evolve(site.tool_of(settings, "mcp"), name=name)
    return [JsTool(tool, settings)]


def _register(site: JsSite) -> list[JsTool]:
    """`ctx.tools.register({...})`, of an object that is written here or elsewhere in the folder."""
    owner = text_of(site.function.child_by_field_name("object"))
    spec = site.object_at(site.argument(0))
    if not owner.lower().endswith(("tools", "toolregistry")) or spec is None or "name" not in properties(spec.node):
        return []
    return [JsTool(site.tool_of(spec, "tools.register"), spec)]


def _tool_class(site: JsSite) -> list[JsTool]:
    """`class X extends StructuredTool { name = "x"; description = "..."; schema = z.object({...}) }`."""
    found = fields_of(site.node)
    name = site.project.text(found.get("name"), site.scope)
    if name is None:
        return []
    schema = next((found[key] for key in _SCHEMA_KEYS if key in found), None)
    tool = FoundTool(
        name=name,
        description=site.project.text(found.get("description"), site.scope),
        takes=site.shapes.input_at(schema, site.scope) if schema is not None else Unknown("it has no schema"),
        framework="tool class",
        place=site.place,
    )
    return [JsTool(tool)]


CALLS: Final[Mapping[str, tuple[Form, ...]]] = {
    "defineTool": (_define_tool,),
    "createTool": (_define_tool,),
    "tool": (_tool,),
    "dynamicTool": (_tool,),
    "registerTool": (_register_tool,),
    "registerToolTask": (_register_tool,),
    "registerAppTool": (_register_tool,),
    "addTool": (_from_spec("fastmcp"),),
    "register": (_register,),
    "DynamicStructuredTool": (_from_spec("langchain"),),
    "DynamicTool": (_from_spec("langchain"),),
    "FunctionTool": (_from_spec("google-adk"),),
}
"""Last name of what is called -> the forms it may be, tried in order."""

CLASSES: Final[Mapping[str, tuple[Form, ...]]] = {
    "StructuredTool": (_tool_class,),
    "Tool": (_tool_class,),
    "MCPTool": (_tool_class,),
    "BaseTool": (_tool_class,),
}
