"""What names mean across the files of a folder: constants, imports, enums, instances and classes, followed."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias, TypeGuard

import attrs

from capdeco.check.analyze.python.module import (
    Assigned,
    Binding,
    Function,
    Imported,
    Module,
    Parameter,
    Scope,
    Unparsable,
    clipped,
    parse,
    reset_names,
    statements,
)
from capdeco.check.analyze.records import Dynamic, Text


@attrs.frozen
class External:
    """Something from outside the folder, by the name that it was imported under: `mcp.server.fastmcp.FastMCP`.

    A member of an instance is spelt like the member of its class: `mcp.server.fastmcp.FastMCP.tool`.
    """

    name: str


@attrs.frozen(eq=False)
class Defined:
    """A function or class of the folder, and the scope it stands in."""

    node: ast.ClassDef | Function
    scope: Scope
    bound: bool = False
    """Reached through an instance, so its first parameter is given."""


@attrs.frozen
class Instance:
    """A value of a class, or what an external function gave back."""

    of: External | Defined


@attrs.frozen(eq=False)
class Folder:
    """A module of the folder."""

    module: Module


@attrs.frozen(eq=False)
class Expression:
    """A value that is written down: a constant, list, dictionary or the like, and where."""

    node: ast.expr
    scope: Scope


@attrs.frozen(eq=False)
class Member:
    """A member of an enum."""

    enum: Defined
    name: str
    value: ast.expr


@attrs.frozen
class Given:
    """A parameter without annotation, or an object of the project that the folder does not hold."""

    name: str


Thing: TypeAlias = External | Defined | Instance | Folder | Expression | Member | Given

ANYTHING: Final = "?"
"""The class, in an external name, of an object that is only known by what is asked of it: `?.tool`."""

_DEPTH: Final = 40
"""Definitions followed from one expression: more is a cycle or a trap."""

_LARGEST: Final = 20_000
"""Parts of one value: constants that hold each other twice are as large as they like."""

_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


@attrs.define(eq=False)
class Project:
    """The Python files of one folder, parsed when they are asked for and kept while there is room."""

    paths: dict[tuple[str, ...], str]
    """Module name -> path, for every Python file of the folder."""
    root: str
    """The folder's own name: absolute imports may begin with it."""
    load: Callable[[str], bytes | None]
    """The bytes of a file of the folder; `None` if it cannot be read."""
    room: int = 2_000_000
    """Bytes of source whose trees are kept."""
    _packages: frozenset[tuple[str, ...]] = attrs.field(init=False)
    _kept: dict[str, tuple[Module, int]] = attrs.field(factory=dict, init=False)
    _size: int = attrs.field(default=0, init=False)
    _failed: set[str] = attrs.field(factory=set, init=False)
    _known: dict[tuple[ast.expr, Scope], Thing | None] = attrs.field(factory=dict, init=False)
    _depth: int = attrs.field(default=0, init=False)
    _nested: int = attrs.field(default=0, init=False)
    _budget: int = attrs.field(default=0, init=False)

    def __attrs_post_init__(self) -> None:
        self._packages = frozenset(
            path[at : at + 1] for path in self.paths for at in range(2) if path[:at] in ((), ("src",), ("lib",))
        )

    # Modules

    def add(self, path: str, data: bytes) -> Module:
        """Parse one file.

        Raises:
            Unparsable: with the reason.
        """
        self._size += len(data)
        while self._size > self.room and self._kept:
            self._drop(next(iter(self._kept)))  # before there is another tree, not after
        try:
            tree = parse(data)
        except Unparsable:
            self._failed.add(path)
            self._size -= len(data)
            raise
        module = Module(path, module_name(path), path.endswith("__init__.py"), tree, reset_names(data))
        self._kept[path] = (module, len(data))
        return module

    def close(self) -> None:
        """Drop every tree."""
        self.forget()
        while self._kept:
            self._drop(next(iter(self._kept)))

    def _drop(self, path: str) -> None:
        module, size = self._kept.pop(path)
        self._size -= size
        module.release()

    def module_at(self, path: str) -> Module | None:
        """Parse the file at *path*, or give it as it was parsed; `None` if it cannot be."""
        if path in self._kept:
            kept = self._kept.pop(path)
            self._kept[path] = kept  # the least recently used goes first
            return kept[0]
        if path in self._failed:
            return None
        data = self.load(path)
        try:
            return None if data is None else self.add(path, data)
        except Unparsable:
            return None

    def module_named(self, name: tuple[str, ...]) -> Module | None:
        """Give the module with an absolute name, if it is in the folder."""
        path = self.path_named(name)
        return None if path is None else self.module_at(path)

    def path_named(self, name: tuple[str, ...]) -> str | None:
        """Find an absolute module name in the folder, which may itself be the package or hold it under `src`."""
        for candidate in (name, ("src", *name), ("lib", *name), name[1:] if name[:1] == (self.root,) else ()):
            path = self.paths.get(candidate) if candidate else None
            if path is not None:
                return path
        return self.paths.get(()) if name == (self.root,) else None

    # Names

    def resolve(self, node: ast.expr, scope: Scope) -> Thing | None:
        """Say what *node* is; `None` where only running it would tell."""
        key = (node, scope)
        if key in self._known:
            return self._known[key]
        if self._depth > _DEPTH:
            return None
        self._known[key] = None  # what is met again while it is being resolved leads in a circle
        self._depth += 1
        try:
            self._known[key] = thing = self._resolve(node, scope)
        finally:
            self._depth -= 1
        return thing

    def forget(self) -> None:
        """Drop what names were resolved to, which keeps modules alive."""
        self._known.clear()

    def check(self, path: str, data: bytes) -> None:
        """Parse one file that nothing needs, unless another asks for it.

        Raises:
            Unparsable: with the reason.
        """
        if path not in self._kept:
            parse(data)

    def _resolve(self, node: ast.expr, scope: Scope) -> Thing | None:
        match node:
            case ast.Name(id=name):
                return self.named(name, scope, node)
            case ast.Attribute(value=value, attr=attribute):
                owner = self.resolve(value, scope)
                return None if owner is None else self.member(owner, attribute)
            case ast.Call():
                return self._called(node, scope)
            case ast.Subscript(value=value, slice=index):
                return self._item(self.resolve(value, scope), index, scope)
            case ast.Await(value=value) | ast.NamedExpr(value=value):
                return self.resolve(value, scope)
            case ast.Constant() | ast.List() | ast.Tuple() | ast.Dict() | ast.Set() | ast.JoinedStr() | ast.UnaryOp():
                return Expression(node, scope)
            case _:
                return None

    def named(self, name: str, scope: Scope, at: ast.expr | None = None) -> Thing | None:
        """Say what *name* is in *scope*, at the expression *at* if it stands there."""
        found = scope.lookup(name, at)
        if found is None:
            return self._starred(name, scope.module) or External(f"builtins.{name}")
        bindings, where = found
        if len(bindings) > 1:
            # `try: from a import x; except ImportError: from b import x` is one thing; a constant set twice is none,
            # and of functions with one name the last is what the name means (overloads come first).
            if all(isinstance(each, Imported) for each in bindings):
                things = [self.bound(each, where, name) for each in bindings]
                return next((each for each in things if not isinstance(each, External | None)), things[0])
            if all(isinstance(each, _FUNCTIONS) for each in bindings):
                return self.bound(bindings[-1], where, name)
            real = [
                each
                for each in bindings
                if not (isinstance(each, Assigned) and (each.value is None or _is_none(each.value)))
            ]
            if len(real) != 1 or any(not isinstance(each, Assigned | Imported) for each in bindings):
                return None
            return (
                None if isinstance(self.bound(real[0], where, name), Expression) else self.bound(real[0], where, name)
            )
        return self.bound(bindings[0], where, name)

    def _starred(self, name: str, module: Module) -> Thing | None:
        """Find what `from x import *` may have brought; of two packages outside of the folder nobody can tell which."""
        stars = [each for each in module.scope.names.get("*", ()) if isinstance(each, Imported)]
        if not stars or hasattr(builtins, name) or not self._enter():
            return None
        self._depth += 1
        try:
            things = [self._imported(attrs.evolve(each, name=name), module) for each in stars]
        finally:
            self._depth -= 1
        inside = next((each for each in things if not isinstance(each, External | Given | None)), None)
        elsewhere = [each for each in things if each is not None]
        return inside or (elsewhere[0] if len(elsewhere) == 1 else Given(name) if elsewhere else None)

    def bound(self, binding: Binding, scope: Scope, name: str) -> Thing | None:
        """Say what one binding of *name* stands for."""
        match binding:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                return Defined(binding, scope)
            case Imported():
                return self._imported(binding, scope.module)
            case Assigned(value=None, annotation=annotation):
                return self.instance_of(annotation, scope)
            case Assigned(value=value, annotation=annotation) if value is not None:
                thing = self.resolve(value, scope)
                if thing is None and annotation is not None:
                    return self.instance_of(annotation, scope)
                return thing
            case Parameter():
                return self._parameter(binding, scope, name)
            case _:
                return None

    def _parameter(self, binding: Parameter, scope: Scope, name: str) -> Thing | None:
        owner = scope.parent.owner if scope.parent is not None else None
        if (
            binding.first
            and owner is not None
            and isinstance(binding.function, _FUNCTIONS)
            and scope.parent is not None
        ):
            marks = {each.id for each in binding.function.decorator_list if isinstance(each, ast.Name)}
            # `scope.parent` is the class body; the class itself stands in its parent.
            outer = scope.parent.parent or scope.module.scope
            if "classmethod" in marks:
                return Defined(owner, outer)
            if "staticmethod" not in marks:
                return Instance(Defined(owner, outer))
        if binding.argument.annotation is not None:
            return self.instance_of(binding.argument.annotation, scope)
        return Given(name)

    def instance_of(self, annotation: ast.expr | None, scope: Scope) -> Thing | None:
        """Say what a value annotated so is: `FastMCP | None` is a `FastMCP` wherever it is used as one."""
        match annotation:
            case None:
                return None
            case ast.Constant(value=str() as text):
                parsed = parsed_annotation(text)
                return None if parsed is None else self.instance_of(parsed, scope)
            case ast.BinOp(op=ast.BitOr(), left=left, right=right):
                return self.instance_of(right if _is_none(left) else left, scope)
            case ast.Subscript(value=value, slice=index):
                thing = self.resolve(value, scope)
                if isinstance(thing, External) and thing.name.endswith((".Optional", ".Annotated")):
                    inner = index.elts[0] if isinstance(index, ast.Tuple) and index.elts else index
                    return self.instance_of(inner, scope)
            case _:
                thing = self.resolve(annotation, scope)
        if isinstance(thing, External | Defined):
            return Instance(thing)
        return None

    def _imported(self, binding: Imported, module: Module) -> Thing | None:
        path = binding.module
        if binding.level:
            package = module.name if module.is_package else module.name[:-1]
            up = binding.level - 1
            if up > len(package):
                return Given(binding.name or ".".join(path))
            path = package[: len(package) - up] + path
            found = self.module_at(self.paths[path]) if path in self.paths else None
        else:
            found = self.module_named(path)
        if not binding.name:
            return Folder(found) if found else External(".".join(path))
        if found is not None:
            thing = self._of_module(found, binding.name)
            if thing is not None:
                return thing
        below = self.module_at(self.paths[(*path, binding.name)]) if (*path, binding.name) in self.paths else None
        below = below or (None if binding.level else self.module_named((*path, binding.name)))
        if below is not None:
            return Folder(below)
        if found is not None:
            return None
        return Given(binding.name) if binding.level else External(".".join((*path, binding.name)))

    def _of_module(self, module: Module, name: str) -> Thing | None:
        if name in module.scope.names:
            return self.named(name, module.scope) if self._enter() else None
        for binding in module.scope.names.get("*", []):
            if isinstance(binding, Imported):
                whole = self._imported(attrs.evolve(binding, name=name), module) if self._enter() else None
                if whole is not None and not isinstance(whole, External | Given):
                    return whole
        below = self.paths.get((*module.name, name)) if module.is_package else None
        found = self.module_at(below) if below is not None else None
        return Folder(found) if found else None

    def _enter(self) -> bool:
        # `named` does not count its own depth, and files may import each other in a circle.
        return self._depth <= _DEPTH

    def definition(self, node: ast.expr, scope: Scope) -> tuple[ast.expr, Scope] | None:
        """Find the one expression that a name was assigned, wherever in the folder; `None` if it was not."""
        for _ in range(_DEPTH):
            match node:
                case ast.Name(id=name):
                    found = scope.lookup(name, node)
                    if found is None or len(found[0]) != 1:
                        return None
                    binding, where = found[0][0], found[1]
                case ast.Attribute(value=value, attr=name):
                    owner = self.resolve(value, scope)
                    if not isinstance(owner, Folder) or len(owner.module.scope.names.get(name, ())) != 1:
                        return None
                    where = owner.module.scope
                    binding = where.names[name][0]
                case _:
                    return node, scope
            if isinstance(binding, Assigned) and binding.value is not None:
                node, scope = binding.value, where
            elif isinstance(binding, Imported) and binding.name:
                module = self._module_of(binding, where.module)
                if module is None:
                    return None
                node, scope = ast.Name(binding.name), module.scope
            else:
                return None
        return None

    def decorator(self, written: ast.expr, scope: Scope) -> tuple[ast.expr, Scope]:
        """Give a decorator as it was made: `internal = tool(expose=False)` stands for that call."""
        found = None if isinstance(written, ast.Call) else self.definition(written, scope)
        return found if found is not None and isinstance(found[0], ast.Call) else (written, scope)

    def _module_of(self, binding: Imported, module: Module) -> Module | None:
        home = self._imported(attrs.evolve(binding, name=""), module)
        return home.module if isinstance(home, Folder) else None

    # Members and calls

    def member(self, owner: Thing, name: str) -> Thing | None:
        """Say what `owner.name` is."""
        if self._depth > _DEPTH:
            return None
        self._depth += 1
        try:
            match owner:
                case External(name=whole):
                    return self._below(whole, name) or External(f"{whole}.{name}")
                case Folder(module=module):
                    return self._of_module(module, name)
                case Given():
                    return External(f"{ANYTHING}.{name}")
                case Instance(of=External(name=whole)):
                    return External(f"{whole}.{name}")
                case Instance(of=Defined() as defined):
                    return self._of_instance(defined, name)
                case Defined(node=ast.ClassDef()):
                    return self._of_class(owner, name)
                case Member(value=value, enum=enum):
                    return (
                        Expression(value, self.inside(enum))
                        if name == "value"
                        else Expression(ast.Constant(owner.name), enum.scope)
                        if name == "name"
                        else None
                    )
                case _:
                    return None
        finally:
            self._depth -= 1

    def _below(self, package: str, name: str) -> Folder | None:
        """Find a module of a package of the folder that has no `__init__`."""
        path = (*package.split("."), name)
        if path[0] != self.root and (path[0],) not in self._packages:
            return None
        found = self.module_named(path)
        return Folder(found) if found is not None else None

    def inside(self, defined: Defined) -> Scope:
        """Give the scope of a function's or class's own body."""
        return defined.scope.below(defined.node)

    def lineage(self, defined: Defined) -> Iterator[Defined | External]:
        """The class and what it inherits from, nearest first; what comes from outside the folder by name."""
        pending: list[Defined | External] = [defined]
        seen: list[ast.AST] = []
        while pending:
            each = pending.pop(0)
            if isinstance(each, Defined):
                if each.node in seen:
                    continue
                seen.append(each.node)
            yield each
            if isinstance(each, Defined) and isinstance(each.node, ast.ClassDef):
                for base in each.node.bases:
                    thing = self.resolve(base, each.scope)
                    if isinstance(thing, External | Defined):
                        pending.append(thing)

    def is_enum(self, defined: Defined) -> bool:
        """Tell whether a class is an enum."""
        return any(isinstance(each, External) and each.name.startswith("enum.") for each in self.lineage(defined))

    def _of_class(self, owner: Defined, name: str) -> Thing | None:
        for each in self.lineage(owner):
            if isinstance(each, External):
                if each.name.startswith(("enum.", "builtins.", "abc.", "typing.")):
                    continue
                return External(f"{each.name}.{name}")
            scope = self.inside(each)
            for binding in reversed(scope.names.get(name, [])):
                if isinstance(binding, Assigned) and binding.value is not None and self.is_enum(owner):
                    return Member(each, name, binding.value)
                return self.bound(binding, scope, name)
        return None

    def _of_instance(self, owner: Defined, name: str) -> Thing | None:
        for each in self.lineage(owner):
            if isinstance(each, External):
                if not each.name.startswith(("builtins.", "abc.", "typing.")):
                    return External(f"{each.name}.{name}")
                continue
            scope = self.inside(each)
            for binding in reversed(scope.names.get(name, [])):
                thing = self.bound(binding, scope, name)
                if isinstance(thing, Defined) and isinstance(thing.node, _FUNCTIONS):
                    return attrs.evolve(thing, bound=not _is_static(thing.node))
                if thing is not None:
                    return thing
            for value, where, annotation in self._set_on_self(each, name):
                thing = self.resolve(value, where) if value is not None else None
                thing = thing or self.instance_of(annotation, where)
                if thing is not None:
                    return thing
        return None

    def _set_on_self(self, owner: Defined, name: str) -> Iterator[tuple[ast.expr | None, Scope, ast.expr | None]]:
        body = self.inside(owner)
        for method in owner.node.body:
            if not isinstance(method, _FUNCTIONS):
                continue
            where = body.below(method)
            for statement in statements(method):
                targets: Iterable[ast.expr] = ()
                if isinstance(statement, ast.Assign):
                    targets = statement.targets
                elif isinstance(statement, ast.AnnAssign):
                    targets = (statement.target,)
                for target in targets:
                    if isinstance(target, ast.Attribute) and target.attr == name and isinstance(target.value, ast.Name):
                        assert isinstance(statement, ast.Assign | ast.AnnAssign)
                        yield statement.value, where, getattr(statement, "annotation", None)

    def _called(self, call: ast.Call, scope: Scope) -> Thing | None:
        function = self.resolve(call.func, scope)
        match function:
            case External(name="typing.cast" | "typing_extensions.cast") if len(call.args) > 1:
                return self.instance_of(call.args[0], scope) or self.resolve(call.args[1], scope)
            case External(name=name):
                made_class = _class_of(call, name)
                if made_class is not None:
                    return Defined(made_class, scope)
                parts = name.split(".")
                # `FastMCP.from_openapi(...)` and the like make what they belong to.
                made = parts[:-1] if parts[-1][:1].islower() and parts[-2:-1] and parts[-2][:1].isupper() else parts
                return Instance(External(".".join(made)))
            case Defined(node=ast.ClassDef()):
                return Instance(function)
            case Defined(node=ast.FunctionDef() | ast.AsyncFunctionDef() as node):
                inside = self.inside(function)
                made_by = self.instance_of(node.returns, function.scope)
                if made_by is not None:
                    return made_by
                returned = [each.value for each in statements(node) if isinstance(each, ast.Return)]
                if len(returned) == 1 and returned[0] is not None:
                    thing = self.resolve(returned[0], inside)
                    return thing if isinstance(thing, Instance) else None
                return None
            case _:
                return None

    def _item(self, owner: Thing | None, index: ast.expr, scope: Scope) -> Thing | None:
        match owner:
            case External() | Defined(node=ast.ClassDef()):
                if isinstance(owner, Defined) and self.is_enum(owner):
                    member = self.text(index, scope)
                    return self._of_class(owner, member) if isinstance(member, str) else None
                return owner  # `FunctionToolset[Deps]` is that class
            case Expression(node=ast.Dict(keys=keys, values=values), scope=where):
                wanted = self.text(index, scope)
                for key, value in zip(keys, values, strict=True):
                    if key is not None and isinstance(wanted, str) and self.text(key, where) == wanted:
                        return self.resolve(value, where)
                return None
            case _:
                return None

    # Values

    def text(self, node: ast.expr | None, scope: Scope) -> Text | None:
        """Give the text that *node* is, `Dynamic` if the program computes it, `None` if there is none."""
        if node is None:
            return None
        value = self.value(node, scope)
        if value is None or isinstance(value, str | Dynamic):
            return value
        return Dynamic(clipped(node))

    def value(self, node: ast.expr, scope: Scope) -> object:
        """Give *node* as plain data, with `Dynamic` for each part that the program computes."""
        if not self._nested:
            self._budget = _LARGEST
        self._budget -= 1
        if self._budget < 0 or self._nested > _DEPTH:
            return Dynamic(clipped(node))
        self._nested += 1
        try:
            return self.value_of(self.resolve(node, scope), node, scope)
        finally:
            self._nested -= 1

    def value_of(self, thing: Thing | None, node: ast.expr, scope: Scope) -> object:
        """Give what *node* was resolved to as plain data."""
        match thing:
            case Expression(node=ast.Constant(value=value)):
                return value if value is None or isinstance(value, bool | int | float | str) else Dynamic(clipped(node))
            case Expression(node=ast.List(elts=items) | ast.Tuple(elts=items), scope=where):
                return [each for item in items for each in self._items(item, where)]
            case Expression(node=ast.Dict(keys=keys, values=values), scope=where):
                return self._dict(keys, values, where, node)
            case Expression(node=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number))):
                return -number
            case Member(enum=enum, name=name, value=value):
                if isinstance(value, ast.Call):
                    made = self.resolve(value.func, self.inside(enum))
                    is_text = any(each == External("enum.StrEnum") for each in self.lineage(enum))
                    return name.lower() if made == External("enum.auto") and is_text else Dynamic(clipped(node))
                raw = self.value(value, self.inside(enum))
                # A mixin makes another value of it: `class Size(str, Enum): SMALL = 1`.
                kinds = [
                    _MIXINS[each.name]
                    for each in self.lineage(enum)
                    if isinstance(each, External) and each.name in _MIXINS
                ]
                return raw if all(type(raw) is kind for kind in kinds) else Dynamic(clipped(node))
            case Instance(of=External(name="builtins.dict")) if isinstance(node, ast.Call) and not node.args:
                return {each.arg: self.value(each.value, scope) for each in node.keywords if each.arg}
            case _:
                return Dynamic(clipped(node))

    def _items(self, item: ast.expr, scope: Scope) -> list[object]:
        if not isinstance(item, ast.Starred):
            return [self.value(item, scope)]
        inner = self.value(item.value, scope)
        return list(inner) if isinstance(inner, list) else [Dynamic(clipped(item))]

    def _dict(self, keys: list[ast.expr | None], values: list[ast.expr], scope: Scope, node: ast.expr) -> object:
        found: dict[str, object] = {}
        for key, value in zip(keys, values, strict=True):
            if key is None:
                inner = self.value(value, scope)
                if not isinstance(inner, dict):
                    return Dynamic(clipped(node))
                found.update(inner)
                continue
            name = self.value(key, scope)
            if not isinstance(name, str):
                return Dynamic(clipped(node))
            found[name] = self.value(value, scope)
        return found


