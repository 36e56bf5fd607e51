"""pydantic: models, and types that only pydantic knows, read through it and made by it; never imported from here."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, get_origin

import attrs


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
        """Give pydantic's JSON Schema, of what comes in or of *results*."""
        mode = "serialization" if results else "validation"
        schema: Mapping[str, Any] = self._adapter().json_schema(by_alias=True, mode=mode)
        return schema

    def reader(self) -> Callable[[bytes], Any]:
        """Give what makes the object from JSON text."""
        read: Callable[[bytes], Any] = self._adapter().validate_json
        return read

    def _adapter(self) -> Any:
        return sys.modules["pydantic"].TypeAdapter(self.annotation)


def read_foreign(annotation: Any) -> Foreign | None:
    """Read *annotation* if it is a type of pydantic's; `None` if it is not."""
    kind = get_origin(annotation) or annotation
    if "pydantic" not in sys.modules or not hasattr(kind, "__get_pydantic_core_schema__"):
        return None
    name = kind.__name__
    fields: Mapping[str, Any] | None = vars(kind).get("__pydantic_fields__")
    if fields is None:
        return Foreign(name, annotation)
    root = fields.get("root")
    if root is not None and getattr(kind, "__pydantic_root_model__", False):
        return Foreign(name, annotation, root=root.annotation)
    members = [_member(each, field) for each, field in fields.items()]
    known = [each for each in members if each is not None]
    if len(known) < len(members):
        return Foreign(name, annotation)
    config = getattr(kind, "model_config", None) or getattr(kind, "__pydantic_config__", None) or {}
    return Foreign(name, annotation, tuple(known), open=config.get("extra") == "allow")


def _member(name: str, field: Any) -> ForeignMember | None:
    """`None`: its wire name is a path or a choice, which no single name stands for."""
    alias = field.validation_alias if field.validation_alias is not None else field.alias
    if alias is not None and not isinstance(alias, str):
        return None
    required = field.is_required()
    computed = field.default_factory is not None and getattr(field, "default_factory_takes_validated_data", False)
    default = None if required or computed else field.get_default
    return ForeignMember(
        alias or name,
        field.annotation,
        field.description or "",
        required,
        None if default is None else lambda: default(call_default_factory=True),
    )
