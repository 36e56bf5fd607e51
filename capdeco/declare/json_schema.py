"""Shapes as JSON Schema 2020-12, and JSON Schema as shapes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import unquote

import attrs

from capdeco.declare.shape import (
    ANY,
    FORMATS,
    NO_DEFAULT,
    NULL,
    Array,
    Const,
    Field,
    Object,
    Ref,
    Scalar,
    Shape,
    Union,
    Unknown,
    documented,
    resolve,
    union,
)

_DEFS: Final = "#/$defs/"


def render(shape: Shape) -> dict[str, Any]:
    """Render *shape* as a schema of its own: a recursive type once under `$defs`, everything else inlined.

    The root is written out, never a `$ref`, since model APIs want to see `type: object` there.
    """
    pending: dict[str, Shape] = {}
    schema = _node(resolve(shape), pending)
    definitions: dict[str, Any] = {}
    while len(definitions) < len(pending):
        for name, target in list(pending.items()):
            if name not in definitions:
                definitions[name] = _node(target, pending)
    if definitions:
        schema["$defs"] = {name: definitions[name] for name in sorted(definitions)}
    return schema


def _node(shape: Shape, pending: dict[str, Shape]) -> dict[str, Any]:
    schema = _bare(shape, pending)
    if shape.doc:
        schema["description"] = shape.doc
    return schema


def _bare(shape: Shape, pending: dict[str, Shape]) -> dict[str, Any]:
    match shape:
        case Unknown():
            return {}
        case Scalar(kind=kind, format=None):
            return {"type": kind}
        case Scalar(kind=kind, format="byte"):
            return {"type": kind, "contentEncoding": "base64"}
        case Scalar(kind=kind, format=name):
            return {"type": kind, "format": name}
        case Const(values=values):
            kinds = {_kind(value) for value in values}
            schema: dict[str, Any] = {"type": kinds.pop()} if len(kinds) == 1 else {}
            return {**schema, **({"const": values[0]} if len(values) == 1 else {"enum": list(values)})}
        case Array(item=item):
            node = _node(item, pending)
            return {"type": "array", "items": node} if node else {"type": "array"}
        case Object():
            return _object(shape, pending)
        case Union(arms=arms):
            return {"anyOf": [_node(arm, pending) for arm in arms]}
        case Ref(name=name):
            pending.setdefault(name, shape.target)
            return {"$ref": _DEFS + name.replace("~", "~0").replace("/", "~1").replace("%", "%25")}


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "string" if isinstance(value, str) else "integer" if isinstance(value, int) else "number"


def _object(shape: Object, pending: dict[str, Shape]) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object"}
    if not shape.is_mapping:
        properties: dict[str, Any] = {}
        for name, field in shape.fields.items():
            properties[name] = _node(field.shape, pending)
            if field.default is not NO_DEFAULT:
                properties[name]["default"] = field.default
        schema["properties"] = properties
        required = [name for name, field in shape.fields.items() if not field.optional]
        if required:
            schema["required"] = required
    match shape.rest:
        case None:
            schema["additionalProperties"] = False
        case Unknown(doc=""):
            if shape.is_mapping:
                schema["additionalProperties"] = True
        case rest:
            schema["additionalProperties"] = _node(rest, pending)
    return schema


def parse_schema(schema: object, *, filled: bool = False) -> Shape:
    """Lower a JSON Schema to the shape it surely describes; what a shape cannot say becomes `Unknown`.

    Args:
        schema: a schema document, its references local.
        filled: whether `default` is filled in by whoever declared it (a Python declaration) or a mere annotation.
    """
    return _Parser(schema, filled).parse(schema)


_SCALARS: Final = ("null", "boolean", "integer", "number", "string")
_BEYOND: Final = ("not", "if", "allOf", "dependentSchemas", "$dynamicRef", "patternProperties", "propertyNames")
"""Keywords that narrow or join in ways that a shape has no words for."""


@attrs.define
class _Parser:
    document: object
    filled: bool
    table: dict[str, Shape] = attrs.field(factory=dict)

    def parse(self, schema: object) -> Shape:
        if not isinstance(schema, Mapping):
            return Unknown("its schema allows nothing" if schema is False else ANY.reason)
        doc = schema.get("description", "")
        return documented(self._parse(schema), doc if isinstance(doc, str) else "")

    def _parse(self, schema: Mapping[str, Any]) -> Shape:
        if "$ref" in schema:
            return self._ref(schema["$ref"])
        beyond = next((word for word in _BEYOND if word in schema), None)
        if beyond:
            return Unknown(f'its schema uses "{beyond}"')
        if "const" in schema:
            return _constants([schema["const"]])
        if "enum" in schema:
            return _constants(schema["enum"])
        for word in ("anyOf", "oneOf"):
            if word in schema:
                if "properties" in schema:
                    return Unknown(f'its schema joins "{word}" with other rules')
                return union(self.parse(arm) for arm in schema[word])
        kinds = schema.get("type")
        if isinstance(kinds, list):
            return union(self._typed(kind, schema) for kind in kinds)
        if kinds is None:
            kinds = "object" if "properties" in schema else "array" if "items" in schema else None
        return self._typed(kinds, schema)

    def _typed(self, kind: object, schema: Mapping[str, Any]) -> Shape:
        if kind == "object":
            return self._object(schema)
        if kind == "array":
            return Array(ANY if "prefixItems" in schema else self.parse(schema.get("items", True)))
        if kind == "string" and schema.get("contentEncoding") == "base64":
            return Scalar("string", "byte")
        if kind == "string":
            # Other formats (uri, email) are hints about text that no Python type stands for.
            name = schema.get("format")
            return Scalar("string", name if name in FORMATS else None)
        return next((Scalar(known) for known in _SCALARS if known == kind), ANY)

    def _object(self, schema: Mapping[str, Any]) -> Shape:
        required = schema.get("required", ())
        fields: dict[str, Field] = {}
        for name, node in schema.get("properties", {}).items():
            default = node.get("default", NO_DEFAULT) if isinstance(node, Mapping) else NO_DEFAULT
            optional = name not in required
            filled = self.filled and optional and default is not NO_DEFAULT
            fields[name] = Field(self.parse(node), optional=optional, filled=filled, default=default)
        for name in required:
            fields.setdefault(name, Field(ANY))
        rest = schema.get("additionalProperties", True)
        return Object(fields, None if rest is False else self.parse(rest))

    def _ref(self, reference: object) -> Shape:
        if not isinstance(reference, str) or not reference.startswith("#"):
            return Unknown("its schema refers to another document")
        name = reference.removeprefix(_DEFS) if reference.startswith(_DEFS) else reference
        name = unquote(name).replace("~1", "/").replace("~0", "~")
        if name not in self.table:
            self.table[name] = ANY  # met again while it is being read: the table is complete once it is
            self.table[name] = self.parse(self._at(reference))
            if self._is_only_itself(self.table[name], name):
                self.table[name] = Unknown("its schema is defined by itself alone")
        return Ref(name, self.table)

    def _is_only_itself(self, shape: Shape, name: str) -> bool:
        """A definition that leads back to itself with nothing in between says nothing, and would never end."""
        if isinstance(shape, Union):
            return any(self._is_only_itself(arm, name) for arm in shape.arms)
        return isinstance(shape, Ref) and (shape.name == name or self._is_only_itself(shape.target, name))

    def _at(self, reference: str) -> object:
        node = self.document
        for part in reference.removeprefix("#").split("/")[1:]:
            key = unquote(part).replace("~1", "/").replace("~0", "~")
            if isinstance(node, Mapping) and key in node:
                node = node[key]
            elif isinstance(node, list) and key.isdigit() and int(key) < len(node):
                node = node[int(key)]
            else:
                return True
        return node


def _constants(values: object) -> Shape:
    if not isinstance(values, list) or not values:
        return ANY
    arms: list[Shape] = []
    for value in values:
        if value is None:
            arms.append(NULL)
        elif isinstance(value, bool | int | float | str):
            arms.append(Const((value,)))
        else:
            return Unknown("its schema has constants that are no scalars")
    return union(arms)
