"""A place in Python source where some framework makes a tool, and what every framework's module needs to read it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, TypeAlias

import attrs

from capdeco.check.analyze.python.classes import record_of
from capdeco.check.analyze.python.module import Scope, clipped, docstring, statements
from capdeco.check.analyze.python.project import Defined, Expression, External, Instance
from capdeco.check.analyze.python.shapes import Shapes
from capdeco.check.analyze.python.signature import function_named, takes_of
from capdeco.check.analyze.records import Dynamic, FoundTool, Text
from capdeco.check.analyze.schemas import COMPUTED, input_of_schema
from capdeco.declare.faults import Refused
from capdeco.declare.shape import Field, Object, Scalar, Unknown
from capdeco.declare.wiring import Input
from capdeco.errors import Place

_MISSING: Final = Dynamic("its name is not written here")


@attrs.frozen(eq=False)
class Site:
    """What a rule is given: the expression, what it names, and the function or class that it is about."""

    shapes: Shapes
    scope: Scope
    node: ast.expr | ast.stmt
    """Where the tool stands."""
    called: str
    """The full name of the decorator, callable or base class, as `mcp.server.fastmcp.FastMCP.tool`."""
    call: ast.Call | None
    """The call with the tool's options; a decorator without parentheses has none."""
    target: Defined | None
    """The function or class that becomes the tool, where the rule is about one."""
    framework: Framework

    @property
    def place(self) -> Place:
        """Where the report says that the tool is made."""
        if self.target is not None and self.node is self.target.node:
            return Place(self.target.scope.module.path, self.node.lineno)
        return Place(self.scope.module.path, self.node.lineno)

    # Arguments

    def argument(self, *names: str, at: int | None = None) -> ast.expr | None:
        """Give the argument with one of these names, or the one at a position from 0."""
        if self.call is None:
            return None
        for keyword in self.call.keywords:
            if keyword.arg in names:
                return keyword.value
        if at is None or len(self.call.args) <= at or any(isinstance(each, ast.Starred) for each in self.call.args):
            return None
        return self.call.args[at]

    def text(self, *names: str, at: int | None = None) -> Text | None:
        """Give the text of an argument, followed through constants and enums."""
        return self.shapes.project.text(self.argument(*names, at=at), self.scope)

    def function(self, *names: str, at: int | None = None) -> Defined | None:
        """Give the function of the folder that an argument names."""
        node = self.argument(*names, at=at)
        return None if node is None else function_named(self.shapes.project.resolve(node, self.scope))

    def listed_functions(self, *names: str, at: int | None = None) -> Iterator[tuple[ast.expr, Defined]]:
        """Give the functions of the folder in an argument that is a list, and where each is named."""
        node = self.argument(*names, at=at)
        thing = self.shapes.project.resolve(node, self.scope) if node is not None else None
        if isinstance(thing, Expression) and isinstance(thing.node, ast.List | ast.Tuple | ast.Set):
            for each in thing.node.elts:
                function = function_named(self.shapes.project.resolve(each, thing.scope))
                if function is not None and not self.is_tool_already(function):
                    yield each, function

    def is_tool_already(self, function: Defined) -> bool:
        """Tell whether a decorator of the same framework makes a tool of *function* where it stands."""
        for decorator in function.node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            thing = self.shapes.project.resolve(called, function.scope)
            if (
                isinstance(thing, External)
                and self.framework.is_home_of(thing.name)
                and any(tail in self.framework.decorators for tail in tails(thing.name))
            ):
                return True
        return False

    def class_text(self, name: str) -> Text | None:
        """Give a text that the target class sets in its body or passes to its base's `__init__`."""
        assert self.target is not None
        for each in self.shapes.project.lineage(self.target):
            if not isinstance(each, Defined) or not isinstance(each.node, ast.ClassDef):
                continue
            scope = self.shapes.project.inside(each)
            for statement in each.node.body:
                found = _assigned(statement, name)
                if found is not None:
                    return self.shapes.project.text(found, scope)
            for value in _passed_to_super(each.node, name):
                return self.shapes.project.text(value, scope)
        return None

    def class_value(self, name: str) -> tuple[ast.expr, Scope] | None:
        """Give an expression that the target class sets in its body."""
        assert self.target is not None
        for each in self.shapes.project.lineage(self.target):
            if isinstance(each, Defined) and isinstance(each.node, ast.ClassDef):
                for statement in each.node.body:
                    found = _assigned(statement, name)
                    if found is not None:
                        return found, self.shapes.project.inside(each)
        return None

    def method(self, *names: str) -> Defined | None:
        """Give the first of these methods that the target class has."""
        assert self.target is not None
        for name in names:
            method = function_named(self.shapes.project.member(Instance(self.target), name))
            if method is not None:
                return method
        return None

    # Tools

    def tool(self, name: Text | None, description: Text | None, takes: Input, *, exposed: bool = True) -> FoundTool:
        """Make a tool that stands here."""
        return FoundTool(
            name=name if name is not None else _MISSING,
            description=description,
            takes=takes,
            framework=self.framework.name,
            place=self.place,
            exposed=exposed,
        )

    def of_function(
        self,
        function: Defined,
        *,
        name: Text | None = None,
        description: Text | None = None,
        takes: Input | None = None,
        skip_first: bool = False,
        node: ast.expr | None = None,
    ) -> FoundTool:
        """Make the tool of a function: its name, docstring and signature, where nothing else is said."""
        site = self if node is None else attrs.evolve(self, node=node)
        if takes is None:
            takes = takes_of(self.shapes, function, self.framework.injects, skip_first)
        assert isinstance(function.node, ast.FunctionDef | ast.AsyncFunctionDef)
        return site.tool(
            name if name is not None else function.node.name,
            description if description is not None else docstring(function.node),
            takes,
        )

    def schema(self, *names: str, at: int | None = None) -> Input | None:
        """Read an argument that says what a tool takes: a JSON Schema, a class, or its `model_json_schema()`."""
        node = self.argument(*names, at=at)
        return None if node is None else self.schema_at(node, self.scope)

    def schema_at(self, node: ast.expr, scope: Scope) -> Input | None:
        """Read an expression as `schema` reads an argument; `None` where it is None."""
        project = self.shapes.project
        if isinstance(node, ast.Constant) and node.value is None:
            return None
        value, where = project.definition(node, scope) or (node, scope)
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            if value.func.attr in ("model_json_schema", "schema"):
                return self.class_at(value.func.value, where)
            if value.func.attr == "json_schema" and isinstance(value.func.value, ast.Call) and value.func.value.args:
                return self.class_at(value.func.value.args[0], where)
        if isinstance(project.resolve(node, scope), Defined):
            return self.class_at(node, scope)
        if isinstance(value, ast.Call):
            # `types.Schema(type=..., properties={...})` says it in a call.
            found = {each.arg: project.value(each.value, where) for each in value.keywords if each.arg}
            if "properties" in found:
                return input_of_schema(found)
        return input_of_schema(project.value(node, scope))

    def class_at(self, node: ast.expr, scope: Scope) -> Input:
        """Read a class of fields; what the framework gives is left out."""
        thing = self.shapes.project.resolve(node, scope)
        try:
            record = record_of(self.shapes, thing) if isinstance(thing, Defined) else None
        except Refused as refusal:
            return Unknown(str(refusal))
        if record is None or not isinstance(record.object, Object):
            return Unknown(f"{clipped(node)} is not known from the source" if record is None else COMPUTED)
        dropped = self._injected_fields(thing) if isinstance(thing, Defined) else frozenset[str]()
        return attrs.evolve(
            record.object, fields={name: field for name, field in record.object.fields.items() if name not in dropped}
        )

    def _injected_fields(self, owner: Defined) -> frozenset[str]:
        from capdeco.check.analyze.python.signature import is_injected  # noqa: PLC0415

        return frozenset(
            statement.target.id
            for each in self.shapes.project.lineage(owner)
            if isinstance(each, Defined)
            for statement in each.node.body
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
            if is_injected(
                self.shapes, statement.annotation, None, self.shapes.project.inside(each), self.framework.injects
            )
        )


