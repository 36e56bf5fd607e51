"""The rules that need no tool, on mypy's tree: names, descriptions, bodies, parameters, decorators above ours."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

import attrs
from mypy.nodes import (
    ARG_STAR,
    Argument,
    AssignmentStmt,
    CallExpr,
    ClassDef,
    Context,
    Decorator,
    EllipsisExpr,
    Expression,
    ExpressionStmt,
    FloatExpr,
    FuncDef,
    GlobalDecl,
    IntExpr,
    MemberExpr,
    NameExpr,
    OverloadedFuncDef,
    OverloadPart,
    PassStmt,
    RefExpr,
    Statement,
    StrExpr,
    TempNode,
    TypeInfo,
    UnaryExpr,
    Var,
)
from mypy.types import AnyType, CallableType, TypeVarType, get_proper_type  # first, as in internals

from capdeco import codes
from capdeco.check.mypy.names import CAPABILITY_DECORATOR, OPERATION_DECORATOR, TOOL_DECORATOR
from capdeco.declare import faults
from capdeco.declare.faults import Flaw
from capdeco.declare.names import is_blank

_TRANSPARENT: Final = frozenset(
    {
        "abc.abstractmethod",
        "builtins.staticmethod",
        "builtins.classmethod",
        CAPABILITY_DECORATOR,
    }
)
"""Decorators that may stand above ours: Python, or we, look through them."""


@attrs.frozen
class Problem:
    """A declaration rule that is broken, and where."""

    flaw: Flaw
    at: Context
    subject: str = ""
    code: codes.Code = codes.DECLARATION

    @property
    def text(self) -> str:
        """What is said of it."""
        return "; ".join(
            filter(None, [f"{self.subject}: {self.flaw}" if self.subject else str(self.flaw), self.flaw.fix])
        )


def check_function(function: FuncDef) -> Iterator[Problem]:
    """Check what holds for tools and operations alike."""
    first = bool(function.info) and not function.is_static
    for argument in function.arguments[first:]:
        yield from _check_parameter(function, argument)


def _check_parameter(function: FuncDef, argument: Argument) -> Iterator[Problem]:
    name = argument.variable.name
    if argument.kind == ARG_STAR:
        yield Problem(faults.star_args(function.name), argument)
    elif argument.type_annotation is None:
        yield Problem(faults.no_annotation(function.name, name), argument)
    flaw = _without_form(argument.initializer) if argument.initializer is not None else None
    if flaw:
        yield Problem(flaw, argument, faults.parameter_of(function.name, name))


def _without_form(value: Expression) -> Flaw | None:
    match value:
        case UnaryExpr(expr=inner):
            return _without_form(inner)
        case RefExpr(fullname="msgspec.UNSET" | "msgspec.UnsetType.UNSET"):
            return faults.default_without_form(faults.value_without_form("UnsetType"))
        case CallExpr(callee=RefExpr(fullname="builtins.float"), args=[StrExpr(value=text)]):
            infinite = text.strip().lower().lstrip("+-") in ("nan", "inf", "infinity")
        case _:
            name = value.fullname if isinstance(value, RefExpr) else ""
            infinite = name in ("math.nan", "math.inf") or (isinstance(value, FloatExpr) and value.value == math.inf)
    return faults.default_not_finite() if infinite else None


def check_body(function: FuncDef, name: str) -> Iterator[Problem]:
    """An operation's body is no more than a docstring, `...` or `pass`."""
    for statement in function.body.body:
        if not _is_inert(statement):
            yield Problem(faults.has_body(name), statement)
            return


def _is_inert(statement: Statement) -> bool:
    """Tell whether a statement compiles to nothing."""
    match statement:
        case ExpressionStmt(expr=NameExpr(fullname=name)):
            return name in ("builtins.None", "builtins.True", "builtins.False")
        case ExpressionStmt(expr=expression):
            return isinstance(expression, StrExpr | EllipsisExpr | IntExpr | FloatExpr)
        case AssignmentStmt(rvalue=value):
            return isinstance(value, TempNode)  # `name: int`
    return isinstance(statement, PassStmt | GlobalDecl)


def docstring_of(function: FuncDef) -> str | None:
    """Give the docstring as it is in the source; `None` if there is none."""
    body = function.body.body
    first = body[0] if body else None
    if isinstance(first, ExpressionStmt) and isinstance(first.expr, StrExpr):
        return first.expr.value
    return None


def takes_no_self(function: FuncDef) -> bool:
    """Tell whether a method has no parameter for its object, as it is known at run time."""
    if not function.info or function.is_static or function.is_class:
        return False
    if not function.arguments or function.arguments[0].kind.is_star():
        return not function.arguments
    first = function.arguments[0]
    return first.variable.name not in ("self", "cls") and first.type_annotation is not None


def no_self(function: FuncDef) -> Problem:
    """Say that a method has none."""
    return Problem(faults.no_self(function.info.name, function.name), function)


