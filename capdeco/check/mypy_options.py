"""The options of `tool(...)` and `Tool.of(...)` that are written out: what is refused at import is found before."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from mypy.types import Instance, LiteralType, Type, get_proper_type  # first, as in mypy_internals

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

from capdeco.check.mypy_declarations import Problem, is_undocumented
from capdeco.check.mypy_internals import text_of, type_of
from capdeco.check.mypy_steps import carries_tool, is_plain_function, no_tool
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
    description, text = given(context, "description")
    if description is not None and is_blank_text(text):
        yield Problem("the description of the tool is empty", "say what it does", description)
    timeout, _ = given(context, "timeout")
    seconds = value_of(checker, timeout) if timeout is not None else None
    fault = timeout_fault(seconds) if seconds is not None and seconds is not COMPUTED else None
    if fault and timeout is not None:
        yield Problem(fault, "give one", timeout)
    hints, _ = given(context, "annotations")
    if isinstance(hints, DictExpr):
        for key, value in hints.items:
            yield from _check_hint(checker, key, value)
    uses, _ = given(context, "uses")
    if isinstance(uses, ListExpr | TupleExpr | SetExpr):
        for each in uses.items:
            if is_plain_function(each) and not carries_tool(type_of(checker, each)):
                yield no_tool(each)


def check_callable(written: Expression, *, described: bool) -> Iterator[Problem]:
    """Check a function that is named; a lambda says neither what it does nor what it takes."""
    if not isinstance(written, LambdaExpr):
        node = written.node if isinstance(written, RefExpr) else None
        if not described and isinstance(node, FuncDef) and is_undocumented(node):
            what = f'the tool "{node.name}" has no description: it is what the model reads'
            yield Problem(what, "write a docstring, or give description=", written)
        return
    if not described:
        yield Problem(
            "a lambda has no docstring, and the model reads that", "write a def, or give description=", written
        )
    for each in written.arguments:
        name = each.variable.name
        yield Problem(f'the parameter "{name}" of the lambda has no annotation', "write a def", written)


def is_blank_text(type_: Type | None) -> bool:
    """Tell whether a description is known, and blank."""
    text = text_of(type_)
    return text is not None and is_blank(text)


def _check_hint(checker: TypeChecker, key: Expression | None, value: Expression) -> Iterator[Problem]:
    name = text_of(type_of(checker, key)) if key is not None else None
    if name is None or key is None:
        return
    wrong = hint_fault(name)
    if wrong:
        yield Problem(*wrong, key)
        return
    known = value_of(checker, value)
    wrong = hint_value_fault(name, known) if known is not COMPUTED else None
    if wrong:
        yield Problem(*wrong, value)


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
