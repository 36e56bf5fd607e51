"""Forms as converters: JSON that its schema admits becomes the Python object that the annotation promises."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import attrs
import msgspec

from capdeco.declare.shape import Array, Const, Object, Scalar, Shape, Unknown, admits, resolve
from capdeco.reading.foreign import Foreign
from capdeco.reading.forms import (
    Alias,
    Anything,
    Choice,
    Constants,
    Fixed,
    Keyed,
    Many,
    Noted,
    Plain,
    Text,
    form_of,
)
from capdeco.reading.problems import Gathering, Problems, said_by
from capdeco.reading.records import MISSING, Member, Record
from capdeco.reading.shapes import ShapeReader, key_of

Convert: TypeAlias = Callable[[Any], Any]
"""JSON -> Python object; raises `Problems`."""


@attrs.define(eq=False)
class Converters:
    """Makes the converters of one function; `None` stands for one that would change nothing."""

    names: Mapping[str, object] = attrs.field(factory=dict)
    _running: dict[Any, list[Convert | None]] = attrs.field(factory=dict)

    def of(self, annotation: Any) -> Convert | None:
        """Make the converter for a type whose shape could be read."""
        match form_of(annotation, self.names):
            case Anything():
                return None
            case Plain(type=kind):
                return None if kind in (type(None), bool, str) else _calling(kind, "is not a number")
            case Text(format="path", type=kind):
                return _calling(kind, "is not a path")
            case Text(format=name, type=kind):
                return _text(kind, _WORDS[name])
            case Constants(same=True):
                return None
            case Constants() as constants:
                return _constants(constants)
            case Many(item=item, make=make):
                return _many(self.of(item), make)
            case Fixed(items=items):
                return _fixed([self.of(item) or _same for item in items])
            case Keyed(key=key, value=value):
                return _keyed(self._key(key), self.of(value))
            case Choice(arms=arms):
                return self._choice(arms)
            case Noted(inner=inner, checks=checks):
                return _checked(self.of(inner), checks)
            case Alias(target=target):
                return self._named(annotation, lambda: self.of(target))
            case Record() as record:
                return self._named(annotation, lambda: self._record(record, array=record.array))
            case Foreign() as foreign:
                return _foreign(foreign)

    def whole(self, annotation: Any) -> Convert | None:
        """Like `of`, for a type whose fields are the input: an object, even if it travels as an array elsewhere."""
        form = form_of(annotation, self.names)
        if isinstance(form, Noted):
            return _checked(self.whole(form.inner), form.checks)
        return self._record(form, array=False) if isinstance(form, Record) else self.of(annotation)

    def _named(self, annotation: Any, make: Callable[[], Convert | None]) -> Convert | None:
        """Make it once: inside itself, a type is converted by what is still being made."""
        key = key_of(annotation)
        if key in self._running:
            cell = self._running[key]
            return lambda value: value if cell[0] is None else cell[0](value)
        cell = self._running[key] = [None]
        try:
            cell[0] = make()
        finally:
            del self._running[key]
        return cell[0]

    def _key(self, annotation: Any) -> Convert | None:
        # No schema says which keys there may be, so a Literal is checked here.
        form = form_of(annotation, self.names)
        return _constants(form) if isinstance(form, Constants) else self.of(annotation)

    def _choice(self, arms: tuple[Any, ...]) -> Convert | None:
        reader = ShapeReader(self.names)
        found: list[tuple[Shape, Convert | None]] = []
        for arm in arms:
            form = form_of(arm, self.names)
            found += [
                (reader.shape(each), self.of(each)) for each in (form.arms if isinstance(form, Choice) else [arm])
            ]
        if all(convert is None for _, convert in found):
            return None
        found.sort(key=lambda each: _rank(each[0]))
        return _first_of(found)

    def _record(self, record: Record, *, array: bool) -> Convert | None:
        members = [(each, self.of(each.annotation)) for each in record.inputs]
        if array:
            return _array_record(record, members)
        rest = None if record.rest is MISSING else self.of(record.rest)
        if record.plain and rest is None and all(convert is None for _, convert in members):
            return None
        return _object_record(record, members, rest)


def _same(value: Any) -> Any:
    return value


def _calling(kind: Callable[[Any], Any], words: str) -> Convert:
    def convert(value: Any) -> Any:
        try:
            return kind(value)
        except (ValueError, TypeError, OverflowError):
            raise Problems(("", words)) from None

    return convert


_WORDS: Final = {
    "date": "is not a date, as in 2026-01-31",
    "date-time": "is not a date with a time, as in 2026-01-31T12:00:00Z",
    "time": "is not a time, as in 12:00:00",
    "duration": "is not a duration, as in PT1H30M",
    "uuid": "is not a UUID",
    "decimal": "is not a decimal number, as in 12.50",
    "byte": "is not base64",
}


def _text(kind: Any, words: str) -> Convert:
    def convert(value: Any) -> Any:
        try:
            return msgspec.convert(value, kind)
        except msgspec.ValidationError:
            raise Problems(("", words)) from None

    return convert


def _constants(constants: Constants) -> Convert:
    # JSON tells true from 1, which Python's == does not.
    values = {(isinstance(wire, bool), wire): value for wire, value in constants.values}

    def convert(value: Any) -> Any:
        try:
            return values[isinstance(value, bool), value]
        except KeyError:
            known = ", ".join(str(wire) for _, wire in values)
            raise Problems(("", f"is none of {known}")) from None

    return convert


def _many(item: Convert | None, make: Callable[[list[Any]], Any] | None) -> Convert | None:
    collect = None if make is None else _calling(make, "holds what this collection cannot")
    if item is None:
        return collect

    def convert(values: list[Any]) -> Any:
        gathering = Gathering()
        found = [gathering.convert(place, item, each) for place, each in enumerate(values)]
        gathering.check()
        return found if collect is None else collect(found)

    return convert


def _fixed(items: list[Convert]) -> Convert:
    def convert(values: list[Any]) -> Any:
        _check_length(values, len(items), len(items))
        return tuple(_each(values, items))

    return convert


def _each(values: list[Any], items: list[Convert]) -> list[Any]:
    gathering = Gathering()
    pairs = enumerate(zip(values, items, strict=False))
    found = [gathering.convert(place, convert, value) for place, (value, convert) in pairs]
    gathering.check()
    return found


def _check_length(values: list[Any], least: int, most: int) -> None:
    if not least <= len(values) <= most:
        wanted = str(most) if least == most else f"{least} to {most}"
        raise Problems(("", f"has {len(values)} items, not {wanted}"))


def _keyed(key: Convert | None, value: Convert | None) -> Convert | None:
    if key is None and value is None:
        return None
    convert_key, convert_value = key or _same, value or _same

    def convert(given: Mapping[str, Any]) -> dict[Any, Any]:
        gathering = Gathering()
        found = {
            gathering.convert(name, convert_key, name): gathering.convert(name, convert_value, each)
            for name, each in given.items()
        }
        gathering.check()
        return found

    return convert


def _first_of(arms: list[tuple[Shape, Convert | None]]) -> Convert:
    """The first arm whose shape admits the value makes it; text goes on to the next if it is not of the format."""

    def convert(value: Any) -> Any:
        found: list[tuple[str, str]] = []
        for shape, make in arms:
            if not admits(shape, value):
                continue
            if make is None:
                return value
            try:
                return make(value)
            except Problems as problems:
                found += problems.found
        raise Problems(*dict.fromkeys(found or [("", "is of none of the types that it may be")]))

    return convert


def _rank(shape: Shape) -> int:
    """What is tried first: constants, text in a format before plain text, and base64 last, as much text is that too."""
    match resolve(shape):
        case Const() | Scalar(kind="null" | "boolean" | "integer"):
            return 0
        case Scalar(kind="string", format="byte"):
            return 4
        case Scalar(kind="string", format=None):
            return 3
        case Unknown():
            return 5
        case Array() | Object():
            return 2
        case _:
            return 1


def _object_record(record: Record, members: list[tuple[Member, Convert | None]], rest: Convert | None) -> Convert:
    known = {each.wire: (each.name, convert or _same) for each, convert in members}
    tag = record.tag[0] if record.tag is not None else None

    def convert(value: Mapping[str, Any]) -> Any:
        gathering = Gathering()
        fields: dict[str, Any] = {}
        for wire, each in value.items():
            if wire != tag:
                name, make = known.get(wire, (wire, rest or _same))
                fields[name] = gathering.convert(wire, make, each)
        gathering.check()
        return _make(record, fields)

    return convert


def _array_record(record: Record, members: list[tuple[Member, Convert | None]]) -> Convert:
    names = [each.name for each, _ in members]
    items = [convert or _same for _, convert in members]
    least = sum(each.required for each, _ in members)
    tags = 0 if record.tag is None else 1

    def convert(values: list[Any]) -> Any:
        _check_length(values, least + tags, len(items) + tags)
        return _make(record, dict(zip(names, _each(values[tags:], items), strict=False)))

    return convert


def _make(record: Record, fields: Mapping[str, Any]) -> Any:
    try:
        return record.make(**fields)
    except (ValueError, TypeError, AssertionError) as error:
        raise Problems(("", said_by(error))) from None


def _checked(convert: Convert | None, checks: tuple[Convert, ...]) -> Convert | None:
    if not checks:
        return convert

    def check(value: Any) -> Any:
        value = value if convert is None else convert(value)
        for each in checks:
            value = each(value)
        return value

    return check


def _foreign(foreign: Foreign) -> Convert:
    read = foreign.reader()
    return lambda value: read(msgspec.json.encode(value))
