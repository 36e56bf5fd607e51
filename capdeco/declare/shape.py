"""The one model of a JSON type: what every reader lowers to, what the rules compare, what the model's schema says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal, TypeAlias

import attrs

from capdeco.errors import did_you_mean, near_misses

Kind = Literal["null", "boolean", "integer", "number", "string"]
JsonScalar: TypeAlias = bool | int | float | str
"""What a constant may be; the constant null is `Scalar("null")`, so that each value has one spelling."""

FORMATS: Final = frozenset({"date", "date-time", "time", "duration", "uuid", "decimal", "path", "byte"})
"""What a string may be beyond text: Python types that travel as text."""
PATH: Final = "path"
BYTES: Final = "byte"
FREE_TEXT: Final = frozenset({None, PATH, BYTES})
"""Formats that any text may be sent to: bytes arrive as base64, and what is not is refused at the call."""


class _NoDefault:
    def __repr__(self) -> str:
        return "NO_DEFAULT"


NO_DEFAULT: Final = _NoDefault()


def _exact(value: object) -> object:
    # JSON tells true from 1, which Python's == does not.
    if isinstance(value, tuple | list):
        return tuple(_exact(each) for each in value)
    if isinstance(value, Mapping):
        return {key: _exact(each) for key, each in value.items()}
    return (isinstance(value, bool), value)


@attrs.frozen
class Unknown:
    """Any JSON: fits both ways, and what it meets is unchecked because of `reason`."""

    reason: str = attrs.field(default="it may hold any JSON", eq=False)
    doc: str = attrs.field(default="", eq=False, kw_only=True)


@attrs.frozen
class Scalar:
    """One JSON scalar type; a format, one of `FORMATS`, only on strings."""

    kind: Kind
    format: str | None = None
    doc: str = attrs.field(default="", eq=False, kw_only=True)


@attrs.frozen
class Const:
    """One of these values, never null."""

    values: tuple[JsonScalar, ...] = attrs.field(eq=_exact)
    doc: str = attrs.field(default="", eq=False, kw_only=True)


@attrs.frozen
class Array:
    """A list of items of one shape; sets and tuples too, since order and number are not compared."""

    item: Shape
    doc: str = attrs.field(default="", eq=False, kw_only=True)


@attrs.frozen
class Field:
    """A shape, whether it may be absent on the wire, and whether an absent one is filled by its default."""

    shape: Shape
    optional: bool = False
    filled: bool = False
    default: Any = attrs.field(default=NO_DEFAULT, eq=_exact)
    """What the schema shows as default: JSON, or `NO_DEFAULT`."""

    @property
    def provided(self) -> bool:
        """Whether whoever receives the object surely finds this field in it."""
        return self.filled or not self.optional


@attrs.frozen
class Object:
    """Named fields in order; `rest` is the shape of every other field, `None` if there is no other."""

    fields: Mapping[str, Field] = attrs.field(factory=dict)
    rest: Shape | None = None
    doc: str = attrs.field(default="", eq=False, kw_only=True)

    @property
    def is_mapping(self) -> bool:
        """Whether it names no field: a `dict[str, T]`."""
        return not self.fields and self.rest is not None


@attrs.frozen
class Union:
    """At least two arms, none of them a union; make one with `union()`."""

    arms: tuple[Shape, ...]
    doc: str = attrs.field(default="", eq=False, kw_only=True)


@attrs.frozen
class Ref:
    """A name in a table of definitions: how a type contains itself. Equal names of one table are one type."""

    name: str
    table: Mapping[str, Shape] = attrs.field(eq=False, repr=False)
    doc: str = attrs.field(default="", eq=False, kw_only=True)

    @property
    def target(self) -> Shape:
        """What the name stands for."""
        return self.table[self.name]


Shape: TypeAlias = Unknown | Scalar | Const | Array | Object | Union | Ref

NULL: Final = Scalar("null")
ANY: Final = Unknown()


def union(arms: Iterable[Shape]) -> Shape:
    """Join *arms*: flat, without repetition, constants together; one arm alone is itself."""
    flat: list[Shape] = []
    constants: list[JsonScalar] = []
    for arm in arms:
        for each in arm.arms if isinstance(arm, Union) else (arm,):
            if isinstance(each, Const):
                if not constants:
                    flat.append(each)  # holds the place of all constants
                constants += [value for value in each.values if _exact(value) not in map(_exact, constants)]
            elif each not in flat:
                flat.append(each)
    joined = [Const(tuple(constants), doc=each.doc) if isinstance(each, Const) else each for each in flat]
    return joined[0] if len(joined) == 1 else Union(tuple(joined))


def resolve(shape: Shape) -> Shape:
    """Follow references to what they name."""
    while isinstance(shape, Ref):
        shape = shape.target
    return shape


def arms_of(shape: Shape) -> tuple[Shape, ...]:
    """Give the alternatives of *shape*, references followed; itself if it has none."""
    shape = resolve(shape)
    if not isinstance(shape, Union):
        return (shape,)
    return tuple(found for arm in shape.arms for found in arms_of(arm))


def documented(shape: Shape, doc: str) -> Shape:
    """Give *shape* with a description for the model."""
    return attrs.evolve(shape, doc=doc) if doc else shape


_NAMES: Final = {"null": "None", "boolean": "bool", "integer": "int", "number": "float", "string": "str"}
_FORMATS: Final = {
    "date-time": "datetime", "uuid": "UUID", "decimal": "Decimal", "path": "Path", "byte": "bytes",
    "duration": "timedelta",
}  # fmt: skip


def show(shape: Shape) -> str:
    """Spell *shape* for a person, in Python's words where it has them."""
    match shape:
        case Unknown():
            return "Any"
        case Scalar(kind="string", format=str() as name):
            return _FORMATS.get(name, name)
        case Scalar(kind=kind):
            return _NAMES[kind]
        case Const(values=values):
            return f"Literal[{', '.join(map(repr, values))}]"
        case Array(item=item):
            return f"list[{show(item)}]"
        case Object(fields=fields, rest=rest):
            if not fields and rest is not None:
                return f"dict[str, {show(rest)}]"
            names = [f"{name}?" if field.optional else name for name, field in fields.items()]
            if len(names) > 6:
                names[6:] = ["..."]
            return f"an object {{{', '.join(names)}}}"
        case Union(arms=arms):
            return " | ".join(map(show, arms))
        case Ref(name=name):
            return name