Rule: TypeAlias = Callable[[Site], Iterable[FoundTool]]


@attrs.frozen(eq=False)
class Framework:
    """One row of the table: how a framework is imported, and which of its names make tools.

    A key is the last part of a full name: `tool` for a function of a module, `FastMCP.tool` for a method.
    """

    name: str
    homes: tuple[str, ...]
    """The packages that it is imported from; `?` stands for an object that is only known by its use."""
    decorators: Mapping[str, Rule] = attrs.field(factory=dict)
    """On a function or class, with or without arguments, or called on a function: `mcp.tool(name="x")(f)`."""
    calls: Mapping[str, Rule] = attrs.field(factory=dict)
    bases: Mapping[str, Rule] = attrs.field(factory=dict)
    """Classes that inherit from one of these."""
    injected: frozenset[str] = frozenset()
    """Last names of types whose parameters the framework gives, not the model."""

    def is_home_of(self, name: str) -> bool:
        """Tell whether a full name is imported from this framework."""
        return any(name.startswith(home + ".") for home in self.homes)

    def injects(self, name: str) -> bool:
        """Tell whether parameters of the type with this full name are given by the framework."""
        return name.rsplit(".", 1)[-1] in self.injected and not name.startswith("builtins.")


def tails(name: str) -> tuple[str, ...]:
    """Give the keys that *name* may stand under, the longer first."""
    parts = name.split(".")
    member = ".".join(parts[-2:])
    # `FastMCP.tool` is no function called `tool`.
    return (member,) if parts[-2:-1] and parts[-2][:1].isupper() else (member, parts[-1])


