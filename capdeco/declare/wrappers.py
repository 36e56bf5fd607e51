"""Wrappers made with `functools.wraps`: which parameters of the function below are not the caller's to pass."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any, get_args, get_origin

import attrs


def wrappers_of(function: object) -> tuple[list[FunctionType], Any]:
    """Give the wrappers around a function, outermost first, and what says the signature of them all.

    That is the function at the bottom, or a wrapper with a `__signature__` of its own.
    """
    found: list[FunctionType] = []
    current: Any = function
    while hasattr(current, "__wrapped__") and not hasattr(current, "__signature__") and len(found) < 100:
        if isinstance(current, FunctionType):
            found.append(current)
        current = current.__wrapped__
    return found, current


def hidden_parameters(function: object) -> frozenset[str]:
    """Name the parameters that a wrapper fills in itself, by the declared type of its decorator.

    `Callable[Concatenate[DB, P], R] -> Callable[P, R]` hides the first. The wrapper, which is `(*args, **kwargs)`, says
    nothing, and `functools.wraps` gives it the signature of the function below.
    """
    wrappers, bottom = wrappers_of(function)
    changes = [change for change in map(_change_of, reversed(wrappers)) if change is not None]
    if not changes:
        return frozenset()
    try:
        names = [
            each.name
            for each in inspect.signature(bottom).parameters.values()
            if each.kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        ]
    except (ValueError, TypeError, NameError):
        return frozenset()
    hidden: list[str] = []
    for start, stop in changes:
        hidden += names[start:stop]
        del names[start:stop]
    return frozenset(hidden)


def _change_of(wrapper: FunctionType) -> tuple[int, int] | None:
    """Say which of the leading parameters *wrapper* fills in; `None` if it fills in none, or nothing is known."""
    decorator = _decorator_of(wrapper)
    try:
        hints = {} if decorator is None else typing.get_type_hints(decorator)
    except (NameError, TypeError, AttributeError, SyntaxError):
        return None  # a name that only type checkers see
    returned = _Callable.read(hints.pop("return", None))
    if returned is None:
        return None
    # Either the decorator itself, or a function that gives a decorator.
    taken = [_Callable.read(each) for each in ([returned.first] if returned.first is not None else hints.values())]
    given = _Callable.read(returned.result) if returned.first is not None else returned
    for each in taken:
        if each is not None and given is not None and each.rest is given.rest and each.rest is not None:
            kept, all_ = len(given.leading), len(each.leading)
            if kept < all_ and each.leading[:kept] == given.leading:
                return kept, all_
            if kept < all_ and each.leading[all_ - kept :] == given.leading:
                return 0, all_ - kept
    return None


def _decorator_of(wrapper: FunctionType) -> FunctionType | None:
    """Find the function at the top of a module or class that made *wrapper*."""
    # Of the code, whose name `functools.wraps` does not change.
    path = wrapper.__code__.co_qualname.split(".<locals>.")[0].split(".")
    found: Any = wrapper.__globals__.get(path[0])
    for name in path[1:]:
        found = inspect.getattr_static(found, name, None)
    found = inspect.unwrap(found.__func__ if isinstance(found, staticmethod | classmethod) else found)
    return found if isinstance(found, FunctionType) and wrapper.__code__ in _inside(found.__code__) else None


def _inside(code: CodeType) -> Iterator[CodeType]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield each
            yield from _inside(each)


@attrs.frozen
class _Callable:
    """`Callable[Concatenate[leading, rest], result]`, or `Callable[[first], result]`."""

    result: Any
    leading: tuple[Any, ...] = ()
    rest: Any = None
    """A ParamSpec."""
    first: Any = None

    @classmethod
    def read(cls, annotation: Any) -> _Callable | None:
        arguments = get_args(annotation)
        if get_origin(annotation) is not Callable or len(arguments) != 2:
            return None
        parameters, result = arguments
        if isinstance(parameters, list):
            return cls(result, first=parameters[0]) if len(parameters) == 1 else None
        if get_origin(parameters) is typing.Concatenate:
            *leading, rest = get_args(parameters)
            return cls(result, tuple(leading), rest)
        return cls(result, rest=parameters) if isinstance(parameters, typing.ParamSpec) else None
