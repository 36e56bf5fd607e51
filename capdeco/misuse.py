"""Wrong arguments of public methods, found by beartype and said as a diagnostic."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from beartype import beartype
from beartype.roar import BeartypeCallHintParamViolation

from capdeco.errors import HOST, CapdecoError, Diagnostic

P = ParamSpec("P")
R = TypeVar("R")


def checked(refusal: type[CapdecoError]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Refuse arguments that do not fit a method's annotations with *refusal*, before anything is changed."""

    def decorate(method: Callable[P, R]) -> Callable[P, R]:
        guarded = beartype(method)

        @functools.wraps(method)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                return guarded(*args, **kwargs)
            except BeartypeCallHintParamViolation as violation:
                said = str(violation).replace("\n", " ")
                raise refusal(Diagnostic(HOST, said, "see the signature of this method", rule="argument")) from None

        return call

    return decorate
