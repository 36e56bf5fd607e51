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

from capdeco.reading.problems import Problems, joined
from capdeco.reading.refusal import Refusal


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
            Refusal: it has none.
        """
        pydantic = sys.modules["pydantic"]
        try:
            adapter = pydantic.TypeAdapter(self.annotation)
            schema: Mapping[str, Any] = adapter.json_schema(mode="serialization" if results else "validation")
        except (pydantic.errors.PydanticUserError, NameError) as error:
            why = str(error).splitlines()[0]
            raise Refusal("type", f"{self.name} has no JSON form: {why}", "use a type that pydantic can read") from None
        return schema

    def reader(self) -> Callable[[bytes], Any]:
        """Give what makes the object from JSON text; it raises `Problems`."""
        return _saying(sys.modules["pydantic"].TypeAdapter(self.annotation).validate_json)


def read_foreign(annotation: Any) -> Foreign | None:
    """Read *annotation* if it is a type of pydantic's; `None` if it is not."""
    kind = get_origin(annotation) or annotation
    if "pydantic" not in sys.modules or not hasattr(kind, "__get_pydantic_core_schema__"):
        return None
    name = kind.__name__
    fields: Mapping[str, Any] | None = vars(kind).get("__pydantic_fields__")
    if fields is None:
        return Foreign(name, annotation)
    if getattr(kind, "__pydantic_root_model__", False):
        return Foreign(name, annotation, root=fields["root"].annotation)
    config = getattr(kind, "model_config", None) or getattr(kind, "__pydantic_config__", None) or {}
    members = [_member(each, field, config) for each, field in fields.items()]
    known = [each for each in members if each is not None]
    if len(known) < len(members):
        return Foreign(name, annotation)
    return Foreign(name, annotation, tuple(known), open=config.get("extra") == "allow")


def _member(name: str, field: Any, config: Mapping[str, Any]) -> ForeignMember | None:
    """`None`: its wire name is a path or a choice, which no single name stands for."""
    alias = field.validation_alias if field.validation_alias is not None else field.alias
    if alias is not None and not isinstance(alias, str):
        return None
    required = field.is_required()
    computed = field.default_factory is not None and field.default_factory_takes_validated_data
    known = not required and not computed
    return ForeignMember(
        alias or name,
        field.annotation if config.get("val_json_bytes") == "base64" else _bytes_as_text(field.annotation),
        field.description or "",
        required,
        (lambda: field.get_default(call_default_factory=True)) if known else None,
    )


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