def twice_in(owner: ClassDef) -> Iterator[Problem]:
    """Find operations of one name in a class body: mypy takes them for a broken overload, of which it keeps less."""
    for statement in owner.defs.body:
        if isinstance(statement, OverloadedFuncDef) and not statement.is_property:
            words = [word for each in statement.unanalyzed_items for word in _operation_word(each)]
            again = [each for each in statement.unanalyzed_items[1:] if set(_operation_word(each)) & set(words[:1])]
            if len(words) > 1 and isinstance(again[0], Decorator):
                yield Problem(faults.defined_twice(again[0].func.name), again[0].func)


def _operation_word(function: OverloadPart) -> Iterator[str]:
    """Give the name that `operation` goes by above a function; mypy looked up that of the first function only."""
    for each in function.decorators if isinstance(function, Decorator) else []:
        called = each.callee if isinstance(each, CallExpr) else None
        if isinstance(called, NameExpr | MemberExpr) and called.fullname in ("", OPERATION_DECORATOR):
            yield called.name


def check_remade(owner: ClassDef, call: CallExpr | None) -> Iterator[Problem]:
    """No decorator that makes another class stands above ours: its record would be on a class that nobody has."""
    places = [index for index, each in enumerate(owner.decorators) if each is call]
    for each in owner.decorators[: places[0] if places else 0]:
        called = each.callee if isinstance(each, CallExpr) else each
        fullname = called.fullname if isinstance(called, RefExpr) else ""
        slots = _told_slots(each)
        if slots is True or (slots is None and fullname in _SLOTTED):
            shown = _as_written(called)
            yield Problem(faults.remade(owner.name, shown), each)


def _as_written(decorator: Expression) -> str:
    match decorator:
        case NameExpr(name=name):
            return name
        case MemberExpr(expr=inner, name=name):
            return f"{_as_written(inner)}.{name}"
    return "that"


_SLOTTED: Final = frozenset(
    {f"{module}.{name}" for module in ("attr", "attr._next_gen", "attrs") for name in ("define", "frozen", "mutable")}
)
"""Decorators that make another class unless they are told `slots=False`."""


def _told_slots(decorator: Expression) -> bool | None:
    if isinstance(decorator, CallExpr) and "slots" in decorator.arg_names:
        told = decorator.args[decorator.arg_names.index("slots")]
        return {"True": True, "False": False}.get(told.name, False) if isinstance(told, NameExpr) else False
    return None


def is_wraps(decorator: Expression) -> bool:
    """Tell whether a decorator is `functools.wraps(...)`: the function then goes by another's signature and words."""
    called = decorator.callee if isinstance(decorator, CallExpr) else None
    return isinstance(called, RefExpr) and called.fullname == "functools.wraps"


def is_undocumented(function: FuncDef) -> bool:
    """Tell whether a function surely has no docstring: what mypy read from its cache has no body."""
    return bool(function.body.body) and is_blank(docstring_of(function))


def check_above(above: Sequence[Expression], word: str, function: FuncDef) -> Iterator[Problem]:
    """No decorator that may wrap the function stands above ours: its record would be on what nobody calls."""
    name = function.name
    if function.is_property:
        yield Problem(faults.lost_to_property(word, name), function)
    for each in above:
        called = each.callee if isinstance(each, CallExpr) else each
        fullname = called.fullname if isinstance(called, RefExpr) else ""
        keeps = fullname in _TRANSPARENT or _keeps(each)
        if keeps:
            continue
        shown = _as_written(called)
        if fullname in _OURS:
            yield Problem(faults.declared_twice(name, f"@{shown}", word), each)
        elif keeps is None:
            yield Problem(faults.perhaps_lost(word, name, shown), each, code=codes.UNCHECKED)
        else:
            yield Problem(faults.lost(word, name, shown), each)


_OURS: Final = frozenset({OPERATION_DECORATOR, TOOL_DECORATOR})


def _keeps(decorator: Expression) -> bool | None:
    """Tell whether a decorator says in its type that it gives back what it was given, as in `(F) -> F`.

    `None`: it has no type that would say anything.
    """
    called = decorator.callee if isinstance(decorator, CallExpr) else decorator
    node = called.node if isinstance(called, RefExpr) else None
    node = node.var if isinstance(node, Decorator) else node
    if isinstance(node, TypeInfo | OverloadedFuncDef):
        return False
    type_ = get_proper_type(node.type) if isinstance(node, FuncDef | Var) and node.type is not None else None
    if isinstance(decorator, CallExpr) and isinstance(type_, CallableType):
        type_ = get_proper_type(type_.ret_type)
    if not isinstance(type_, CallableType):
        return None if type_ is None or isinstance(type_, AnyType) else False
    returned = get_proper_type(type_.ret_type)
    if isinstance(returned, AnyType):
        return None
    return isinstance(returned, TypeVarType) and returned == get_proper_type(next(iter(type_.arg_types), returned))
