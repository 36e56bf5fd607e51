"""What an annotation stands for on the wire: one table of forms, from which shapes and conversions are both made."""

from __future__ import annotations

import collections
import collections.abc as abc
import datetime
import decimal
import enum
import os
import pathlib
import types
import typing
import uuid
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias, get_args, get_origin

import attrs
import typing_extensions

from capdeco.declare import unfit
from capdeco.declare.faults import Flaw, Refused
from capdeco.declare.shape import JsonScalar, Kind
from capdeco.reading.annotations import is_unpacked, names_of_module, resolve, substitute
from capdeco.reading.foreign import Foreign
from capdeco.reading.notes import read_notes
from capdeco.reading.records import Record, record_of


@attrs.frozen
class Anything:
    """Any JSON, as it is; `reason` is why nothing more is known."""

    reason: str


@attrs.frozen
class Plain:
    """A JSON scalar that Python has too, or a subclass of one."""

    kind: Kind
    type: type


@attrs.frozen
class Text:
    """A Python type that travels as text, in one of the formats of `declare.shape.FORMATS`."""

    format: str
    type: Any


@attrs.frozen
class Constants:
    """What is on the wire, and the Python value that it stands for: a Literal, or an enum."""

    values: tuple[tuple[JsonScalar, Any], ...]
    same: bool
    """The two are the same: nothing to convert."""


@attrs.frozen
class Many:
    """An array of alike items."""

    item: Any
    make: Callable[[list[Any]], Any] | None = None
    """`None`: a list."""


@attrs.frozen
class Fixed:
    """An array with a type for each place."""

    items: tuple[Any, ...]


@attrs.frozen
class Keyed:
    """An object with any keys; keys are text on the wire."""

    key: Any
    value: Any


@attrs.frozen
class Choice:
    """One of several."""

    arms: tuple[Any, ...]


@attrs.frozen
class Noted:
    """A type with a description, or checks of its own."""

    inner: Any
    doc: str
    checks: tuple[Callable[[Any], Any], ...]


@attrs.frozen
class Alias:
    """A name for a type, which may be part of itself."""

    name: str
    target: Any


Form: TypeAlias = Anything | Plain | Text | Constants | Many | Fixed | Keyed | Choice | Noted | Alias | Record | Foreign

_PLAIN: Final[Mapping[object, Kind]] = {
    type(None): "null", bool: "boolean", int: "integer", float: "number", str: "string",
}  # fmt: skip
_TEXT: Final[Mapping[object, Text]] = {
    datetime.date: Text("date", datetime.date),
    datetime.datetime: Text("date-time", datetime.datetime),
    datetime.time: Text("time", datetime.time),
    datetime.timedelta: Text("duration", datetime.timedelta),
    uuid.UUID: Text("uuid", uuid.UUID),
    decimal.Decimal: Text("decimal", decimal.Decimal),
    bytes: Text("byte", bytes),
    bytearray: Text("byte", bytearray),
    os.PathLike: Text("path", pathlib.Path),
}
_ARRAYS: Final[Mapping[object, Callable[[list[Any]], Any] | None]] = {
    list: None,
    abc.Sequence: None,
    abc.MutableSequence: None,
    abc.Collection: None,
    abc.Iterable: None,
    abc.Reversible: None,
    set: set,
    abc.Set: set,
    abc.MutableSet: set,
    frozenset: frozenset,
    collections.deque: collections.deque,
}
_MAPPINGS: Final = (dict, abc.Mapping, abc.MutableMapping)
_QUALIFIERS: Final = (
    typing.Required, typing.NotRequired, typing_extensions.Required, typing_extensions.NotRequired,
    typing_extensions.ReadOnly, typing.Final, typing.ClassVar,
)  # fmt: skip
_ALIASES: Final = tuple(
    {typing_extensions.TypeAliasType, getattr(typing, "TypeAliasType", typing_extensions.TypeAliasType)}
)


def form_of(annotation: Any, names: Mapping[str, object]) -> Form:
    """Say what *annotation* stands for; *names* are those that it may use and no module has.

    Raises:
        Refused: it has no JSON form.
    """
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is typing.Annotated:
        return Noted(arguments[0], *read_notes(annotation))
    if origin in _QUALIFIERS:
        return form_of(arguments[0], names)
    if isinstance(annotation, typing.NewType):
        return form_of(annotation.__supertype__, names)
    if isinstance(origin or annotation, _ALIASES):
        return _alias(annotation, names)
    if isinstance(annotation, typing.TypeVar):
        return _type_variable(annotation, names)
    if origin in (typing.Union, types.UnionType):
        return Choice(arguments)
    if origin in (typing.Literal, typing_extensions.Literal):
        return _literal(arguments)
    if annotation in (Any, typing_extensions.Any, object):
        return Anything("it may hold any JSON")
    if annotation is None:
        return Plain("null", type(None))
    if isinstance(annotation, str | typing.ForwardRef):
        what = f"{getattr(annotation, '__forward_arg__', annotation)} is part of itself under a plain name"
        raise Refused(Flaw("annotation", what, "write the alias with a type statement, or as TypeAliasType"))
    kind = origin or annotation
    if not isinstance(kind, type):
        shown = getattr(kind, "__name__", None) or str(annotation).removeprefix("typing.")
        raise Refused(unfit.no_form(f"typing.{shown}", shown))
    return _class(kind, annotation, arguments, names)


