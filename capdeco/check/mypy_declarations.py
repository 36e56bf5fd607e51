"""The rules that need no tool, on mypy's tree: names, descriptions, bodies, parameters, decorators above ours."""

from __future__ import annotations

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
from mypy.types import AnyType, CallableType, TypeVarType, get_proper_type  # first, as in mypy_internals

from capdeco import codes
from capdeco.check.mypy_names import CAPABILITY_DECORATOR, OPERATION_DECORATOR, TOOL_DECORATOR
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

    what: str
    fix: str
    at: Context
    code: codes.Code = codes.DECLARATION


def check_function(function: FuncDef, kind: str, *, described: bool) -> Iterator[Problem]:
    """Check what holds for tools and operations alike; *described*: there is a `description=`."""
    if not described and is_blank(docstring_of(function)):
        yield Problem(
            f'the {kind} "{function.name}" has no description: it is what the model reads',
            "write a docstring, or give description=",
            function,
        )
    first = bool(function.info) and not function.is_static
    for argument in function.arguments[first:]:
        yield from _check_parameter(function, argument)


def _check_parameter(function: FuncDef, argument: Argument) -> Iterator[Problem]:
    name = argument.variable.name
    if argument.kind == ARG_STAR:
        yield Problem(
            f'"{function.name}" takes *args, and a tool\'s arguments have names',
            "name each parameter, or take one list",
            argument,
        )
    elif argument.type_annotation is None:
        yield Problem(f'the parameter "{name}" of "{function.name}" has no annotation', "annotate it", argument)
    if argument.initializer is not None:
        why = _no_json(argument.initializer)
        if why:
            yield Problem(f'the default of "{name}" has no JSON form: {why}', "use None for no value", argument)


def _no_json(value: Expression) -> str:
    if isinstance(value, UnaryExpr):
        return _no_json(value.expr)
    if isinstance(value, RefExpr):
        if value.fullname in ("math.nan", "math.inf"):
            return "NaN and infinity have none"
        return "UNSET stands for absence" if value.fullname in ("msgspec.UNSET", "msgspec.UnsetType.UNSET") else ""
    if isinstance(value, CallExpr) and isinstance(value.callee, RefExpr) and value.callee.fullname == "builtins.float":
        text = value.args[0].value.strip().lower() if value.args and isinstance(value.args[0], StrExpr) else ""
        if text.lstrip("+-") in ("nan", "inf", "infinity"):
            return "NaN and infinity have none"
    return "infinity has none" if isinstance(value, FloatExpr) and value.value in (float("inf"),) else ""


def check_body(function: FuncDef) -> Iterator[Problem]:
    """An operation's body is no more than a docstring, `...` or `pass`."""
    for statement in function.body.body:
        if not _is_inert(statement):
            yield Problem(
                f'the body of the operation "{function.name}" would never run: its steps are all it does',
                "leave the docstring alone (or `...`), and put the code into a tool that a step names",
                statement,
            )
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
    what = f'"{function.info.name}.{function.name}" takes no self, so its first parameter is none of the operation\'s'
    return Problem(what, "add self, or put @staticmethod below @operation", function)


def twice_in(owner: ClassDef) -> Iterator[Problem]:
    """Find operations of one name in a class body: mypy takes them for a broken overload, of which it keeps less."""
    for statement in owner.defs.body:
        if isinstance(statement, OverloadedFuncDef) and not statement.is_property:
            words = [word for each in statement.unanalyzed_items for word in _operation_word(each)]
            again = [each for each in statement.unanalyzed_items[1:] if set(_operation_word(each)) & set(words[:1])]
            if len(words) > 1 and isinstance(again[0], Decorator):
                what = f'this class has two operations "{again[0].func.name}", and Python keeps the last one only'
                yield Problem(what, "rename one of them", again[0].func)


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
            shown = called.name if isinstance(called, NameExpr | MemberExpr) else "that"
            what = f'@capability was lost: @{shown} stands above it, and makes another class "{owner.name}"'
            yield Problem(what, f"put @capability above @{shown}", each)


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
        yield Problem(f'"{name}" loses {word}: it is a property', "make it a method", function)
    for each in above:
        called = each.callee if isinstance(each, CallExpr) else each
        fullname = called.fullname if isinstance(called, RefExpr) else ""
        keeps = fullname in _TRANSPARENT or _keeps(each)
        if keeps:
            continue
        shown = called.name if isinstance(called, NameExpr | MemberExpr) else "that"
        if fullname in _OURS:
            both = f"{word} twice" if word == f"@{shown}" else f"both @{shown} and {word}"
            yield Problem(f'"{name}" has {both}: it is declared once', "remove one", each)
            continue
        fix = f"put {word} above @{shown}"
        if keeps is None:
            what = f'"{name}" may lose {word}: nothing says that @{shown} gives back the function'
            yield Problem(what, fix, each, codes.UNCHECKED)
        else:
            yield Problem(f'"{name}" loses {word}: @{shown} stands above it, and may wrap the function', fix, each)


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