def same_function(site: Site) -> Iterable[FoundTool]:
    """Read a decorator that takes `name=` and `description=`; its first argument is a name or the function."""
    first = site.argument(at=0)
    if site.target is None:
        function = site.function(at=0)
        if function is None:
            return ()
        return (site.of_function(function, name=site.text("name"), description=site.text("description")),)
    if isinstance(site.target.node, ast.ClassDef):
        return ()
    named = site.text("name", "name_or_fn")
    if named is None and first is not None:
        named = site.shapes.project.text(first, site.scope)
    return (site.of_function(site.target, name=named, description=site.text("description")),)


def given_functions(*names: str, at: int | None = None) -> Rule:
    """Make the rule of a call that takes plain functions in a list."""

    def rule(site: Site) -> Iterator[FoundTool]:
        for node, function in site.listed_functions(*names, at=at):
            yield site.of_function(function, node=node)

    return rule


def given_function(site: Site) -> Iterable[FoundTool]:
    """The rule of `add_tool(function, name=..., description=...)`."""
    function = site.function("fn", "func", "function", "tool", at=0)
    if function is None or (site.argument("name") is None and site.is_tool_already(function)):
        return ()
    return (site.of_function(function, name=site.text("name"), description=site.text("description")),)


def text_input(name: str) -> Object:
    """What a tool takes that is given one text."""
    return Object({name: Field(Scalar("string"))})


def _assigned(statement: ast.stmt, name: str) -> ast.expr | None:
    match statement:
        case ast.Assign(targets=[ast.Name(id=found)], value=value) if found == name:
            return value
        case ast.AnnAssign(target=ast.Name(id=found), value=value) if found == name:
            return value
        case ast.FunctionDef(name=found, decorator_list=[_, *_]) if found == name:
            # `@property def name(self): return "x"`
            returned = [each.value for each in statements(statement) if isinstance(each, ast.Return)]
            return returned[0] if len(returned) == 1 else None
        case _:
            return None


def _passed_to_super(node: ast.ClassDef, name: str) -> Iterator[ast.expr]:
    for method in node.body:
        if isinstance(method, ast.FunctionDef) and method.name == "__init__":
            for statement in statements(method):
                match statement:
                    case ast.Expr(value=ast.Call(func=ast.Attribute(attr="__init__"), keywords=keywords)):
                        yield from (each.value for each in keywords if each.arg == name)
                    case ast.Assign(targets=[ast.Attribute(attr=found)], value=value) if found == name:
                        yield value
