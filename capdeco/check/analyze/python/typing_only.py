"""Annotations that only a type checker can read: names imported under `if TYPE_CHECKING`."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator

from capdeco.check.analyze.python.module import Module
from capdeco.check.analyze.python.project import parsed_annotation


def typing_only(module: Module) -> frozenset[str]:
    """Give the names that a module imports for type checkers, and does not bind otherwise when it runs."""
    hidden = {
        name
        for statement in module.tree.body
        if isinstance(statement, ast.If) and _is_for_types(statement.test)
        for each in statement.body
        for name in _imported(each)
    }
    # Whatever else binds the name, in a block too, may be what it means.
    return frozenset(name for name in hidden if len(module.scope.names.get(name, ())) == 1 and not _has_star(module))


def _has_star(module: Module) -> bool:
    return "*" in module.scope.names


def _is_for_types(test: ast.expr) -> bool:
    match test:
        case ast.Name(id="TYPE_CHECKING") | ast.Attribute(value=ast.Name(), attr="TYPE_CHECKING"):
            return True
    return False


def _imported(statement: ast.stmt) -> Iterable[str]:
    if isinstance(statement, ast.Import):
        return [each.asname or each.name.partition(".")[0] for each in statement.names]
    if isinstance(statement, ast.ImportFrom):
        return [each.asname or each.name for each in statement.names]
    return ()


def used_of(annotation: ast.expr | None, names: Collection[str]) -> Iterator[str]:
    """Find *names* in an annotation, as text too; what a `Literal` holds are none."""
    match annotation:
        case ast.Name(id=name):
            if name in names:
                yield name
        case ast.Constant(value=str() as text):
            parsed = parsed_annotation(text)
            if parsed is not None and not isinstance(parsed, ast.Constant):
                yield from used_of(parsed, names)
        case ast.Attribute(value=value):
            yield from used_of(value, names)
        case ast.Subscript(value=value, slice=index):
            yield from used_of(value, names)
            kind = getattr(value, "attr", getattr(value, "id", ""))
            parts = index.elts if isinstance(index, ast.Tuple) else [index]
            for each in () if kind == "Literal" else parts[:1] if kind == "Annotated" else parts:
                yield from used_of(each, names)
        case ast.BinOp(left=left, right=right):
            yield from used_of(left, names)
            yield from used_of(right, names)
