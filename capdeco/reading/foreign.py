"""pydantic: models, and types that only pydantic knows, read through it and made by it; never imported from here."""

from __future__ import annotations

import functools
import operator
import sys
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, get_args, get_origin

import attrs

from capdeco.declare import unfit
from capdeco.declare.faults import Flaw, Refused
from capdeco.reading.problems import Problems, joined


@attrs.frozen
class ForeignMember:
    """A field of a model: its wire name, and what becomes of it when it is absent."""

    wire: str
    annotation: Any
    doc: str
    required: bool
    default: Callable[[], Any] | None


@attrs.frozen
class Foreign:
    """A type that pydantic reads and makes."""

    name: str
    annotation: Any
    members: tuple[ForeignMember, ...] | None = None
    """`None`: it is no object with fields of known names; its shape is what pydantic's own schema says."""
    root: Any = None
    """The type that a RootModel wraps."""
    open: bool = False
    """True: other keys are kept."""

    def schema(self, *, results: bool) -> Mapping[str, Any]:
        """Give pydantic's JSON Schema, of what comes in or of *results*.

        Raises:
            Refused: it has none.
        """
        pydantic = sys.modules["pydantic"]
        try:
            adapter = pydantic.TypeAdapter(self.annotation)
            schema: Mapping[str, Any] = adapter.json_schema(mode="serialization" if results else "validation")
        except (pydantic.errors.PydanticUserError, NameError) as error:
            why = str(error).splitlines()[0]
            flaw = Flaw("type", f"{self.name} has no JSON form: {why}", "use a type that pydantic can read")
            raise Refused(flaw) from None
        return schema

    def reader(self) -> Callable[[bytes], Any]:
        """Give what makes the object from JSON text; it raises `Problems`."""
        return _saying(sys.modules["pydantic"].TypeAdapter(self.annotation).validate_json)


def read_foreign(annotation: Any) -> Foreign | None:
    """Read *annotation* if it is a type of pydantic's; `None` if it is not."""
    kind = get_origin(annotation) or annotation
    # A generic one is read as any dataclass: pydantic does not say what its type variables became.
    data_class = hasattr(kind, "__is_pydantic_dataclass__") and not hasattr(kind, "__orig_bases__")
    if "pydantic" not in sys.modules or not (data_class or hasattr(kind, "__get_pydantic_core_schema__")):
        return None
    name = kind.__name__
    fields: Mapping[str, Any] | None = vars(kind).get("__pydantic_fields__")
    if fields is None:
        return Foreign(name, annotation)
    if getattr(kind, "__pydantic_root_model__", False):
        return Foreign(name, annotation, root=fields["root"].annotation)
    for each, field in fields.items():
        if field.init_var:
            raise Refused(unfit.init_var(each))
    config = _config_of(kind)
    members = [_member(each, field, config) for each, field in fields.items() if field.init is not False]
    known = [each for each in members if each is not None]
    if len(known) < len(members):
        return Foreign(name, annotation)
    return Foreign(name, annotation, tuple(known), open=config.get("extra") == "allow")


def _config_of(kind: type) -> Mapping[str, Any]:
    return getattr(kind, "model_config", None) or getattr(kind, "__pydantic_config__", None) or {}


def _wire_name(name: str, field: Any, config: Mapping[str, Any]) -> str | None:
    """Give the name that pydantic reads a field by: the alias where there is one and the model goes by it.

    `None`: the alias is a path or a choice, which no single name stands for.
    """
    alias = field.validation_alias if field.validation_alias is not None else field.alias
    if alias is None or config.get("validate_by_alias") is False:
        return name
    if isinstance(alias, str):
        return alias
    return name if config.get("validate_by_name") or config.get("populate_by_name") else None


def _member(name: str, field: Any, config: Mapping[str, Any]) -> ForeignMember | None:
    """`None`: no single name stands for it."""
    wire = _wire_name(name, field, config)
    if wire is None:
        return None
    required = field.is_required()
    computed = field.default_factory is not None and field.default_factory_takes_validated_data
    known = not required and not computed
    return ForeignMember(
        wire,
        field.annotation if config.get("val_json_bytes") == "base64" else _bytes_as_text(field.annotation),
        field.description or "",
        required,
        (lambda: field.get_default(call_default_factory=True)) if known else None,
    )


def as_taken(value: Any) -> Any:
    """Give *value* with dicts for the models that pydantic writes under other names than it reads them by."""
    if isinstance(value, list | tuple) and type(value) in (list, tuple):
        items = [as_taken(each) for each in value]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    if type(value) is dict:
        changed = {key: as_taken(each) for key, each in value.items()}
        return changed if any(changed[key] is not value[key] for key in value) else value
    kind = type(value)
    fields: Mapping[str, Any] = vars(kind).get("__pydantic_fields__") or {}
    own = {name: getattr(value, name, None) for name in fields}
    taken = {name: as_taken(each) for name, each in own.items()}
    same = all(taken[name] is own[name] for name in own)
    if getattr(kind, "__pydantic_root_model__", False):
        return value if same else taken["root"]
    wire = {name: _wire_name(name, field, _config_of(kind)) or name for name, field in fields.items()}
    if same and all(wire[name] == (field.serialization_alias or field.alias or name) for name, field in fields.items()):
        return value
    return {wire[name]: each for name, each in taken.items()} | (getattr(value, "__pydantic_extra__", None) or {})


def _bytes_as_text(annotation: Any) -> Any:
    """Unless it is told to, pydantic does not take base64 for bytes, but the text itself."""
    if annotation is bytes:
        return str
    if get_origin(annotation) in (typing.Union, types.UnionType):
        return functools.reduce(operator.or_, map(_bytes_as_text, get_args(annotation)))
    return annotation


def foreign_check(annotation: Any) -> Callable[[Any], Any] | None:
    """Give what pydantic does with values of an `Annotated` type; `None` if it cannot read the type."""
    pydantic = sys.modules["pydantic"]
    config = {"arbitrary_types_allowed": True}
    try:
        return _saying(pydantic.TypeAdapter(annotation, config=config).validate_python)
    except (pydantic.errors.PydanticUserError, NameError):
        return None


def _saying(validate: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def run(value: Any) -> Any:
        try:
            return validate(value)
        except sys.modules["pydantic"].ValidationError as error:
            raise Problems(*map(_problem, error.errors(include_url=False, include_input=False))) from None

    return run


def _problem(error: Mapping[str, Any]) -> tuple[str, str]:
    said = error["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ")
    return joined(*error["loc"]), said[:1].lower() + said[1:]
