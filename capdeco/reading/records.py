"""Classes whose values are objects on the wire: their members and wire names, one reader per family."""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Callable, Mapping
from typing import Any, Final, get_args, get_origin

import attrs
import msgspec
import typing_extensions

from capdeco.declare import unfit
from capdeco.declare.faults import Refused
from capdeco.reading.annotations import Hint, hints_of, names_of_class, resolve, signature_of
from capdeco.reading.foreign import Foreign, read_foreign


class _Missing:
    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = _Missing()


@attrs.frozen
class Member:
    """One member of a class: what its class is called with, and its name on the wire."""

    name: str
    wire: str
    annotation: Any
    required: bool = True
    """False: it may be absent, and then its default or its factory makes it, or (neither is known) something else."""
    default: Any = MISSING
    factory: Callable[[], Any] | None = None
    given: bool = True
    """False: Python sets it, so it is in results only."""


@attrs.frozen
class Record:
    """A class that is made from its members by name."""

    name: str
    make: Callable[..., Any]
    members: tuple[Member, ...]
    rest: Any = MISSING
    """The type of any other key; `MISSING` if there is none."""
    tag: tuple[str, str | int] | None = None
    """A constant field, name and value, that says which class it is."""
    array: bool = False
    """On the wire it is an array of its members, in order."""
    plain: bool = False
    """Its values are the dicts that JSON has: nothing to make."""

    @property
    def named_tuple(self) -> bool:
        """Whether it is a tuple that has names for its places: an array that can be made from names too."""
        return isinstance(self.make, type) and issubclass(self.make, tuple)

    @property
    def inputs(self) -> tuple[Member, ...]:
        """What may be passed in."""
        return tuple(each for each in self.members if each.given)


def record_of(annotation: Any, names: Mapping[str, object]) -> Record | Foreign | None:
    """Read the class, or the generic class with arguments, *annotation*; `None` if it is none of those known.

    Raises:
        Refused: it is one, and a member cannot be read.
    """
    kind: type = get_origin(annotation) or annotation
    foreign = read_foreign(annotation)
    if foreign is not None:
        return foreign
    for belongs, read in _FAMILIES:
        if belongs(kind):
            return read(kind, annotation, names)
    return None


def _is_named_tuple(kind: type) -> bool:
    return issubclass(kind, tuple) and hasattr(kind, "_fields")


_Factory: Final[Any] = type(attrs.Factory(list))


def _attrs(kind: type, annotation: Any, names: Mapping[str, object]) -> Record:
    hints = hints_of(annotation, names, [each.name for each in attrs.fields(kind)])
    members: list[Member] = []
    for each in attrs.fields(kind):
        default: Any = each.default
        factory = None
        if isinstance(default, _Factory):
            # One that needs the object itself gives no value before there is one.
            default, factory = MISSING, None if default.takes_self else default.factory
        members.append(
            Member(
                each.alias,
                each.alias,
                _taken_by(each.converter) or _said_of(each.name, hints, default, each.type or Any),
                required=each.default is attrs.NOTHING,
                default=MISSING if default is attrs.NOTHING else default,
                factory=factory,
                given=each.init,
            )
        )
    return _made_from_its_members(Record(_name(annotation), kind, tuple(members)))


_LITERAL: Final = (bool, int, float, str, bytes)


def _said_of(name: str, hints: Mapping[str, Hint], default: object, otherwise: Any = Any) -> Any:
    """Give the type of a field; a bare `Final` takes it from its default, a literal, as type checkers have it."""
    found = hints[name].annotation if name in hints else otherwise
    if found in (Final, typing_extensions.Final):
        return type(default) if type(default) in _LITERAL else Any
    return found


def _made_from_its_members(record: Record) -> Record:
    """Refuse a class whose own `__init__` takes something else."""
    parameters = signature_of(record.make).parameters
    if any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values()):
        return record
    for each in record.inputs:
        if each.name not in parameters:
            raise Refused(unfit.other_init(record.name, each.name))
    return record


def _taken_by(converter: Any) -> Any:
    """What a converter says it takes is what its field takes, to a type checker too; `None` if it does not say."""
    converter = getattr(converter, "converter", converter)  # an attrs.Converter holds it
    if not inspect.isfunction(converter):
        return None
    try:
        first = next(iter(inspect.signature(converter).parameters), "")
        return typing.get_type_hints(converter, include_extras=True).get(first)
    except (NameError, TypeError):
        return None


