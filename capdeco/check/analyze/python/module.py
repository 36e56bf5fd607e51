"""One Python file as a tree, and what each of its scopes binds: parsed, never imported."""

from __future__ import annotations

import ast
import builtins
import re
import sys
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import Final, TypeAlias

import attrs

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Owner: TypeAlias = ast.Module | ast.ClassDef | Function | ast.Lambda


class Unparsable(Exception):
    """A file is not Python that this Python can read; the message is the reason to show."""


_COOKIE: Final = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.MULTILINE)
_SLOW: Final = ("punycode", "idna")
"""Decoders whose time grows with the square of the text."""


def parse(data: bytes) -> ast.Module:
    """Parse Python source in whatever encoding it declares.

    Raises:
        Unparsable: with the reason.
    """
    cookie = _COOKIE.search(data[:400]) if b"coding" in data[:400] else None
    if cookie and cookie[1].decode().lower().replace("_", "-") in _SLOW:
        raise Unparsable(f"the encoding {cookie[1].decode()} is not read")
    try:
        return ast.parse(data)
    except SyntaxError as error:
        version = f"Python {sys.version_info.major}.{sys.version_info.minor}"
        where = f"line {error.lineno}: " if error.lineno else ""
        raise Unparsable(f"no syntax of {version}: {where}{error.msg}") from None
    except (RecursionError, MemoryError):
        raise Unparsable("nested too deeply") from None
    except (ValueError, LookupError, OverflowError) as error:
        raise Unparsable(f"not Python source: {error}") from None


@attrs.frozen(eq=False)
class Module:
    """A parsed file, and its name as a module of the folder."""

    path: str
    name: tuple[str, ...]
    """As in `("tools", "names")`; a package's `__init__` has the package's name."""
    is_package: bool
    tree: ast.Module
    reset: frozenset[str] = frozenset()
    """Names of the module that a function may set, by `global`."""
    _scopes: dict[ast.AST, Scope] = attrs.field(factory=dict, init=False)

    @property
    def scope(self) -> Scope:
        """The scope of the module itself."""
        return self.scope_of(self.tree, None)

    def release(self) -> None:
        """Drop the scopes, which hold this module as it holds them, so that its memory is free at once."""
        self._scopes.clear()

    def scope_of(self, node: Owner, parent: Scope | None) -> Scope:
        """Give the scope of a module, class or function, the same one each time."""
        if node not in self._scopes:
            self._scopes[node] = Scope(self, node, parent)
        return self._scopes[node]


_GLOBAL: Final = re.compile(rb"^[ \t]+global[ \t]+([\w, \t]+)", re.MULTILINE)


def reset_names(data: bytes) -> frozenset[str]:
    """Give the names that some function of the file declares `global`."""
    if b"global" not in data:
        return frozenset()
    return frozenset(
        name.strip().decode("utf-8", "replace") for names in _GLOBAL.findall(data) for name in names.split(b",")
    )


@attrs.frozen(eq=False)
class Imported:
    """`from <module> import <name>`, or `import <module>` where *name* is empty."""

    module: tuple[str, ...]
    name: str
    level: int


@attrs.frozen(eq=False)
class Assigned:
    """`name: annotation = value`."""

    value: ast.expr | None
    annotation: ast.expr | None = None


@attrs.frozen(eq=False)
class Parameter:
    """A parameter of a function; *first* of those that may be given by position."""

    argument: ast.arg
    function: Function | ast.Lambda
    first: bool


@attrs.frozen(eq=False)
class Computed:
    """Bound in a way that says nothing before it runs: a loop, a `with`, an augmented assignment."""

    node: ast.AST


Binding: TypeAlias = Imported | Assigned | Parameter | Computed | ast.ClassDef | Function


