"""Python files -> tools and declarations: one walk over each tree, asking the table of frameworks at every place."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import accumulate
from typing import Final

import attrs

from capdeco.check.analyze.declared import Declarations, looks_like_capability
from capdeco.check.analyze.files import Clock
from capdeco.check.analyze.frameworks import FRAMEWORKS
from capdeco.check.analyze.frameworks.model_apis import SCHEMA_KEYS, spec_tool
from capdeco.check.analyze.frameworks.site import Framework, Rule, Site, tails
from capdeco.check.analyze.python.capabilities import CapabilityReader
from capdeco.check.analyze.python.classes import fields_of
from capdeco.check.analyze.python.marks import marks_of, ours
from capdeco.check.analyze.python.module import Assigned, Function, Imported, Module, Scope
from capdeco.check.analyze.python.options import makes_tool, option_faults
from capdeco.check.analyze.python.project import ANYTHING, Defined, External, Project, Thing
from capdeco.check.analyze.python.shapes import Shapes
from capdeco.check.analyze.python.signature import function_named
from capdeco.check.analyze.python.tools import ToolReader
from capdeco.check.analyze.records import FoundTool
from capdeco.errors import Place

_MENTIONS: Final = (
    b"ool", b"OOL", b"capability", b"FunctionDeclaration", b"parameters", b"input_schema", b"inputSchema",
    b"operation(", b"operations", b'"function"', b"'function'", b"add_function", b"FunctionDefinition", b"_agent(",
)  # fmt: skip
"""A file without any of these words makes no tool; it is parsed, and read if another needs it."""

_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_PLAIN: Final = frozenset(
    {"annotation", "arg", "args", "asname", "attr", "conversion", "ctx", "format_spec", "id", "kind", "level", "module"}
    | {
        "name",
        "names",
        "op",
        "ops",
        "returns",
        "simple",
        "type_comment",
        "type_params",
        "is_async",
        "rest",
        "kwd_attrs",
    }
)
"""Fields that hold no expression in which a tool could be made."""
_BELOW: Final = {
    kind: tuple(name for name in kind._fields if name not in _PLAIN or (kind is ast.Call and name == "args"))
    for kind in vars(ast).values()
    if isinstance(kind, type)
    and issubclass(kind, ast.AST)
    and not issubclass(kind, ast.Name | ast.Constant | ast.pattern)
}
"""Kind of node -> the fields to walk; it is much faster than asking each node."""
_SPEC_NAMES: Final = ("name", "function")


class _Mentions:
    """Where in a file those words stand, and names that may stand for them: what lies between is not walked."""

    def __init__(self, data: bytes, aliases: Iterable[str]) -> None:
        self._starts = [0, *accumulate(map(len, data.splitlines(keepends=True)))]
        words = (*_MENTIONS, *(name.encode() for name in aliases))
        self._at = sorted(position for word in words for position in _occurrences(word, data))

    def are_in(self, node: ast.stmt) -> bool:
        """Tell whether any stands in the lines of *node*."""
        last = node.end_lineno or node.lineno
        if last >= len(self._starts):
            return True  # lines are counted otherwise than we do
        found = bisect_left(self._at, self._starts[node.lineno - 1])
        return found < len(self._at) and self._at[found] < self._starts[last]


def _occurrences(word: bytes, data: bytes) -> Iterator[int]:
    position = data.find(word)
    while position >= 0:
        yield position
        position = data.find(word, position + 1)


@attrs.frozen(eq=False)
class _Table:
    """The rules of all frameworks, by the last part of the name that they are about."""

    decorators: Mapping[str, tuple[tuple[Framework, Rule], ...]]
    calls: Mapping[str, tuple[tuple[Framework, Rule], ...]]
    bases: Mapping[str, tuple[tuple[Framework, Rule], ...]]
    words: frozenset[str]
    """The last names of whatever a call may make a tool by."""

    @classmethod
    def of(cls, frameworks: Iterable[Framework]) -> _Table:
        def by_tail(kind: str) -> dict[str, tuple[tuple[Framework, Rule], ...]]:
            found: dict[str, tuple[tuple[Framework, Rule], ...]] = {}
            for framework in frameworks:
                for tail, rule in getattr(framework, kind).items():
                    found[tail] = (*found.get(tail, ()), (framework, rule))
            return found

        decorators, calls = by_tail("decorators"), by_tail("calls")
        words = frozenset(tail.rsplit(".", 1)[-1] for tail in (*decorators, *calls))
        return cls(decorators, calls, by_tail("bases"), words)


def _match(rules: Mapping[str, tuple[tuple[Framework, Rule], ...]], name: str) -> tuple[Framework, Rule] | None:
    for tail in tails(name):
        for framework, rule in rules.get(tail, ()):
            if framework.is_home_of(name):
                return framework, rule
    return None


def _aliases(module: Module, local: Container[tuple[str, ...]]) -> frozenset[str]:
    """Give the names of a module that may stand for something with another name: imported as, or inherited from."""
    return frozenset(
        name
        for name, bindings in module.scope.names.items()
        for each in bindings
        if (isinstance(each, ast.ClassDef) and each.bases)
        or (
            isinstance(each, Imported)
            and (each.name not in ("", name) or (name[:1].isupper() and (each.level or each.module in local)))
        )
        or (isinstance(each, Assigned) and isinstance(each.value, ast.Name | ast.Attribute | ast.Subscript))
    )


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
    _aliases: frozenset[str] = attrs.field(default=frozenset(), init=False)
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
        if not any(word in data for word in _MENTIONS):
            self.project.check(path, data)
        else:
            self.project.forget()
            module = self.project.module_at(path) or self.project.add(path, data)
            self._aliases = _aliases(module, self.project.paths)
            self._walk(module, _Mentions(data, self._aliases))
        self.declarations.read.add(path)

    def _walk(self, module: Module, mentions: _Mentions) -> None:
        bodies: list[tuple[Scope, list[ast.AST]]] = [(module.scope, list(module.tree.body))]
        while bodies:
            scope, body = bodies.pop()
            self.clock.check()
            bodies += reversed(self._walk_body(scope, body, mentions))

    def _walk_body(self, scope: Scope, body: list[ast.AST], mentions: _Mentions) -> list[tuple[Scope, list[ast.AST]]]:
        """Read what stands in one scope; give back the scopes in it, which are read later."""
        inner: list[tuple[Scope, list[ast.AST]]] = []
        below, skipped = _BELOW, set[ast.AST]()
        pending = body[::-1]  # a list is popped from its end, so the first goes on last: source order
        pop, push = pending.pop, pending.append
        while pending:
            node = pop()
            kind = node.__class__
            if kind is ast.Call:
                assert isinstance(node, ast.Call)
                self._call(node, scope)
            elif kind is ast.Dict:
                assert isinstance(node, ast.Dict)
                if node in skipped or self._dictionary(node, scope):
                    skipped.update(each for each in node.values if isinstance(each, ast.Dict))
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                self._definition(node, scope)
                if mentions.are_in(node):
                    inner.append((scope.below(node), list(node.body)))
                pending += [each for each in node.decorator_list if isinstance(each, ast.Call)]
                continue
            elif kind is ast.Lambda:
                assert isinstance(node, ast.Lambda)
                inner.append((scope.below(node), [node.body]))
                continue
            for name in below.get(kind, ()):
                value = getattr(node, name)
                if value.__class__ is list:
                    pending += value[::-1]
                elif value is not None:
                    push(value)
        return inner

    # Definitions

    def _definition(self, node: ast.ClassDef | Function, scope: Scope) -> None:
        target = Defined(node, scope)
        if node.decorator_list:
            self._declared(target)
        for decorator in node.decorator_list:
            written, where = self.project.decorator(decorator, scope)
            call = written if isinstance(written, ast.Call) else None
            thing = self.project.resolve(call.func if call else written, where)
            if isinstance(thing, External):
                self._apply(self._decorator_rule(thing.name, target), node, thing.name, where, call, target)
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
        reader = CapabilityReader(self._strict, self.declarations)
        marks = marks_of(self.project, target.node, target.scope)
        if not marks and isinstance(target.node, _FUNCTIONS):
            self.declarations.perhaps.add((target.scope.module.path, target.node.name))
        if "tool" in marks:
            found = ToolReader(self._strict, self.declarations).tool(target, marks["tool"])
            if found is not None and isinstance(found[0], str):
                place = Place(target.scope.module.path, target.node.lineno)
                self.declarations.tools.setdefault(found[0], []).append(place)
        if "capability" in marks:
            reader.capability(target, marks["capability"])
        elif "operation" in marks and not self._owner_is_capability(target):
            read = reader.operation(target, marks["operation"])
            if read is not None:
                self.declarations.loose.append(read)

    def _owner_is_capability(self, target: Defined) -> bool:
        owner = target.scope.owner
        return owner is not None and "capability" in marks_of(self.project, owner, target.scope.parent or target.scope)

    # Calls

    def _call(self, call: ast.Call, scope: Scope) -> None:
        function = call.func
        if isinstance(function, ast.Call):
            if self._may_matter(function.func):
                self._decorator_called(function, call, scope)
            return
        if not self._may_matter(function):
            return
        thing = self.project.resolve(function, scope)
        if isinstance(thing, External) and (ours(thing.name, "tool") or makes_tool(thing.name)):
            for fault in option_faults(self.project, call, scope):
                place = Place(scope.module.path, fault.at.lineno)
                self.declarations.refuse(fault.flaw, place)
            ToolReader(self._strict, self.declarations).made(call, call.keywords, scope)
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

    def _may_matter(self, function: ast.expr) -> bool:
        """Tell by its last name alone whether a call may make a tool: most do not, and are not looked into."""
        if isinstance(function, ast.Subscript):
            function = function.value
        if isinstance(function, ast.Name):
            return function.id in self._table.words or function.id in self._aliases
        return isinstance(function, ast.Attribute) and (
            function.attr in self._table.words or function.attr[:1].isupper() or function.attr in self._aliases
        )

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
        if ours(thing.name, "tool"):
            ToolReader(self._strict, self.declarations).made(call, maker.keywords, scope)
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
