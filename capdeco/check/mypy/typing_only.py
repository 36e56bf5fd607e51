"""Annotations that only a type checker can read: names imported under `if TYPE_CHECKING`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mypy.types import CallableType, Type, UnboundType, UnionType  # first, as in internals

from mypy.nodes import (  # isort: skip
    AssignmentStmt,
    ClassDef,
    FuncDef,
    IfStmt,
    Import,
    ImportFrom,
    MypyFile,
    NameExpr,
    Statement,
)

from capdeco.check.mypy.declarations import Problem
from capdeco.declare import faults


def typing_only(module: MypyFile) -> frozenset[str]:
    """Give the names that a module imports for type checkers, and does not define otherwise when it runs."""
    found: set[str] = set()
    for statement in module.defs:
        if isinstance(statement, IfStmt):
            inside = [each for block in statement.body for each in block.body]
            hidden = [each for each in inside if isinstance(each, Import | ImportFrom) and each.is_mypy_only]
            otherwise = statement.else_body.body if statement.else_body is not None else []
            found |= _bound_by(hidden) - _bound_by(otherwise)
    return frozenset(found - _bound_by(module.defs)) if found else frozenset()


def check_names(function: FuncDef, names: frozenset[str]) -> Iterator[Problem]:
    """Check that the annotations of *function* use none of *names*."""
    written = function.unanalyzed_type
    if not names or not isinstance(written, CallableType):
        return
    for argument, type_ in zip(function.arguments, written.arg_types, strict=True):
        for name in _used(type_, names):
            subject = faults.parameter_of(function.name, argument.variable.name)
            yield Problem(faults.not_defined(name), argument, subject)
    for name in _used(written.ret_type, names):
        yield Problem(faults.not_defined(name), function, faults.result_of(function.name))


def _bound_by(statements: Sequence[Statement]) -> set[str]:
    found: set[str] = set()
    for each in statements:
        match each:
            case Import(ids=ids):
                found |= {alias or name.partition(".")[0] for name, alias in ids}
            case ImportFrom(names=names):
                found |= {alias or name for name, alias in names}
            case ClassDef(name=name):
                found.add(name)
            case AssignmentStmt(lvalues=targets):
                found |= {target.name for target in targets if isinstance(target, NameExpr)}
    return found


def _used(type_: Type, names: frozenset[str]) -> Iterator[str]:
    """Find *names* in a type as it is written."""
    parts: Sequence[Type] = ()
    if isinstance(type_, UnboundType):
        root = type_.name.partition(".")[0]
        if root in names:
            yield root
        parts = type_.args
    elif isinstance(type_, UnionType):
        parts = type_.items
    for each in parts:
        yield from _used(each, names)
