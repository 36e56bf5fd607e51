"""Enums and Literals -> the constants that they stand for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import attrs
from mypy.types import (  # first, as in internals
    Instance,
    LiteralType,
    NoneType,
    ProperType,
    TupleType,
    Type,
    get_proper_type,
)

from mypy.nodes import TypeInfo, Var  # isort: skip

from capdeco.declare import unfit
from capdeco.declare.faults import Flaw
from capdeco.declare.shape import Const, JsonScalar


@attrs.frozen
class Computed:
    """Why constants are not known, or not yet."""

    why: str


def literal_constants(literal: LiteralType) -> Const | Flaw | Computed:
    """Read one item of a `Literal`."""
    if literal.is_enum_literal():
        found = _values(literal.fallback.type, [str(literal.value)])
        if isinstance(found, Const) and any(isinstance(each, float) for each in found.values):
            return unfit.literal(f"{literal.fallback.type.name}.{literal.value}")
        return found
    if literal.fallback.type.fullname == "builtins.bytes":
        return unfit.literal(f"b{literal.value!r}")
    value = _value_of(literal)
    return Computed("mypy does not say what it is") if value is None else Const((value,))


def enum_constants(info: TypeInfo) -> Const | Flaw | Computed:
    """Read the members of an enum."""
    if info.has_base("enum.Flag"):
        return unfit.no_form("enum.Flag", info.name)
    if not info.enum_members and _is_complete(info):
        return unfit.enum_without_members(info.name)
    return _values(info, info.enum_members)


def _values(info: TypeInfo, names: Sequence[str]) -> Const | Flaw | Computed:
    make = _maker_of(info)
    written: list[JsonScalar] = []
    values: dict[str, JsonScalar] = {}
    for name in info.enum_members:
        type_ = _type_of(info, name)
        value = _next_value(info, name, written) if _is_auto(type_) else _value_of(type_)
        made = make(value) if make is not None and value is not None else None
        if make is _same and name in names and _is_no_scalar(type_):
            return unfit.enum_value(f"{info.name}.{name}")
        if value is None or made is None:
            return Computed(f'the values of "{info.name}" are computed')
        written.append(value)
        values[name] = made
    if not values:
        return Computed(f'"{info.name}" has no members')
    kept: list[JsonScalar] = []
    for name in names:
        if name in values and values[name] not in kept:  # to an enum, True is 1
            kept.append(values[name])
    return Const(tuple(kept))


def _type_of(info: TypeInfo, name: str) -> ProperType | None:
    node = info.names[name].node if name in info.names else None
    return get_proper_type(node.type) if isinstance(node, Var) and node.type is not None else None


def _is_auto(type_: ProperType | None) -> bool:
    return isinstance(type_, Instance) and type_.type.fullname == "enum.auto"


def _is_overridden(info: TypeInfo, name: str) -> bool:
    """Tell whether an enum, or an own base of it, says itself how its values are made."""
    owner = info.get_containing_type_info(name)
    return owner is not None and owner.module_name not in ("enum", "builtins")


def _is_complete(info: TypeInfo) -> bool:
    """Tell whether mypy sees all members of an enum: not of one that a call made (no Self), or a stub's `A: int`."""
    if info.module_name == "enum":
        return True
    return info.self_type is not None and not any(isinstance(each.node, Var) for each in info.names.values())


def _same(value: JsonScalar) -> JsonScalar | None:
    return value


def _maker_of(info: TypeInfo) -> Callable[[JsonScalar], JsonScalar | None] | None:
    """Give what makes the value of a member of what stands in the body: a mixin, or nothing; `None` if who knows."""
    if "_ignore_" in info.names or _is_overridden(info, "__new__") or _is_overridden(info, "__init__"):
        return None
    mixin = next((each.name for each in info.mro if each.module_name == "builtins"), "object")
    return _MAKERS.get(mixin)


def _made_by(kind: type[int | float | str]) -> Callable[[JsonScalar], JsonScalar | None]:
    def make(value: JsonScalar) -> JsonScalar | None:
        try:
            return kind(value)
        except ValueError:
            return None

    return make


_MAKERS: Final = {"object": _same, "str": _made_by(str), "int": _made_by(int), "float": _made_by(float)}


def _is_no_scalar(type_: ProperType | None) -> bool:
    """Tell whether a value is surely none of JSON's scalars."""
    if isinstance(type_, Instance) and type_.last_known_value is not None:
        type_ = type_.last_known_value
    if isinstance(type_, LiteralType):
        return type_.fallback.type.fullname == "builtins.bytes"
    return isinstance(type_, TupleType | NoneType) or (isinstance(type_, Instance) and type_.type.fullname in _COMPOUND)


_COMPOUND: Final = frozenset(f"builtins.{name}" for name in ("bytes", "complex", "dict", "frozenset", "list", "set"))


def _next_value(info: TypeInfo, name: str, before: Sequence[JsonScalar]) -> JsonScalar | None:
    """Give what `auto()` makes; `None` where a class of its own, or the version of Python, decides."""
    if _is_overridden(info, "_generate_next_value_"):
        return None
    if info.has_base("enum.StrEnum"):
        return name.lower()
    if all(type(each) is int for each in before):
        return max((int(each) for each in before), default=0) + 1 if list(before) == sorted(before) else None
    return None


def _value_of(type_: Type | None) -> JsonScalar | None:
    proper = get_proper_type(type_)
    if isinstance(proper, Instance):
        proper = proper.last_known_value
    if not isinstance(proper, LiteralType) or proper.is_enum_literal() or _is_no_scalar(proper):
        return None
    return proper.value if isinstance(proper.value, bool | int | float | str) else None
