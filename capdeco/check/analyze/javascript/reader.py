"""JavaScript and TypeScript files -> tools and declarations: one walk over each tree, asking the table of forms."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import attrs

from capdeco.check.analyze.declared import Declarations, looks_like_capability
from capdeco.check.analyze.javascript.forms import CALLS, CLASSES, Form, JsSite, is_spec, spec_of
from capdeco.check.analyze.javascript.module import (
    FUNCTIONS,
    JsExternal,
    JsModule,
    JsProject,
    JsScope,
    JsWritten,
    argument_nodes,
    first_error,
    key_of,
    properties,
    text_of,
    unwrapped,
)
from capdeco.check.analyze.javascript.shapes import JsShapes
from capdeco.check.analyze.records import Dynamic, FoundTool, Unread
from capdeco.errors import Place

if TYPE_CHECKING:
    from tree_sitter import Node

_MENTIONS: Final = re.compile(rb"tool|Tool|TOOL|capabilit|inputSchema|input_schema|parameters|operations")


@attrs.define(eq=False)
class JavaScriptReader:
    """Reads the JavaScript and TypeScript files of one folder, one by one."""

    project: JsProject
    declarations: Declarations
    shapes: JsShapes = attrs.field(init=False)
    tools: list[FoundTool] = attrs.field(factory=list, init=False)
    _seen: set[tuple[str, Place]] = attrs.field(factory=set, init=False)
    _claimed: set[tuple[str, int]] = attrs.field(factory=set, init=False)
    """Objects that a call has said what to make of: path and offset."""
    _unnamed: dict[tuple[str, int], FoundTool] = attrs.field(factory=dict, init=False)
    """Tools that have no name of their own, until the key is met that they are given under."""
    _keyed: set[tuple[str, int]] = attrs.field(factory=set, init=False)

    def __attrs_post_init__(self) -> None:
        self.shapes = JsShapes(self.project)

    def read(self, path: str, data: bytes) -> Unread | None:
        """Read one file; what it gives back says what was not read of it.

        Raises:
            TimeUp: the time limit was reached.
        """
        self.project.forget()
        module = self.project.add(path, data)
        if module is None:
            from capdeco.check.analyze.javascript.module import NEEDS  # noqa: PLC0415

            return Unread(path, NEEDS)
        if _MENTIONS.search(data):
            self._walk(module)
        if module.root.has_error:
            line = first_error(module.root)
            return Unread(path, f"a syntax error at line {line}: only what stands around it was read", partly=True)
        return None

    def finish(self) -> list[FoundTool]:
        """Give all tools; those whose key was never met have a dynamic name."""
        leftover = [tool for at, tool in self._unnamed.items() if at not in self._keyed]
        return self.tools + leftover

    def _walk(self, module: JsModule) -> None:
        pending: list[tuple[Node, JsScope, str | None]] = [(module.root, module.scope, None)]
        count = 0
        while pending:
            node, scope, key = pending.pop()
            count += 1
            if count % 2000 == 0:
                self.project.clock.check()
            kind = node.type
            if kind in ("call_expression", "new_expression"):
                self._call(node, scope, key)
            elif kind == "object":
                self._object(node, scope)
            elif kind in ("class_declaration", "class"):
                self._class(node, scope)
            if kind in FUNCTIONS:
                scope = scope.below(node)
            key = key_of(node.child_by_field_name("key")) if kind == "pair" else None
            pending += [(each, scope, key) for each in reversed(node.named_children)]

    # Calls

    def _call(self, node: Node, scope: JsScope, key: str | None) -> None:
        function = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        if function is None:
            return
        function = unwrapped(function)
        name = text_of(function.child_by_field_name("property") if function.type == "member_expression" else function)
        thing = self.project.resolve(function, scope)
        if isinstance(thing, JsExternal) and function.type == "identifier":
            name = thing.name.rsplit(".", 1)[-1] if thing.name not in ("*", "default") else name
        site = JsSite(self.project, self.shapes, scope, node, function, argument_nodes(node), thing)
        for form in CALLS.get(name, ()):
            if self._apply(form, site, key):
                return
        self._wrapper(site)

    def _apply(self, form: Form, site: JsSite, key: str | None) -> bool:
        found = form(site)
        if not found:
            return False
        for each in found:
            if each.spec is not None:
                self._claim(each.spec)
            if each.tool.name == Dynamic(""):
                at = (site.scope.module.path, site.node.start_byte)
                if key is not None:
                    self._add(attrs.evolve(each.tool, name=key))
                else:
                    self._unnamed[at] = attrs.evolve(each.tool, name=Dynamic("the key that it is given under"))
            else:
                self._add(each.tool)
        return True

    def _wrapper(self, site: JsSite) -> None:
        """An object that says what a tool is, handed to a function of the folder."""
        if not isinstance(site.thing, JsWritten) or site.thing.node.type not in FUNCTIONS:
            return
        for argument in site.arguments:
            spec = site.object_at(argument)
            if spec is None or (spec.scope.module.path, spec.node.start_byte) in self._claimed:
                continue
            if is_spec(spec, self.project, handed_over=True, called=text_of(site.function)):
                self._claim(spec)
                self._add(site.tool_of(spec, "function-spec"))

    def _claim(self, spec: JsWritten) -> None:
        self._claimed.add((spec.scope.module.path, spec.node.start_byte))

    # Objects and classes

    def _object(self, node: Node, scope: JsScope) -> None:
        found = properties(node)
        if "tools" in found:
            self._keys(found["tools"], scope)
        if (scope.module.path, node.start_byte) in self._claimed:
            return
        if "operations" in found and "id" in found:
            value = self.project.value(node, scope)
            if isinstance(value, Mapping) and looks_like_capability(value):
                self.declarations.add_mapping(value, Place(scope.module.path, node.start_point[0] + 1))
                return
        written = JsWritten(node, scope)
        if is_spec(written, self.project, handed_over=False, called=""):
            self._claim(written)
            place = Place(scope.module.path, node.start_point[0] + 1)
            framework = "mcp" if "inputSchema" in found else "function-spec"  # nobody else spells it so
            self._add(spec_of(written, self.project, self.shapes, framework, place))
            inner = found.get("function")
            if inner is not None:
                self._claim(JsWritten(unwrapped(inner), scope))

    def _keys(self, node: Node, scope: JsScope) -> None:
        """`tools: { weather: weatherTool }` names a tool that was made elsewhere."""
        thing = self.project.resolve(node, scope)
        if not isinstance(thing, JsWritten) or thing.node.type != "object":
            return
        for name, value in properties(thing.node).items():
            made = self.project.resolve(value, thing.scope)
            if isinstance(made, JsWritten) and made.node.type == "call_expression" and made.node.id != value.id:
                at = (made.scope.module.path, made.node.start_byte)
                tool = self._unnamed.get(at)
                if tool is not None:
                    self._keyed.add(at)
                    self._add(attrs.evolve(tool, name=name))

    def _class(self, node: Node, scope: JsScope) -> None:
        heritage = next((each for each in node.named_children if each.type == "class_heritage"), None)
        if heritage is None:
            return
        base = re.split(r"[\s<({.]+", text_of(heritage).removeprefix("extends").strip())
        for form in (form for name in base[:2] for form in CLASSES.get(name, ())):
            tool = form(JsSite(self.project, self.shapes, scope, node, node, [], None))
            for each in tool:
                self._add(each.tool)

    def _add(self, tool: FoundTool) -> None:
        key = (repr(tool.name), tool.place)
        if key not in self._seen:
            self._seen.add(key)
            self.tools.append(tool)
