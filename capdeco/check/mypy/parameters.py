"""The parameters of a function, and which of them a caller passes."""

from __future__ import annotations

from typing import Final

import attrs
from mypy.types import (  # first, as in internals
    CallableType,
    Instance,
    TupleType,
    Type,
    TypedDictType,
    UnionType,
    get_proper_type,
)

from mypy.nodes import ARG_STAR2, ArgKind  # isort: skip

from capdeco.check.mypy.internals import fact_of, text_of
from capdeco.check.mypy.names import CONTEXT
from capdeco.check.mypy.wire import members_of

PARAMETERS: Final = "__capdeco_parameters__"
"""Fact on a function: the names of its parameters, joined by commas."""


def is_context(type_: Type) -> bool:
    """Tell whether a parameter is injected, and so no field."""
    proper = get_proper_type(type_)
    if isinstance(proper, UnionType):
        return any(map(is_context, proper.items))
    return isinstance(proper, Instance) and proper.type.fullname == CONTEXT


def surplus_contexts(function: CallableType, *, allowed: bool) -> list[str]:
    """Give the parameters that would be injected, the first left out where one is *allowed*."""
    names = zip(function.arg_names, function.arg_types, strict=True)
    return [name or "" for name, type_ in names if is_context(type_)][allowed:]


@attrs.frozen
class Parameter:
    """One parameter that a caller may pass."""

    name: str | None
    kind: ArgKind
    type: Type
    positional: bool


def parameters_of(function: CallableType) -> list[Parameter]:
    """Give the parameters that are not injected."""
    # mypy forgets the names of positional-only parameters; our decorators note them.
    noted = text_of(fact_of(function, PARAMETERS))
    # A method that was looked up on an object or class lost its first parameter.
    names = noted.split(",")[-len(function.arg_names) :] if noted else function.arg_names
    parts = zip(names, function.arg_names, function.arg_kinds, function.arg_types, strict=True)
    return [
        Parameter(name or known, kind, type_, known is None and kind.is_positional())
        for name, known, kind, type_ in parts
        if not is_context(type_)
    ]


def whole_of(parameters: list[Parameter]) -> Parameter | None:
    """Give the parameter whose fields are the input: `**kw: Unpack[TypedDict]`, else a lone positional-only object."""
    for each in parameters:
        if each.kind == ARG_STAR2 and isinstance(get_proper_type(each.type), TypedDictType):
            return each
    alone = [each for each in parameters if each.positional]
    return alone[0] if len(alone) == 1 and _is_object(alone[0].type) else None


def _is_object(type_: Type) -> bool:
    match get_proper_type(type_):
        case TypedDictType():
            return True
        case TupleType(partial_fallback=owner):
            return owner.type.is_named_tuple
        case Instance(type=info):
            members = members_of(info)
            return members is not None and not members.array and not members.refused
    return False
