"""A function, class or call under one of our decorators, as the hook of that decorator is handed it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import attrs
from mypy.types import CallableType, Instance, Type, get_proper_type  # first, as in internals

from mypy.nodes import CallExpr, ClassDef, Context, Decorator, Expression, FuncDef, LambdaExpr, RefExpr  # isort: skip
from mypy.plugin import FunctionContext, MethodContext

AnyContext: TypeAlias = FunctionContext | MethodContext


@attrs.frozen
class Declared:
    """A function under one of our decorators, as the hook of that decorator sees it."""

    type: CallableType | None
    """`None` where a decorator below ours made something else of it."""
    function: FuncDef | None
    """Its source; `None` for a call on a function that is named."""
    decorator: Expression
    """Our own decorator: where to point without source."""
    given: Expression
    """What our decorator was called with; of a `def` no more than a place."""
    decorators: Sequence[Expression] = ()
    """All of them, ours too."""
    above: Sequence[Expression] = ()
    call: CallExpr | None = None
    """`operation(...)` itself, where it is written here."""

    @property
    def name(self) -> str | None:
        """Its `__name__`, if it surely is a function."""
        return self.function.name if self.function is not None else name_of(self.given)

    @property
    def at(self) -> Context:
        """Where to point when no part of it is meant."""
        return self.function or self.decorator

    @property
    def skip_first(self) -> bool:
        """Whether the first parameter is `self` or `cls`."""
        return self.function is not None and bool(self.function.info) and not self.function.is_static

    @property
    def result(self) -> Type | None:
        """What it returns; of a coroutine, and of what a decorator made awaitable, what that gives."""
        if self.type is None or self.function is None:
            return None
        written = self.function.type
        own = written.ret_type if isinstance(written, CallableType) else None
        if own is not None and not self.function.is_coroutine and _awaited(own) is not None:
            return own
        return _awaited(self.type.ret_type) or self.type.ret_type

    @property
    def below(self) -> Sequence[Expression]:
        """The decorators between ours and the function."""
        return self.decorators[len(self.above) + 1 :]

    def parameter(self, name: str) -> Context:
        """Where the parameter *name* stands."""
        arguments = self.function.arguments if self.function else []
        return next((each for each in arguments if each.variable.name == name), self.at)


def declared_by(context: AnyContext) -> Declared:
    """Find the function that a decorator of ours is put on."""
    type_ = get_proper_type(context.arg_types[0][0])
    signature = type_ if isinstance(type_, CallableType) else None
    place = context.context
    written = context.args[0][0]
    if isinstance(place, Decorator):
        # mypy stands in for the function by a node at our decorator; the context is at the first one.
        for index, each in enumerate(place.decorators):
            if (each.line, each.column) == (written.line, written.column):
                call = each if isinstance(each, CallExpr) else None
                return Declared(signature, place.func, each, written, place.decorators, place.decorators[:index], call)
        return Declared(signature, place.func, written, written)
    inner = place.callee if isinstance(place, CallExpr) else None
    return Declared(signature, None, written, written, call=inner if isinstance(inner, CallExpr) else None)


def _awaited(type_: Type) -> Type | None:
    returned = get_proper_type(type_)
    if isinstance(returned, Instance) and returned.type.fullname in ("typing.Awaitable", "typing.Coroutine"):
        return returned.args[-1] if returned.args else None
    return None


def name_of(function: Expression) -> str | None:
    """Give the `__name__` of a function, if an expression surely is one."""
    if isinstance(function, LambdaExpr):
        return "<lambda>"
    node = function.node if isinstance(function, RefExpr) else None
    return node.name if isinstance(node, FuncDef | Decorator) else None


def capability_call(context: MethodContext) -> CallExpr | None:
    """Give `capability(...)` itself, where it is written here."""
    place, written = context.context, context.args[0][0]
    decorators = place.decorators if isinstance(place, ClassDef | Decorator) else []
    if isinstance(place, CallExpr):
        return place.callee if isinstance(place.callee, CallExpr) else None
    for each in decorators:
        if isinstance(each, CallExpr) and (each.line, each.column) == (written.line, written.column):
            return each
    return None
