"""Python files -> tools and declarations: one walk over each tree, asking the table of frameworks at every place."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import attrs

from capdeco.check.analyze.declared import Declarations, looks_like_capability
from capdeco.check.analyze.files import Clock
from capdeco.check.analyze.frameworks import FRAMEWORKS
from capdeco.check.analyze.frameworks.model_apis import SCHEMA_KEYS, spec_tool
from capdeco.check.analyze.frameworks.site import Framework, Rule, Site, tails
from capdeco.check.analyze.py_classes import fields_of
from capdeco.check.analyze.py_declared import Reader
from capdeco.check.analyze.py_module import Function, Module, Scope
from capdeco.check.analyze.py_project import ANYTHING, Defined, External, Project, Thing
from capdeco.check.analyze.py_shapes import Shapes
from capdeco.check.analyze.py_signature import function_named
from capdeco.check.analyze.records import FoundTool
from capdeco.errors import Place

_MENTIONS: Final = re.compile(
    rb"tool|Tool|TOOL|capability|FunctionDeclaration|[\"'](?:function|parameters|input_schema|inputSchema|operations)[\"']"
)
"""A file without any of these words makes no tool; it is parsed, and read further if another asks for its names."""

_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_LEAVES: Final = frozenset({ast.Name, ast.Constant, ast.Import, ast.ImportFrom, ast.Pass, ast.arguments, ast.Global})
_SPEC_NAMES: Final = ("name", "function")


@attrs.frozen(eq=False)
class _Table:
    """The rules of all frameworks, by the last part of the name that they are about."""

    decorators: Mapping[str, tuple[tuple[Framework, Rule], ...]]
    calls: Mapping[str, tuple[tuple[Framework, Rule], ...]]
    bases: Mapping[str, tuple[tuple[Framework, Rule], ...]]

    @classmethod
    def of(cls, frameworks: Iterable[Framework]) -> _Table:
        def by_tail(kind: str) -> dict[str, tuple[tuple[Framework, Rule], ...]]:
            found: dict[str, tuple[tuple[Framework, Rule], ...]] = {}
            for framework in frameworks:
                for tail, rule in getattr(framework, kind).items():
                    found[tail] = (*found.get(tail, ()), (framework, rule))
            return found

        return cls(by_tail("decorators"), by_tail("calls"), by_tail("bases"))


def _match(rules: Mapping[str, tuple[tuple[Framework, Rule], ...]], name: str) -> tuple[Framework, Rule] | None:
    for tail in tails(name):
        for framework, rule in rules.get(tail, ()):
            if framework.is_home_of(name):
                return framework, rule
    return None


@attrs.define(eq=False)
class PythonReader:
    """Reads the Python files of one folder, one by one."""

    project: Project
    declarations: Declarations
    clock: Clock
    shapes: Shapes = attrs.field(init=False)
    tools: list[FoundTool] = attrs.field(factory=list, init=False)
    _strict: Shapes = attrs.field(init=False)
    _table: _Table = attrs.field(init=False)
    _seen: set[tuple[str, Place]] = attrs.field(factory=set, init=False)

    def __attrs_post_init__(self) -> None:
        self.shapes = Shapes(self.project, fields_of)
        self._strict = Shapes(self.project, fields_of, strict=True)
        self._table = _Table.of(FRAMEWORKS)

    def read(self, path: str, data: bytes) -> None:
        """Read one file.

        Raises:
            Unparsable: it is no Python of this version; the message says why.
            TimeUp: the time limit was reached.
        """
        self.project.forget()
        module = self.project.add(path, data)
        if _MENTIONS.search(data):
            self._walk(module)

    def _walk(self, module: Module) -> None:
        pending: list[tuple[ast.AST, Scope]] = [(module.tree, module.scope)]
        skipped: set[ast.AST] = set()
        count = 0
        while pending:
            node, scope = pending.pop()
            kind = node.__class__
            count += 1
            if count % 2000 == 0:
                self.clock.check()
            inner = scope
            if kind is ast.FunctionDef or kind is ast.AsyncFunctionDef or kind is ast.ClassDef:
                assert isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
                self._definition(node, scope)
                inner = scope.below(node)
                # A list of statements is popped from its end, so the first goes on last: source order.
                pending += [(each, inner) for each in reversed(node.body)]
                pending += [(each, scope) for each in node.decorator_list if isinstance(each, ast.Call)]
                continue
            if kind is ast.Call:
                assert isinstance(node, ast.Call)
                self._call(node, scope)
            elif kind is ast.Dict:
                assert isinstance(node, ast.Dict)
                if node in skipped or self._dictionary(node, scope):
                    skipped.update(each for each in node.values if isinstance(each, ast.Dict))
            elif kind is ast.Lambda:
                assert isinstance(node, ast.Lambda)
                inner = scope.below(node)
            below: list[tuple[ast.AST, Scope]] = []
            for value in node.__dict__.values():
                if value.__class__ is list:
                    below += [
                        (each, inner) for each in value if isinstance(each, ast.AST) and each.__class__ not in _LEAVES
                    ]
                elif isinstance(value, ast.AST) and value.__class__ not in _LEAVES:
                    below.append((value, inner))
            below.reverse()
            pending += below

    # Definitions

    def _definition(self, node: ast.ClassDef | Function, scope: Scope) -> None:
        target = Defined(node, scope)
        if node.decorator_list:
            self._declared(target)
        for decorator in node.decorator_list:
            call = decorator if isinstance(decorator, ast.Call) else None
            thing = self.project.resolve(call.func if call else decorator, scope)
            if isinstance(thing, External):
                self._apply(self._decorator_rule(thing.name, target), node, thing.name, scope, call, target)
        if isinstance(node, ast.ClassDef) and node.bases:
            for each in self.project.lineage(target):
                if isinstance(each, External):
                    self._apply(_match(self._table.bases, each.name), node, each.name, scope, None, target)

    def _decorator_rule(self, name: str, target: Defined | None) -> tuple[Framework, Rule] | None:
        if name == f"{ANYTHING}.tool" and target is not None and isinstance(target.node, _FUNCTIONS):
            # Nothing says what the object is but its use: a run context comes from pydantic-ai.
            arguments = target.node.args.posonlyargs + target.node.args.args
            annotation = ast.unparse(arguments[0].annotation) if arguments and arguments[0].annotation else ""
            if "RunContext" in annotation and "Wrapper" not in annotation:
                return _match(self._table.decorators, "pydantic_ai.Agent.tool")
        return _match(self._table.decorators, name)

    def _declared(self, target: Defined) -> None:
        reader = Reader(self._strict, self.declarations)
        marks = reader.marks(target.node, target.scope)
        if "tool" in marks:
            found = reader.tool(target, marks["tool"])
            if found is not None and isinstance(found[0], str):
                place = Place(target.scope.module.path, target.node.lineno)
                self.declarations.tools.setdefault(found[0], []).append(place)
        if "capability" in marks:
            reader.capability(target, marks["capability"])
        elif "operation" in marks and not self._owner_is_capability(reader, target):
            read = reader.operation(target, marks["operation"], None)
            if read is not None:
                self.declarations.loose.append(read)

    def _owner_is_capability(self, reader: Reader, target: Defined) -> bool:
        owner = target.scope.owner
        return owner is not None and "capability" in reader.marks(owner, target.scope.parent or target.scope)

    # Calls

    def _call(self, call: ast.Call, scope: Scope) -> None:
        function = call.func
        if isinstance(function, ast.Call):
            self._decorator_called(function, call, scope)
            return
        if not isinstance(function, ast.Name | ast.Attribute | ast.Subscript):
            return
        thing = self.project.resolve(function, scope)
        for name in self._names(thing):
            if call.args and function_named(self.project.resolve(call.args[0], scope)) is not None:
                rule = _match(self._table.decorators, name)
                if rule is not None:
                    self._apply(rule, call, name, scope, call, None)
                    return
            elif len(call.args) > 1 and name.endswith(".tool"):
                self._apply(_match(self._table.decorators, name), call, name, scope, call, None)
                return
            self._apply(_match(self._table.calls, name), call, name, scope, call, None)

    def _names(self, thing: Thing | None) -> Iterator[str]:
        """The full names that a call may be known by: a class of the folder by those of its bases."""
        if isinstance(thing, External):
            yield thing.name
        elif isinstance(thing, Defined) and isinstance(thing.node, ast.ClassDef):
            yield from (each.name for each in self.project.lineage(thing) if isinstance(each, External))

    def _decorator_called(self, maker: ast.Call, call: ast.Call, scope: Scope) -> None:
        """`mcp.tool(name="x")(function)`."""
        thing = self.project.resolve(maker.func, scope)
        function = function_named(self.project.resolve(call.args[0], scope)) if call.args else None
        if not isinstance(thing, External) or not call.args:
            return
        rule = self._decorator_rule(thing.name, function)
        if rule is None:
            return
        if function is not None:
            self._apply(rule, call, thing.name, scope, maker, function)
        else:
            # Whatever it is called on is not in the folder: the name may be written, the rest is not.
            site = Site(self.shapes, scope, call, thing.name, maker, None, rule[0])
            name = site.text("name", "name_override", at=0)
            from capdeco.declare.shape import Unknown  # noqa: PLC0415

            self._found([site.tool(name, site.text("description"), Unknown("its function is not in the folder"))])

    def _apply(
        self,
        rule: tuple[Framework, Rule] | None,
        node: ast.expr | ast.stmt,
        called: str,
        scope: Scope,
        call: ast.Call | None,
        target: Defined | None,
    ) -> None:
        if rule is not None:
            self._found(rule[1](Site(self.shapes, scope, node, called, call, target, rule[0])))

    # Dictionaries

    def _dictionary(self, node: ast.Dict, scope: Scope) -> bool:
        """Read a dictionary as a specification or a capability; true: what is in it is no other."""
        keys = {each.value for each in node.keys if isinstance(each, ast.Constant)}
        if "operations" in keys and "id" in keys:
            value = self.project.value(node, scope)
            if isinstance(value, dict) and looks_like_capability(value):
                self.declarations.add_mapping(value, Place(scope.module.path, node.lineno))
                return True
        if not any(each in keys for each in _SPEC_NAMES) or not any(
            each in keys for each in (*SCHEMA_KEYS, "function", "type")
        ):
            return False
        value = self.project.value(node, scope)
        found = spec_tool(value, Place(scope.module.path, node.lineno)) if isinstance(value, dict) else None
        if found is None:
            return False
        self._found([found])
        return True

    def _found(self, tools: Iterable[FoundTool]) -> None:
        for tool in tools:
            key = (repr(tool.name), tool.place)
            if key not in self._seen:
                self._seen.add(key)
                self.tools.append(tool)