_MIXINS: Final[dict[str, type]] = {
    "builtins.str": str,
    "builtins.int": int,
    "builtins.float": float,
    "enum.IntEnum": int,
    "enum.StrEnum": str,
}


def module_name(path: str) -> tuple[str, ...]:
    """Give the module name of a path in the folder."""
    parts = tuple(path.removesuffix(".py").split("/"))
    return parts[:-1] if parts[-1] == "__init__" else parts


def parsed_annotation(text: str) -> ast.expr | None:
    """Parse an annotation that is written as text."""
    try:
        return ast.parse(text.strip(), mode="eval").body if len(text) < 1000 else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _class_of(call: ast.Call, name: str) -> ast.ClassDef | None:
    """Spell `TypedDict("Name", {...})` and `NamedTuple("Name", [...])` as the class that they make."""
    match name.removeprefix("typing_extensions.").removeprefix("typing."), call.args:
        case "TypedDict", [ast.Constant(value=str() as made), ast.Dict(keys=keys, values=types)]:
            pairs: list[tuple[ast.expr | None, ast.expr]] = list(zip(keys, types, strict=True))
        case "NamedTuple", [ast.Constant(value=str() as made), ast.List(elts=items) | ast.Tuple(elts=items)]:
            pairs = [(each.elts[0], each.elts[1]) if _is_pair(each) else (None, each) for each in items]
        case _:
            return None
    body: list[ast.stmt] = []
    for key, type_ in pairs:
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
            return None
        field = ast.AnnAssign(ast.Name(key.value, ast.Store()), type_, None, 1)
        body.append(ast.copy_location(field, type_))
    return ast.copy_location(ast.ClassDef(made, [call.func], call.keywords, body, []), call)


def _is_pair(node: ast.expr) -> TypeGuard[ast.Tuple | ast.List]:
    return isinstance(node, ast.Tuple | ast.List) and len(node.elts) == 2


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_static(node: Function) -> bool:
    return any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in node.decorator_list)
