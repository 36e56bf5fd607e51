"""The fields that an object of a Python class has on the wire: their names, and which of them may be absent.

mypy knows the fields of attrs classes and dataclasses. Renames of Struct fields and what pydantic's `Field` says it
does not: they are read from the class body when mypy analyses it, and kept with the class for later runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import attrs
from mypy.nodes import (
    ARG_STAR2,
    AssignmentStmt,
    CallExpr,
    ClassDef,
    DictExpr,
    EllipsisExpr,
    Expression,
    FuncDef,
    MemberExpr,
    NameExpr,
    StrExpr,
    TempNode,
    TypeInfo,
)
from mypy.plugin import ClassDefContext
from mypy.types import LiteralType, RawExpressionType, Type, UnboundType

from capdeco.check.mypy.internals import publish
from capdeco.check.mypy.names import MODEL, STRUCT
from capdeco.check.renames import RENAMES
from capdeco.declare import unfit
from capdeco.declare.faults import Flaw

_KEY: Final = "capdeco"


@attrs.frozen
class Member:
    """One field: the attribute it becomes, and its name on the wire."""

    attribute: str
    wire: str
    optional: bool
    converted: bool = False
    """Whether a converter decides what it takes."""


@attrs.frozen
class Members:
    """The fields of a class, in order."""

    fields: tuple[Member, ...] = ()
    open: bool = False
    """Whether an object may hold other fields too."""
    array: bool = False
    """Whether it travels as an array: the values of its fields in order."""
    tag: tuple[str, str | int] | None = None
    unknown: str = ""
    """Why the fields cannot be told, if they cannot."""
    refused: Flaw | None = None
    """Why it has no JSON form, if it has none."""


def members_of(info: TypeInfo) -> Members | None:
    """Give the fields of a class; `None` if it is none of the kinds whose fields are known."""
    if info.has_base(MODEL) or info.has_base(STRUCT):
        return _noted_members(info)
    for owner in info.mro:
        for family, read in _FAMILIES.items():
            if family in owner.metadata:
                attributes = [each for each in owner.metadata[family]["attributes"] if not _is_marker(each)]
                mangled = next((each["name"] for each in attributes if each["name"].startswith("__")), None)
                if mangled:
                    return Members(unknown=f'Python mangles the name of "{mangled}"')
                members = read(attributes)
                return members if members.refused else _made_from_its_fields(info, members)
        if "attrs_tag" in owner.metadata or "dataclass_tag" in owner.metadata:
            return Members(unknown=f'mypy does not know the fields of "{info.name}"')
    return None


def _is_marker(attribute: dict[str, Any]) -> bool:
    """Tell whether it only says that the fields below are keywords: to mypy a field like others."""
    return "dataclasses.KW_ONLY" in str(attribute.get("type"))


def _made_from_its_fields(info: TypeInfo, members: Members) -> Members:
    """Refuse a class whose own `__init__` takes something else.

    Without `init=False`, attrs keeps an own `__init__` too: mypy then puts another in its place, and its cache has
    only that.
    """
    found = info.get("__init__")
    if found is None or found.plugin_generated:
        return members
    match found.node:
        case FuncDef(arg_names=names, arg_kinds=kinds) if None not in names and ARG_STAR2 not in kinds:
            for each in members.fields:
                if each.wire not in names:
                    return Members(refused=unfit.other_init(info.name, each.wire))
    return members


def _attrs_members(attributes: list[dict[str, Any]]) -> Members:
    return Members(
        tuple(
            Member(each["name"], each["alias"] or each["name"].lstrip("_"), each["has_default"], each["has_converter"])
            for each in attributes
            if each["init"]
        )
    )


def _dataclass_members(attributes: list[dict[str, Any]]) -> Members:
    hidden = [each["name"] for each in attributes if each["is_init_var"]]
    if hidden:
        return Members(refused=unfit.init_var(hidden[0]))
    return Members(
        tuple(
            Member(each["name"], each["alias"] or each["name"], each["has_default"])
            for each in attributes
            if each["is_in_init"]
        )
    )


_FAMILIES: Final = {"attrs": _attrs_members, "dataclass": _dataclass_members}


# What mypy does not know


def note_wire(context: ClassDefContext) -> None:
    """Note what the body of a Struct or model says; run when mypy begins to analyse a class."""
    owner = context.cls
    noted = attrs.asdict(_read_model(owner) if owner.info.has_base(MODEL) else _read_struct(owner))
    owner.info.metadata[_KEY] = noted
    publish(context.api.options, owner.info, "wire", LiteralType(repr(noted), context.api.named_type("builtins.str")))


@attrs.frozen
class _Noted:
    """What one class says, not its bases; JSON, since mypy caches it."""

    fields: dict[str, Any] = attrs.field(factory=dict)
    """attribute -> [wire name, may be absent], in order."""
    hidden: list[str] = attrs.field(factory=list)
    settings: dict[str, Any] = attrs.field(factory=dict)
    unknown: str = ""


def _noted_members(info: TypeInfo) -> Members:
    fields: dict[str, Member] = {}
    settings: dict[str, Any] = {}
    for owner in reversed(info.mro):
        noted = owner.metadata.get(_KEY)
        if noted is None:
            if owner.has_base(MODEL) or owner.has_base(STRUCT):
                if owner.fullname in (MODEL, STRUCT):
                    continue
                return Members(unknown=f'the fields of "{owner.name}" were not read')
            continue
        if noted["unknown"]:
            return Members(unknown=f'"{owner.name}": {noted["unknown"]}')
        settings |= noted["settings"]
        rename = RENAMES.get(str(settings.get("rename")), _same)
        for attribute, (wire, optional) in noted["fields"].items():
            fields[attribute] = Member(attribute, wire or rename(attribute), optional)
        for name in noted["hidden"]:
            fields.pop(name, None)
    if settings.get("validate_by_alias") is False:
        fields = {name: attrs.evolve(each, wire=name) for name, each in fields.items()}
    return Members(
        tuple(fields.values()),
        open=settings.get("extra") == "allow",
        array=bool(settings.get("array_like")),
        tag=_tag_of(info, settings),
    )


def _tag_of(info: TypeInfo, settings: Mapping[str, Any]) -> tuple[str, str | int] | None:
    tag, field = settings.get("tag"), settings.get("tag_field")
    if tag is False or (tag is None and field is None):
        return None
    return (field or "type", info.name if tag is True or tag is None else tag)


# pydantic


def _read_model(owner: ClassDef) -> _Noted:
    noted = _Noted()
    if "alias_generator" in owner.keywords:
        return _Noted(unknown="its aliases are generated")
    if not _note_settings(noted, owner.keywords):
        return _Noted(unknown="its configuration is computed")
    if owner.info.has_base("pydantic.root_model.RootModel"):
        return _Noted(unknown="it is a RootModel")
    for name, annotation, value in _assignments(owner):
        if name == "model_config":
            config = _arguments(value)
            if config is None or "alias_generator" in config or None in config:
                return _Noted(unknown="its configuration cannot be read, or generates aliases")
            if not _note_settings(noted, config):
                return _Noted(unknown="its configuration is computed")
        elif annotation is None or name.startswith("_"):
            continue
        elif _is(annotation, "ClassVar"):
            noted.hidden.append(name)
        elif _is(annotation, "Annotated") and _has_calls(annotation):
            return _Noted(unknown=f'what Annotated says about "{name}" cannot be read')
        else:
            read = _model_field(value)
            if read is None:
                return _Noted(unknown=f'the Field of "{name}" cannot be read')
            noted.fields[name] = [read[0] or name, read[1]]
    return noted


def _note_settings(noted: _Noted, config: Mapping[Any, Expression]) -> bool:
    """Note what a configuration says of wire names; `False` if that is computed."""
    found = {key: _constant(config[key]) for key in ("extra", "validate_by_alias") if key in config}
    noted.settings.update(found)
    return _COMPUTED not in found.values()


def _model_field(value: Expression | None) -> tuple[str | None, bool] | None:
    """(alias, may be absent); `None` if that cannot be known."""
    if value is None or isinstance(value, EllipsisExpr):
        return None, False
    if not isinstance(value, CallExpr) or _last_name(value.callee) != "Field":
        return None, True
    arguments = _arguments(value) or {}
    if None in arguments:
        return None
    positional = value.args[0] if value.args and value.arg_names[0] is None else None
    default = positional or arguments.get("default")
    optional = "default_factory" in arguments or (default is not None and not isinstance(default, EllipsisExpr))
    alias = arguments.get("validation_alias", arguments.get("alias"))
    if alias is None or (isinstance(alias, NameExpr) and alias.name == "None"):
        return None, optional
    return (alias.value, optional) if isinstance(alias, StrExpr) else None


# msgspec


def _read_struct(owner: ClassDef) -> _Noted:
    settings: dict[str, Any] = {}
    for keyword in ("rename", "array_like", "tag", "tag_field"):
        if keyword in owner.keywords:
            found = _constant(owner.keywords[keyword])
            if found is _COMPUTED:
                return _Noted(unknown=f"its {keyword} is computed")
            settings[keyword] = found
    noted = _Noted(settings=settings)
    for name, annotation, value in _assignments(owner):
        if annotation is None:
            continue
        if _is(annotation, "ClassVar"):
            noted.hidden.append(name)
            continue
        arguments = _arguments(value) if isinstance(value, CallExpr) and _last_name(value.callee) == "field" else {}
        if arguments is None or None in arguments:
            return _Noted(unknown=f'the field() of "{name}" cannot be read')
        wire = arguments.get("name")
        if wire is not None and not isinstance(wire, StrExpr):
            return _Noted(unknown=f'the name of "{name}" is computed')
        is_field = isinstance(value, CallExpr) and _last_name(value.callee) == "field"
        optional = "default" in arguments or "default_factory" in arguments if is_field else value is not None
        noted.fields[name] = [wire.value if wire else None, optional]
    return noted


def _same(name: str) -> str:
    return name


# Class bodies, before their names are looked up

_COMPUTED: Final = object()


def _assignments(owner: ClassDef) -> Iterator[tuple[str, Type | None, Expression | None]]:
    for statement in owner.defs.body:
        if isinstance(statement, AssignmentStmt) and isinstance(statement.lvalues[0], NameExpr):
            value = None if isinstance(statement.rvalue, TempNode) else statement.rvalue
            yield statement.lvalues[0].name, statement.unanalyzed_type or statement.type, value


def _arguments(value: Expression | None) -> dict[str | None, Expression] | None:
    """Keyword arguments of a call, or the entries of a dict display; the key `None` stands for what is unpacked."""
    if isinstance(value, CallExpr):
        named = zip(value.arg_names, value.args, value.arg_kinds, strict=True)
        return {name: argument for name, argument, kind in named if name is not None or kind.is_star()}
    if isinstance(value, DictExpr):
        return {key.value if isinstance(key, StrExpr) else None: each for key, each in value.items}
    return None


def _constant(value: Expression) -> Any:
    if isinstance(value, StrExpr):
        return value.value
    if isinstance(value, NameExpr) and value.name in ("True", "False", "None"):
        return {"True": True, "False": False}.get(value.name)
    return getattr(value, "value", _COMPUTED)


def _last_name(callee: Expression) -> str:
    return callee.name if isinstance(callee, NameExpr | MemberExpr) else ""


def _is(annotation: Type, name: str) -> bool:
    return isinstance(annotation, UnboundType) and annotation.name.rpartition(".")[2] == name


def _has_calls(annotation: Type) -> bool:
    """Tell whether `Annotated` holds more than names and constants: mypy keeps nothing else of it."""
    notes = annotation.args[1:] if isinstance(annotation, UnboundType) else ()
    return any(isinstance(each, RawExpressionType) and each.literal_value is None for each in notes)
