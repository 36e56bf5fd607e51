"""Python values as JSON: results, and the defaults of parameters."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import math
import os
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, Final

import attrs
import msgspec

from capdeco.declare.faults import value_without_form

_SCALARS: Final = frozenset({type(None), bool, int, float, str})
_TEXT: Final = (
    datetime.date, datetime.time, datetime.timedelta, uuid.UUID, decimal.Decimal, bytes, bytearray, memoryview,
)  # fmt: skip


class NoJson(Exception):
    """A value has no JSON form; says where in it, and why."""

    def __init__(self, why: str, path: str = "") -> None:
        super().__init__(f"{path}: {why}" if path else why)
        self.why = why
        self.path = path


def to_json(value: Any) -> Any:
    """Turn *value* into what JSON has: null, booleans, numbers, text, lists and dicts with text as keys.

    attrs classes, dataclasses, Structs, pydantic models and named tuples become what a parameter of their type takes.

    Raises:
        NoJson: a part of it has no JSON form.
    """
    try:
        return _json(value)
    except RecursionError:
        raise NoJson(_endless(value)) from None


def _endless(value: Any) -> str:
    """Tell what contains itself from what only goes very deep: down the first branches, as the conversion went."""
    above: set[int] = set()
    pending = [(value, False)]
    while pending:
        each, left = pending.pop()
        if left:
            above.discard(id(each))
        elif isinstance(each, Mapping | list | tuple):
            if id(each) in above:
                return "an object that contains itself has no JSON form"
            above.add(id(each))
            pending.append((each, True))
            pending += [(item, False) for item in (each.values() if isinstance(each, Mapping) else each)]
    return "is nested too deeply"


def _json(value: Any) -> Any:
    kind = type(value)
    if kind in _SCALARS:
        return value
    if kind is dict:
        return _object(value.items())
    if kind is list or kind is tuple:
        return _array(value)
    return _other(value)


def _array(values: Iterable[Any]) -> list[Any]:
    found: list[Any] = []
    for each in values:
        try:
            found.append(_json(each))
        except NoJson as error:
            raise _under(f"[{len(found)}]", error) from None
    return found


def _object(items: Iterable[tuple[Any, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, each in items:
        name = key if type(key) is str else _key(key)
        if name in found:
            raise NoJson(f"two keys are {name!r} as text, and JSON keeps one of them")
        try:
            found[name] = _json(each)
        except NoJson as error:
            raise _under(name, error) from None
    return found


def _key(key: Any) -> str:
    on_wire = _json(key)
    if isinstance(on_wire, bool) or not isinstance(on_wire, str | int):
        raise NoJson(f"the key {key!r} is no text")
    return str(on_wire)


def _under(step: str, error: NoJson) -> NoJson:
    if not error.path:
        return NoJson(error.why, step)
    return NoJson(error.why, step + error.path if error.path.startswith("[") else f"{step}.{error.path}")


def _other(value: Any) -> Any:
    if isinstance(value, enum.Enum):
        return _json(value.value)
    if isinstance(value, _TEXT):
        return msgspec.to_builtins(value)
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if hasattr(value, "__pydantic_serializer__") and not isinstance(value, type):
        return value.__pydantic_serializer__.to_python(value, mode="json", by_alias=True)
    if isinstance(value, msgspec.Struct):
        return _struct(value)
    if attrs.has(type(value)):
        return _object((each.alias, getattr(value, each.name)) for each in attrs.fields(type(value)))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _object((each.name, getattr(value, each.name)) for each in dataclasses.fields(value))
    if isinstance(value, Mapping):
        return _object(value.items())
    if isinstance(value, Set):
        return _sorted(_array(value))
    for base in (str, int, float):
        if isinstance(value, base):
            return base(value)
    if isinstance(value, Sequence) or type(value).__name__ == "deque":
        return _array(value)
    raise NoJson(value_without_form(type(value).__name__))


def _sorted(values: list[Any]) -> list[Any]:
    """A set has no order of its own: the same set is the same text."""
    try:
        return sorted(values)
    except TypeError:
        return values


def _struct(value: msgspec.Struct) -> Any:
    config = value.__struct_config__
    fields = zip(value.__struct_fields__, value.__struct_encode_fields__, strict=True)
    tag: list[tuple[str, Any]] = [(str(config.tag_field), config.tag)] if config.tag is not None else []
    if config.array_like:
        return _array([*(each for _, each in tag), *(getattr(value, name) for name, _ in fields)])
    items = [(wire, getattr(value, name)) for name, wire in fields]
    return _object(tag + [each for each in items if each[1] is not msgspec.UNSET])


def is_finite(value: Any) -> bool:
    """Tell whether JSON *value* holds no NaN and no infinity, which JSON has no words for."""
    if isinstance(value, float):
        return math.isfinite(value)
    return all(map(is_finite, _inside(value)))


def _inside(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        yield from value.values()
    elif isinstance(value, list):
        yield from value
