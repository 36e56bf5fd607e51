"""The options of `tool(...)` and `Tool.of(...)` that are written out: what is refused at import is found before."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from mypy.types import Instance, LiteralType, Type, get_proper_type  # first, as in internals

from mypy.checker import TypeChecker  # isort: skip
from mypy.nodes import (
    DictExpr,
    Expression,
    FloatExpr,
    FuncDef,
    IntExpr,
    LambdaExpr,
    ListExpr,
    RefExpr,
    SetExpr,
    TupleExpr,
    UnaryExpr,
)
from mypy.plugin import FunctionContext, MethodContext

from capdeco.check.mypy.declarations import Problem, is_undocumented
from capdeco.check.mypy.internals import text_of, type_of
from capdeco.check.mypy.steps import carries_tool, is_plain_function, no_tool
from capdeco.check.mypy.tools import is_none
from capdeco.declare import faults
from capdeco.declare.names import is_blank
from capdeco.declare.options import hint_fault, hint_value_fault, timeout_fault


def given(context: FunctionContext | MethodContext, name: str) -> tuple[Expression | None, Type | None]:
    """Give what a call passes as its parameter *name*, and the type of that."""
    names = context.callee_arg_names
    index = names.index(name) if name in names else -1
    if index < 0 or not context.args[index]:
        return None, None
    return context.args[index][0], context.arg_types[index][0]


def check_options(checker: TypeChecker, context: FunctionContext | MethodContext) -> Iterator[Problem]:
    """Check each option, as far as its value is known."""
    timeout, _ = given(context, "timeout")
    seconds = value_of(checker, timeout) if timeout is not None else None
    flaw = timeout_fault(seconds) if seconds is not None and seconds is not COMPUTED else None
    if flaw and timeout is not None:
        yield Problem(flaw, timeout)
    hints, _ = given(context, "annotations")
    if isinstance(hints, DictExpr):
        for key, value in hints.items:
            yield from _check_hint(checker, key, value)
    uses, _ = given(context, "uses")
    if isinstance(uses, ListExpr | TupleExpr | SetExpr):
        for each in uses.items:
            if is_plain_function(each) and not carries_tool(type_of(checker, each)):
                yield no_tool(each)


def check_callable(written: Expression) -> Iterator[Problem]:
    """Check a function that is named: a lambda does not say what it takes."""
    for each in written.arguments if isinstance(written, LambdaExpr) else ():
        yield Problem(faults.no_annotation("<lambda>", each.variable.name), written)


def is_described(text: Type | None, function: Expression | FuncDef) -> bool:
    """Tell whether something is described, as far as that is known: by the text that was given, else by *function*."""
    if not is_none(text):
        known = text_of(text)
        return known is None or not is_blank(known)
    node = function.node if isinstance(function, RefExpr) else function
    return not (isinstance(node, LambdaExpr) or (isinstance(node, FuncDef) and is_undocumented(node)))


def _check_hint(checker: TypeChecker, key: Expression | None, value: Expression) -> Iterator[Problem]:
    name = text_of(type_of(checker, key)) if key is not None else None
    if name is None or key is None:
        return
    flaw, known = hint_fault(name), value_of(checker, value)
    if flaw:
        yield Problem(flaw, key)
    elif known is not COMPUTED and (flaw := hint_value_fault(name, known)):
        yield Problem(flaw, value)


COMPUTED: Final = object()
"""The value of what is not a constant."""


def value_of(checker: TypeChecker, written: Expression) -> object:
    """Give the number, text or truth that an expression surely is; floats have no literal types."""
    match written:
        case IntExpr(value=value) | FloatExpr(value=value):
            return value
        case UnaryExpr(op="-", expr=inner):
            number = value_of(checker, inner)
            return -number if isinstance(number, int | float) else COMPUTED
        case RefExpr(fullname="math.inf"):
            return math.inf
    type_ = get_proper_type(type_of(checker, written))
    if isinstance(type_, Instance):
        type_ = type_.last_known_value
    return type_.value if isinstance(type_, LiteralType) and not type_.is_enum_literal() else COMPUTED
