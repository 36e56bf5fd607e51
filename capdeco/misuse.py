"""Wrong arguments of public methods, found by beartype and said as a diagnostic in our own words."""

from __future__ import annotations

import functools
import inspect
import reprlib
from collections.abc import Callable, Iterator
from typing import Any, Final, ParamSpec, TypeVar, get_type_hints

from beartype import beartype
from beartype.door import is_bearable
from beartype.roar import BeartypeCallHintParamViolation

from capdeco.codes import HOST
from capdeco.errors import CapdecoError, Diagnostic

P = ParamSpec("P")
R = TypeVar("R")


def checked(refusal: type[CapdecoError]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Refuse arguments that do not fit a method's annotations with *refusal*, before anything is changed."""

    def decorate(method: Callable[P, R]) -> Callable[P, R]:
        written = dict(method.__annotations__)  # as the author wrote them: beartype puts types in their place
        guarded = beartype(method)

        @functools.wraps(method)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                return guarded(*args, **kwargs)
            except BeartypeCallHintParamViolation:
                raise refusal(_misused(method, written, args, kwargs)) from None

        return call

    return decorate


_HOW: Final = {
    "Host": "an object with register, lookup, catalog and invoke",
    "Declaration": "what carries @capability or @tool, or a mapping with id, description and operations",
    "Scope": "a scope made by host.scope(name)",
    "Call": "Call(name, arguments)",
    "ToolSpec": "a ToolSpec; what carries @tool is registered by Binder(host).register",
}
"""How to come by what an annotation names, where its name alone does not say it."""


def _misused(
    method: Callable[..., Any], written: dict[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Diagnostic:
    signature, hints = inspect.signature(method), get_type_hints(method)
    for name, given in _given(signature, args, kwargs):
        if name in hints and not is_bearable(given, hints[name]):
            what = f"{method.__qualname__}: {name} is {reprlib.repr(given)} ({type(given).__name__})"
            wanted = str(written[name]).split(" | ")
            return Diagnostic(
                HOST, what, f"give {' or '.join(_HOW.get(each, each) for each in wanted)}", rule="argument"
            )
    what = f"{method.__qualname__}: an argument does not fit {signature}"
    return Diagnostic(HOST, what, "see its signature", rule="argument")


def _given(signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in signature.bind(*args, **kwargs).arguments.items():
        if signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
            yield from ((name, each) for each in value)
        else:
            yield name, value
