"""`@tool` and `Tool.of` in Python source, and which tool a step names."""

from __future__ import annotations

import ast
from typing import Final

import attrs

from capdeco.check.analyze.declared import Declarations
from capdeco.check.analyze.python.marks import Marked, check_above, marks_of, said_by, unseen
from capdeco.check.analyze.python.module import Scope, clipped, docstring
from capdeco.check.analyze.python.options import is_builtin, makes_tool_of, tagged_by
from capdeco.check.analyze.python.parameters import ParameterReader
from capdeco.check.analyze.python.project import Defined, External, Instance
from capdeco.check.analyze.python.shapes import Shapes
from capdeco.check.analyze.python.signature import function_named, is_class_method
from capdeco.check.analyze.records import Dynamic, Text
from capdeco.declare import faults
from capdeco.declare.faults import Flaw
from capdeco.declare.names import is_blank
from capdeco.declare.shape import Unknown
from capdeco.declare.wiring import Input
from capdeco.errors import Place

COPIED: Final = "its signature is another function's"


@attrs.frozen
class Named:
    """The tool that a step names."""

    name: Text
    takes: Input | None = None
    """What it takes, if known."""
    flaw: Flaw | None = None
    """Why it is none."""


def _no_tool(node: ast.expr, name: str) -> Named:
    return Named(Dynamic(clipped(node)), flaw=faults.no_tool(f'"{name}"'))