# Comparing


@attrs.frozen
class Misfit:
    """Why one shape does not fit another: proved wrong, or (`proved=False`) not provable."""

    path: str
    """Where, from the shapes compared, as in `columns`, `rows[].name` or `*`; empty at the top."""
    why: str
    proved: bool = True

    def under(self, step: str) -> Misfit:
        """Say the same from one level further out."""
        joined = step if not self.path else step + self.path if self.path.startswith("[") else f"{step}.{self.path}"
        return attrs.evolve(self, path=joined)


def compare(given: Shape, wanted: Shape) -> Misfit | None:
    """Say why not every value that *given* admits is admitted by *wanted*; `None` if every one is.

    Recursion is assumed to fit when it is met again. Bounds, patterns and lengths are not part of a shape.
    """
    return _compare(given, wanted, set())


def fits(given: Shape, wanted: Shape) -> bool:
    """Tell whether *given* is proved to be a subset of *wanted*."""
    return compare(given, wanted) is None


_Seen: TypeAlias = set[tuple[int, int]]


def _compare(given: Shape, wanted: Shape, seen: _Seen) -> Misfit | None:
    if isinstance(given, Ref) or isinstance(wanted, Ref):
        given, wanted = resolve(given), resolve(wanted)
        # Targets live in their tables, so their identity is stable while we compare.
        if (id(given), id(wanted)) in seen:
            return None
        seen = seen | {(id(given), id(wanted))}
    if given is wanted or isinstance(wanted, Unknown):
        return None
    if isinstance(given, Unknown):
        return Misfit("", given.reason, proved=False)
    if isinstance(given, Union):
        return _worst(_compare(arm, wanted, seen) for arm in given.arms)
    if isinstance(wanted, Union):
        return _compare_to_union(given, wanted, seen)
    match given, wanted:
        case Array(item=item), Array(item=wanted_item):
            found = _compare(item, wanted_item, seen)
            return found and found.under("[]")
        case Object(), Object():
            return _compare_objects(given, wanted, seen)
        case Const(values=values), Const(values=accepted):
            allowed = [_exact(value) for value in accepted]
            stray = [value for value in values if _exact(value) not in allowed]
            return Misfit("", f"{stray[0]!r} is not one of {show(wanted)}") if stray else None
        case Const(values=values), Scalar():
            return None if all(_admits_scalar(wanted, value, typed=True) for value in values) else _clash(given, wanted)
        case Scalar(kind="boolean"), Const():
            return _compare(Const((True, False)), wanted, seen) and _clash(given, wanted)
        case Scalar(), Scalar():
            return None if _scalar_fits(given, wanted) else _clash(given, wanted)
        case _:
            return _clash(given, wanted)