@attrs.frozen(eq=False, slots=False)
class Scope:
    """A module, class or function body, and what each name in it is bound to, in order."""

    module: Module
    node: Owner
    parent: Scope | None

    @cached_property
    def names(self) -> dict[str, list[Binding]]:
        """Name -> what binds it, in order; read when it is first asked for."""
        found: dict[str, list[Binding]] = {}
        for name, binding in _bindings(self.node):
            found.setdefault(name, []).append(binding)
        if isinstance(self.node, ast.Module):
            for name in self.module.reset:
                found.setdefault(name, []).append(Computed(self.node))
        return found

    @cached_property
    def _bound_after(self) -> dict[str, list[tuple[int, int]]]:
        """Name -> from where on each binding of it is there, in the order of `names`."""
        found: dict[str, list[tuple[int, int]]] = {}
        for statement in statements(self.node):
            for name, _ in _bound_by(statement):
                found.setdefault(name, []).append(_binds_from(statement))
        return found

    @cached_property
    def used_as_objects(self) -> frozenset[str]:
        """Names that are asked for an attribute, or set an item of: a list among them may be another by then."""
        return frozenset(
            node.value.id
            for node in ast.walk(self.node)
            if isinstance(node, ast.Attribute) or (isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store))
            if isinstance(node.value, ast.Name)
        )

    @cached_property
    def calls_on(self) -> dict[str, list[ast.Call]]:
        """Name -> calls in the statements of this scope whose first argument it is."""
        found: dict[str, list[ast.Call]] = {}
        for statement in statements(self.node):
            if isinstance(statement, ast.Expr | ast.Assign | ast.AnnAssign) and statement.value is not None:
                for node in ast.walk(statement.value):
                    if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Name):
                        found.setdefault(node.args[0].id, []).append(node)
        return found

    def lookup(self, name: str, at: ast.expr | None) -> tuple[list[Binding], Scope] | None:
        """Find what *name* means at the expression *at*: the bindings, and the scope that they stand in."""
        if self.owner is not None and name in self.names:
            return self._in_class(name, self.owner, at)
        scope: Scope | None = self
        while scope is not None:
            # A class's names are seen by its own statements, not by its methods.
            if (scope is self or not isinstance(scope.node, ast.ClassDef)) and name in scope.names:
                return scope.names[name], scope
            scope = scope.parent
        return None

    def _in_class(self, name: str, owner: ast.ClassDef, at: ast.expr | None) -> tuple[list[Binding], Scope] | None:
        # Python reads a class's body in order: what is bound further down, as by the very definition that a decorator
        # stands on, is not there yet, and the name means the module's.
        place = (getattr(at, "lineno", 0), getattr(at, "col_offset", 0))
        bindings = self.names[name]
        if not (owner.lineno, owner.col_offset) <= place < _end(owner):
            return bindings, self  # asked for from elsewhere, or in an annotation that is text
        earlier = bindings[: bisect_right(self._bound_after[name], place)]
        earlier = [each for each in earlier if not isinstance(each, Assigned) or each.value is not None]
        if earlier:
            return earlier, self
        module = self.module.scope
        if name in module.names:
            return module.names[name], module
        # Only annotations, which are read later, may mean what is bound further down.
        return None if hasattr(builtins, name) or "*" in module.names else (bindings, self)

    def below(self, node: Owner) -> Scope:
        """Give the scope of a class or function that stands in this one."""
        return self.module.scope_of(node, self)

    @property
    def owner(self) -> ast.ClassDef | None:
        """The class whose body this is."""
        return self.node if isinstance(self.node, ast.ClassDef) else None


_BODIES: Final[dict[type, tuple[str, ...]]] = {
    kind: tuple(name for name in ("body", "handlers", "cases", "orelse", "finalbody") if name in kind._fields)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.stmt | ast.ExceptHandler | ast.match_case)
    if not issubclass(kind, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
}
"""Kind of statement -> its blocks, in order; what a function or class holds is another scope's."""


def _end(node: ast.stmt) -> tuple[int, int]:
    return node.end_lineno or 0, node.end_col_offset or 0