@attrs.frozen(eq=False)
class ToolReader:
    """Reads what carries `@tool` or is made a tool, and the tools that steps name."""

    shapes: Shapes
    """Strict ones."""
    into: Declarations

    def tool(self, target: Defined, mark: Marked) -> tuple[str, Text | None, Input, bool] | None:
        """Read what carries `@tool`: name, description, what it takes, whether a model sees it; refusals are noted."""
        node = target.node
        place = Place(target.scope.module.path, node.lineno)
        if isinstance(node, ast.ClassDef):
            self.into.perhaps.add((place.file, node.name))  # it can be called, and what it takes is not read
            return None
        name = mark.text("name", self.shapes.project)
        said = said_by(self.shapes.project, target)
        if said is None:
            check_above(mark, target, "@tool", self.shapes.project, self.into)
            return None
        node = said.node
        assert not isinstance(node, ast.ClassDef)
        name = node.name if name is None else name
        if isinstance(name, Dynamic):
            return None
        flaw = faults.tool_name(name)
        if flaw:
            self.into.refuse(flaw, mark.place("name", place))
        description = mark.description(node, self.shapes.project)
        if description is None or (isinstance(description, str) and is_blank(description)):
            self.into.refuse(faults.no_description("tool", name), mark.place("description", place))
        check_above(mark, target, "@tool", self.shapes.project, self.into)
        takes, _ = ParameterReader(self.shapes, self.into).takes(said, is_tool=True, names=unseen(mark, target))
        exposed = mark.option("expose")
        internal = isinstance(exposed, ast.Constant) and exposed.value is False
        return name, description, takes, not internal

    def named_by(self, node: ast.expr, scope: Scope) -> Named:
        """Say which tool the first argument of a step names."""
        project = self.shapes.project
        thing = project.resolve(node, scope)
        function = function_named(thing)
        if function is not None:
            assert not isinstance(function.node, ast.ClassDef)
            marks = marks_of(self.shapes.project, function.node, function.scope)
            mark = marks.get("tool")
            if mark is None and "operation" in marks:
                return self._operation_named(function)
            if mark is not None and function.bound and not is_class_method(function.node):
                return Named(Dynamic(clipped(node)), flaw=faults.of_an_object("tool", function.node.name))
            if mark is None and function.node.decorator_list:
                return Named(Dynamic(clipped(node)))  # one of somebody's own may be made of ours
            tagged = tagged_by(project, function) if mark is None else None
            if tagged is not None:
                return self._tool_made(*tagged, function.scope)
            if mark is None:
                return _no_tool(node, function.node.name)
            name = mark.text("name", self.shapes.project)
            function = said_by(self.shapes.project, function)
            if function is None:
                return Named(Dynamic(clipped(node)) if name is None else name, Unknown(COPIED))
            quiet = ParameterReader(self.shapes, Declarations())  # what is wrong with the tool is said where it stands
            takes, _ = quiet.takes(function, is_tool=True)
            assert not isinstance(function.node, ast.ClassDef)
            return Named(function.node.name if name is None else name, takes)
        made = project.definition(node, scope)
        if made is not None and isinstance(made[0], ast.Call):
            options = makes_tool_of(project, made[0], made[1])
            if options is not None:
                return self._tool_made(made[0], options, made[1])
        if isinstance(thing, Defined):
            is_tool = "tool" in marks_of(project, thing.node, thing.scope)
            return Named(Dynamic(clipped(node))) if is_tool else _no_tool(node, thing.node.name)
        if is_builtin(thing):
            return _no_tool(node, clipped(node))
        if isinstance(thing, Instance | External) or thing is None:
            return Named(Dynamic(clipped(node)))
        value = project.value(node, scope)
        if isinstance(value, str | Dynamic):
            return Named(value)
        return Named(Dynamic(clipped(node)), flaw=faults.step_tool(value))

    def _operation_named(self, function: Defined) -> Named:
        """Refuse the function of an operation as a step, and say what it is called as a tool."""
        node, scope = function.node, function.scope
        marks = marks_of(self.shapes.project, node, scope)
        owner = scope.owner
        if owner is not None:
            capability = marks_of(self.shapes.project, owner, scope.parent or scope.module.scope).get("capability")
        else:
            capability = marks.get("capability")
        id_ = capability.text("id", self.shapes.project) if capability is not None else None
        given = marks["operation"].text("name", self.shapes.project)
        name = given if isinstance(given, str) else node.name
        flaw = faults.operation_as_tool(node.name, id_ if isinstance(id_, str) else None, name)
        return Named(Dynamic(node.name), flaw=flaw)

    def _tool_made(self, call: ast.Call, options: list[ast.keyword], scope: Scope) -> Named:
        name = next((each.value for each in options if each.arg == "name"), None)
        function = function_named(self.shapes.project.resolve(call.args[0], scope)) if call.args else None
        takes = None
        if function is not None:
            takes, _ = ParameterReader(self.shapes, Declarations()).takes(function, is_tool=True)
        if name is not None:
            text = self.shapes.project.text(name, scope) or Dynamic()
            return Named(text, takes or Unknown("its function is elsewhere"))
        if function is None or isinstance(function.node, ast.ClassDef):
            return Named(Dynamic(clipped(call)))
        return Named(function.node.name, takes)

    def made(self, call: ast.Call, options: list[ast.keyword], scope: Scope) -> None:
        """Hold `Tool.of(function, ...)`, `tool(function)` and `tool(...)(function)` to what import refuses."""
        given = {each.arg: each.value for each in options}
        if not call.args or None in given:
            return
        written, path = call.args[0], scope.module.path
        function = function_named(self.shapes.project.resolve(written, scope))
        if function is not None and (function.node.decorator_list or isinstance(function.node, ast.ClassDef)):
            function = None  # what stands above it may make anything of it
        name = self.shapes.project.text(given.get("name"), scope)
        if name is None:
            name = function.node.name if function else "<lambda>" if isinstance(written, ast.Lambda) else Dynamic()
        flaw = faults.tool_name(name) if isinstance(name, str) else None
        if flaw:
            self.into.refuse(flaw, Place(path, given.get("name", written).lineno))
        description = self.shapes.project.text(given.get("description"), scope)
        if description is None and function is not None:
            assert not isinstance(function.node, ast.ClassDef)
            description = docstring(function.node) or ""
        elif description is None and not isinstance(written, ast.Lambda):
            description = Dynamic()
        if description is None or (isinstance(description, str) and is_blank(description)):
            at = Place(path, given.get("description", written).lineno)
            self.into.refuse(faults.no_description("tool", name if isinstance(name, str) else "?"), at)
        for each in ast.walk(written.args) if isinstance(written, ast.Lambda) else ():
            if isinstance(each, ast.arg):
                self.into.refuse(faults.no_annotation("<lambda>", each.arg), Place(path, written.lineno))
        if function is not None:
            found = Declarations()
            ParameterReader(self.shapes, found).takes(function, is_tool=True)
            self.into.refuse_as(found, Place(path, written.lineno))