def _clash(given: Shape, wanted: Shape) -> Misfit:
    if given == NULL:
        return Misfit("", f"it may be None, which {show(wanted)} does not accept")
    return Misfit("", f"{show(given)} does not fit {show(wanted)}")


def _scalar_fits(given: Scalar, wanted: Scalar) -> bool:
    if given.kind != wanted.kind:
        return given.kind == "integer" and wanted.kind == "number"
    return given.format == wanted.format or wanted.format in FREE_TEXT or given.kind != "string"


def _worst(found: Iterable[Misfit | None]) -> Misfit | None:
    """A proved misfit before one that is merely not provable."""
    unproved: Misfit | None = None
    for each in found:
        if each is not None and each.proved:
            return each
        unproved = unproved or each
    return unproved


def _compare_to_union(given: Shape, wanted: Union, seen: _Seen) -> Misfit | None:
    if isinstance(given, Const) and len(given.values) > 1:
        return _worst(_compare(Const((value,)), wanted, seen) for value in given.values)
    found: list[Misfit] = []
    for arm in wanted.arms:
        misfit = _compare(given, arm, seen)
        if misfit is None:
            return None
        found.append(misfit)
    unproved = next((each for each in found if not each.proved), None)
    if unproved is not None:
        return unproved
    if given == Scalar("boolean"):
        return _compare_to_union(Const((True, False)), wanted, seen) and _clash(given, wanted)
    if isinstance(given, Object):
        cases = _cases(given, wanted)
        if cases:
            return _worst(_compare_to_union(case, wanted, seen) for case in cases)
    # The arm that went deepest is the one that was meant.
    deepest = max(found, key=lambda each: len(each.path))
    return deepest if deepest.path else _clash(given, wanted)


def _cases(given: Object, wanted: Union) -> list[Object]:
    """Split *given* by a field that tells the arms of *wanted* apart: a tag with two values is two objects."""
    for name, field in given.fields.items():
        parts: tuple[Shape, ...] = ()
        match resolve(field.shape):
            case Const(values=values) if len(values) > 1:
                parts = tuple(Const((value,)) for value in values)
            case Scalar(kind="boolean"):
                parts = (Const((True,)), Const((False,)))
            case Union(arms=arms):
                parts = arms
        tags = sum(isinstance(arm, Object) and name in arm.fields for arm in map(resolve, wanted.arms))
        if parts and tags > 1:
            return [
                attrs.evolve(given, fields={**given.fields, name: attrs.evolve(field, shape=part)}) for part in parts
            ]
    return []


def _compare_objects(given: Object, wanted: Object, seen: _Seen) -> Misfit | None:
    return _worst(_object_misfits(given, wanted, seen))


def _object_misfits(given: Object, wanted: Object, seen: _Seen) -> Iterator[Misfit | None]:
    for name, field in given.fields.items():
        target = wanted.fields.get(name)
        accepted = target.shape if target else wanted.rest
        if accepted is None:
            absent = [each for each in wanted.fields if each not in given.fields]
            close = did_you_mean(name, absent, "fields") if near_misses(name, absent) else ""
            yield Misfit(name, f"{show(wanted)} has no such field" + (f"; {close}" if close else ""))
            continue
        found = _compare(field.shape, accepted, seen)
        yield found and found.under(name)
        if target and not target.optional and not field.provided:
            yield Misfit(name, "it may be absent, and is required")
    for name, target in wanted.fields.items():
        if name in given.fields:
            continue
        if given.rest is None:
            if not target.optional:
                yield Misfit(name, "it is required, and nothing provides it")
        elif not target.optional:
            yield Misfit(name, "a mapping may or may not hold it", proved=False)
        else:
            found = _compare(given.rest, target.shape, seen)
            yield found and attrs.evolve(found.under(name), proved=False)
    if given.rest is not None:
        if wanted.rest is None:
            yield Misfit("", f"a mapping may hold more than {show(wanted)}", proved=False)
        else:
            found = _compare(given.rest, wanted.rest, seen)
            yield found and found.under("*")