def _binds_from(statement: ast.stmt) -> tuple[int, int]:
    if isinstance(statement, ast.For | ast.AsyncFor | ast.With | ast.AsyncWith):
        return statement.body[0].lineno, statement.body[0].col_offset
    return _end(statement)


def statements(node: ast.AST) -> Iterator[ast.stmt]:
    """Every statement of one body in order, those of its blocks too, those of functions and classes in it not."""
    pending: list[ast.AST] = list(reversed(getattr(node, "body", []))) if not isinstance(node, ast.Lambda) else []
    while pending:
        each = pending.pop()
        if isinstance(each, ast.stmt):
            yield each
        for part in reversed(_BODIES.get(each.__class__, ())):
            pending += reversed(getattr(each, part))


def _bindings(owner: Owner) -> Iterator[tuple[str, Binding]]:
    if isinstance(owner, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        positional = owner.args.posonlyargs + owner.args.args
        for number, argument in enumerate(positional + owner.args.kwonlyargs):
            yield argument.arg, Parameter(argument, owner, first=number == 0 and bool(positional))
        for rest in (owner.args.vararg, owner.args.kwarg):
            if rest is not None:
                yield rest.arg, Computed(rest)
    for statement in statements(owner):
        yield from _bound_by(statement)


_BIND_NOTHING: Final = frozenset({ast.Expr, ast.Return, ast.If, ast.Raise, ast.Try, ast.While, ast.Pass, ast.Delete})


def _bound_by(statement: ast.stmt) -> Iterator[tuple[str, Binding]]:
    if statement.__class__ in _BIND_NOTHING:
        return
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield statement.name, statement
        case ast.Import(names=names):
            for alias in names:
                path = tuple(alias.name.split("."))
                yield (alias.asname, Imported(path, "", 0)) if alias.asname else (path[0], Imported(path[:1], "", 0))
        case ast.ImportFrom(module=module, names=names, level=level):
            path = tuple(module.split(".")) if module else ()
            for alias in names:
                yield alias.asname or alias.name, Imported(path, alias.name, level)
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _targets(target, value)
        case ast.AnnAssign(target=ast.Name(id=name), value=value, annotation=annotation):
            yield name, Assigned(value, annotation)
        case ast.AugAssign(target=ast.Name(id=name)):
            yield name, Computed(statement)
        case ast.For(target=target) | ast.AsyncFor(target=target):
            yield from _computed(target)
        case ast.With(items=items) | ast.AsyncWith(items=items):
            for item in items:
                if isinstance(item.optional_vars, ast.Name):
                    # `with FastMCP() as mcp` gives, as a rule, what it was made of.
                    yield item.optional_vars.id, Assigned(item.context_expr)
                elif item.optional_vars is not None:
                    yield from _computed(item.optional_vars)
        case _ if hasattr(ast, "TypeAlias") and isinstance(statement, ast.TypeAlias):
            yield statement.name.id, Assigned(statement.value)


def _targets(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, Binding]]:
    match target, value:
        case ast.Name(id=name), _:
            yield name, Assigned(value)
        case ((ast.Tuple(elts=names) | ast.List(elts=names)), (ast.Tuple(elts=values) | ast.List(elts=values))) if len(
            names
        ) == len(values) and not any(isinstance(each, ast.Starred) for each in [*names, *values]):
            for each, its_value in zip(names, values, strict=True):
                yield from _targets(each, its_value)
        case _:
            yield from _computed(target)


def _computed(target: ast.expr) -> Iterator[tuple[str, Binding]]:
    for node in ast.walk(target):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, Computed(node)


def docstring(node: ast.ClassDef | Function) -> str | None:
    """Give the docstring, dedented; `None` without one."""
    return ast.get_docstring(node)


def clipped(node: ast.AST, limit: int = 60) -> str:
    """Spell an expression as source, shortened."""
    try:
        text = " ".join(ast.unparse(node).split())
    except (RecursionError, ValueError):
        return "?"
    return text if len(text) <= limit else text[: limit - 1] + "…"