def _dataclass(kind: type, annotation: Any, names: Mapping[str, object]) -> Record:
    declared: Mapping[str, Any] = kind.__dataclass_fields__  # type: ignore[attr-defined]  # InitVars and ClassVars too
    constants = [name for name, each in declared.items() if each._field_type is dataclasses._FIELD_CLASSVAR]  # type: ignore[attr-defined]
    hints = hints_of(annotation, names, declared.keys() - constants)
    for name, hint in hints.items():
        if isinstance(hint.annotation, dataclasses.InitVar) or hint.annotation is dataclasses.InitVar:
            raise Refused(unfit.init_var(name))
    members = tuple(
        Member(
            each.name,
            each.name,
            _said_of(each.name, hints, each.default),
            required=each.default is dataclasses.MISSING and each.default_factory is dataclasses.MISSING,
            default=MISSING if each.default is dataclasses.MISSING else each.default,
            factory=None if each.default_factory is dataclasses.MISSING else each.default_factory,
            given=each.init,
        )
        for each in dataclasses.fields(kind)
    )
    return _made_from_its_members(Record(_name(annotation), kind, members))


_REQUIRED: Final = (typing.Required, typing_extensions.Required)
_NOT_REQUIRED: Final = (typing.NotRequired, typing_extensions.NotRequired)


def _typed_dict(kind: Any, annotation: Any, names: Mapping[str, object]) -> Record:
    members: list[Member] = []
    for name, hint in hints_of(annotation, names).items():
        required = name in kind.__required_keys__
        # Before it is looked up, a quoted qualifier is not seen by Python itself: it counts, wherever it stands.
        inner = hint.annotation
        while get_args(inner):
            origin = get_origin(inner)
            if origin in _REQUIRED or origin in _NOT_REQUIRED:
                required = origin in _REQUIRED
            elif origin not in (typing.Annotated, typing_extensions.ReadOnly):
                break
            inner = get_args(inner)[0]
        members.append(Member(name, name, hint.annotation, required=required))
    return Record(_name(annotation), dict, tuple(members), rest=_extra_items(kind, names), plain=True)


def _extra_items(kind: Any, names: Mapping[str, object]) -> Any:
    extra = getattr(kind, "__extra_items__", typing_extensions.NoExtraItems)
    if extra in (typing_extensions.NoExtraItems, typing_extensions.Never):
        return MISSING
    return resolve(extra, names_of_class(kind, names))


def _named_tuple(kind: Any, annotation: Any, names: Mapping[str, object]) -> Record:
    hints = hints_of(annotation, names)
    members = tuple(
        Member(
            name,
            name,
            hints[name].annotation if name in hints else Any,
            required=name not in kind._field_defaults,
            default=kind._field_defaults.get(name, MISSING),
        )
        for name in kind._fields
    )
    return Record(_name(annotation), kind, members, array=True)


def _struct(kind: Any, annotation: Any, names: Mapping[str, object]) -> Record:
    config = kind.__struct_config__
    defaults = kind.__struct_defaults__
    fields = list(zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True))
    hints = hints_of(annotation, names, kind.__struct_fields__)
    # Defaults belong to the last fields.
    given = dict(zip([name for name, _ in fields][len(fields) - len(defaults) :], defaults, strict=True))
    members: list[Member] = []
    for name, wire in fields:
        default = given.get(name, msgspec.NODEFAULT)
        factory = getattr(default, "factory", None) if type(default).__module__.startswith("msgspec") else None
        required = default is msgspec.NODEFAULT
        members.append(
            Member(
                name,
                wire,
                _said_of(name, hints, default),
                required=required,
                default=MISSING if required or factory else default,
                factory=factory,
            )
        )
    tag = (config.tag_field, config.tag) if config.tag is not None else None
    return Record(_name(annotation), kind, tuple(members), tag=tag, array=config.array_like)


def _name(annotation: Any) -> str:
    """A name for the table of definitions: `Page[int]` is not `Page[str]`."""
    kind = get_origin(annotation) or annotation
    arguments = [_name(each) for each in get_args(annotation)]
    return "_".join([getattr(kind, "__name__", "any"), *arguments])


_Reader = Callable[[Any, Any, Mapping[str, object]], Record]
_FAMILIES: Final[tuple[tuple[Callable[[type], bool], _Reader], ...]] = (
    (typing_extensions.is_typeddict, _typed_dict),
    (lambda kind: issubclass(kind, msgspec.Struct), _struct),
    (attrs.has, _attrs),
    (dataclasses.is_dataclass, _dataclass),
    (_is_named_tuple, _named_tuple),
)