# Values


def admits(shape: Shape, value: object) -> bool:
    """Tell whether JSON *value* is one of *shape*; formats, being text, are not looked into."""
    match shape:
        case Unknown():
            return True
        case Ref():
            return admits(shape.target, value)
        case Union(arms=arms):
            return any(admits(arm, value) for arm in arms)
        case Const(values=values):
            return any(_exact(value) == _exact(each) for each in values)
        case Scalar():
            return value is None if shape.kind == "null" else _admits_scalar(shape, value, typed=False)
        case Array(item=item):
            return isinstance(value, list | tuple) and all(admits(item, each) for each in value)
        case Object(fields=fields, rest=rest):
            if not isinstance(value, Mapping):
                return False
            if any(not field.optional and name not in value for name, field in fields.items()):
                return False
            for name, each in value.items():
                accepted = fields[name].shape if name in fields else rest
                if accepted is None or not admits(accepted, each):
                    return False
            return True


def _admits_scalar(scalar: Scalar, value: object, *, typed: bool) -> bool:
    """*typed* holds a constant to the format too: a Literal is no date, whatever it spells."""
    if scalar.kind == "boolean":
        return isinstance(value, bool)
    if scalar.kind == "string":
        return isinstance(value, str) and (not typed or scalar.format in FREE_TEXT)
    if isinstance(value, bool):
        return False
    if scalar.kind == "integer":
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return isinstance(value, int | float) and scalar.kind == "number"


def may_be_key(shape: Shape) -> bool:
    """Tell whether *shape* is text, or whole numbers as the text that they are in JSON."""
    match shape:
        case Unknown() | Scalar(kind="string" | "integer"):
            return True
        case Const(values=values):
            return all(isinstance(value, str) for value in values)
        case _:
            return False


def told_apart(one: Shape, other: Shape) -> bool:
    """Tell whether no object can be a value of both: by a constant field, or by a required key that the other lacks."""
    one, other = resolve(one), resolve(other)
    if not isinstance(one, Object) or not isinstance(other, Object):
        return True
    for name, field in one.fields.items():
        twin = other.fields.get(name)
        if twin is None:
            continue
        ours, theirs = resolve(field.shape), resolve(twin.shape)
        if isinstance(ours, Const) and isinstance(theirs, Const) and not (field.optional and twin.optional):
            values = [_exact(value) for value in theirs.values]
            if not any(_exact(value) in values for value in ours.values):
                return True
    return _requires_more(one, other) or _requires_more(other, one)


def _requires_more(one: Object, other: Object) -> bool:
    if other.rest is not None:
        return False
    return any(not field.optional and name not in other.fields for name, field in one.fields.items())


def fill(shape: Shape, value: Any) -> Any:
    """Give JSON *value* with every absent field that has a filled default, nested ones too; *value* stays as it is."""
    match resolve(shape):
        case Object(fields=fields, rest=rest) if isinstance(value, Mapping):
            filled = {
                name: fill(fields[name].shape if name in fields else rest or ANY, each) for name, each in value.items()
            }
            for name, field in fields.items():
                if field.filled and name not in filled:
                    filled[name] = fill(field.shape, field.default)
            return filled
        case Array(item=item) if isinstance(value, list | tuple):
            return [fill(item, each) for each in value]
        case Union(arms=arms):
            return next((fill(arm, value) for arm in arms if admits(arm, value)), value)
        case _:
            return value


def fills(shape: Shape) -> bool:
    """Tell whether `fill` can change any value of *shape*, so that what needs no filling costs nothing."""
    return _fills(shape, set())


def _fills(shape: Shape, seen: set[int]) -> bool:
    shape = resolve(shape)
    if id(shape) in seen:
        return False
    seen = seen | {id(shape)}
    match shape:
        case Object(fields=fields, rest=rest):
            return any(field.filled or _fills(field.shape, seen) for field in fields.values()) or (
                rest is not None and _fills(rest, seen)
            )
        case Array(item=item):
            return _fills(item, seen)
        case Union(arms=arms):
            return any(_fills(arm, seen) for arm in arms)
        case _:
            return False