def _class(kind: type, annotation: Any, arguments: tuple[Any, ...], names: Mapping[str, object]) -> Form:
    if kind in _PLAIN:
        return Plain(_PLAIN[kind], kind)
    if kind in _TEXT:
        return _TEXT[kind]
    if kind in _ARRAYS:
        return Many(arguments[0] if arguments else Any, _ARRAYS[kind])
    if kind is tuple:
        return _tuple(annotation, arguments)
    if kind in _MAPPINGS:
        key, value = arguments or (str, Any)
        return Keyed(key, value)
    if issubclass(kind, enum.Enum):
        return _enum(kind)
    record = record_of(annotation, names)
    if record is not None:
        return record
    if issubclass(kind, pathlib.PurePath):
        return Text("path", kind)
    for base in (str, int, float):
        if issubclass(kind, base):
            return Plain(_PLAIN[base], kind)
    if getattr(kind, "_is_protocol", False) and not unfit.is_known(_qualified(kind)):
        raise Refused(unfit.protocol(kind.__name__))
    raise Refused(unfit.no_form(_qualified(kind)))


def _qualified(kind: type) -> str:
    return f"{kind.__module__}.{kind.__name__}"


def _alias(annotation: Any, names: Mapping[str, object]) -> Alias:
    alias = get_origin(annotation) or annotation
    arguments = get_args(annotation)
    found = names_of_module(alias.__module__, names)
    found.near.update({each.__name__: each for each in alias.__type_params__}, **{alias.__name__: alias})
    value = resolve(alias.__value__, found)
    return Alias(alias.__name__, substitute(value, dict(zip(alias.__type_params__, arguments, strict=False))))


def _type_variable(variable: Any, names: Mapping[str, object]) -> Form:
    default = getattr(variable, "__default__", typing_extensions.NoDefault)
    if default is not typing_extensions.NoDefault and default is not None:
        return form_of(default, names)
    if variable.__constraints__:
        return Choice(variable.__constraints__)
    if variable.__bound__ is not None:
        return form_of(variable.__bound__, names)
    return Anything(f"the type variable {variable.__name__} may be anything")


def _literal(arguments: Iterable[Any]) -> Form:
    found: list[tuple[JsonScalar, Any]] = []
    for each in arguments:
        on_wire = each.value if isinstance(each, enum.Enum) else each
        if each is not None and not isinstance(on_wire, bool | int | str):
            shown = f"{type(each).__name__}.{each.name}" if isinstance(each, enum.Enum) else repr(each)
            raise Refused(unfit.literal(shown))
        if each is not None:
            found.append((_bare(on_wire), each))
    constants = Constants(tuple(found), same=not any(isinstance(each, enum.Enum) for _, each in found))
    if None not in arguments:
        return constants
    if not found:
        return Plain("null", type(None))
    return Choice((typing.Literal[tuple(each for _, each in found)], type(None)))


def _enum(kind: type[enum.Enum]) -> Constants:
    if issubclass(kind, enum.Flag):
        raise Refused(unfit.no_form("enum.Flag", kind.__name__))
    for each in kind:
        if not isinstance(each.value, bool | int | float | str):
            raise Refused(unfit.enum_value(f"{kind.__name__}.{each.name}"))
    if not len(kind):
        raise Refused(unfit.enum_without_members(kind.__name__))
    return Constants(tuple((_bare(each.value), each) for each in kind), same=False)


def _bare(value: Any) -> JsonScalar:
    """A member of a StrEnum, or a value of another subclass, as the JSON scalar that it is."""
    kind = next(each for each in (bool, int, float, str) if isinstance(value, each))
    return value if type(value) is kind else kind(value)


def _tuple(annotation: Any, arguments: tuple[Any, ...]) -> Form:
    if any(map(is_unpacked, arguments)):
        raise Refused(unfit.unpacked_tuple())
    if arguments and arguments[-1] is Ellipsis:
        return Many(arguments[0], tuple)
    return Fixed(arguments) if get_origin(annotation) else Many(Any, tuple)
