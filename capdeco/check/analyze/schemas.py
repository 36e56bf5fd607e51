"""JSON Schemas and parameter maps, as they are written down by anybody, as what a tool takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import attrs

from capdeco.check.analyze.records import Dynamic
from capdeco.declare.json_schema import parse_schema
from capdeco.declare.shape import Object, Unknown, resolve
from capdeco.declare.wiring import Input

COMPUTED: Final = "it is computed"
_DEEP: Final = 60


def input_of_schema(schema: object) -> Input:
    """Lower a JSON Schema, parts of which may be `Dynamic`, to what a tool with it takes."""
    if schema is None:
        return Unknown("it has no schema")
    if not isinstance(schema, Mapping):
        return Unknown(
            f"its schema is computed: {schema.source}" if isinstance(schema, Dynamic) else "its schema is none"
        )
    if not _shallow(schema, _DEEP):
        return Unknown("its schema is nested too deeply to be read")
    try:
        shape = resolve(parse_schema(schema))
    except (AttributeError, TypeError, ValueError, KeyError, RecursionError):
        # The schema is whatever stood in the source or the listing: wrong ones are normal.
        return Unknown("its schema is no JSON Schema")
    if not isinstance(shape, Object):
        return shape if isinstance(shape, Unknown) else Unknown("its schema describes no object")
    properties = schema.get("properties", {})
    if isinstance(properties, Dynamic):
        return Unknown(f"its parameters are computed: {properties.source}")
    fields = {
        name: attrs.evolve(field, shape=Unknown(COMPUTED))
        if isinstance(properties, Mapping) and isinstance(properties.get(name), Dynamic)
        else field
        for name, field in shape.fields.items()
    }
    return attrs.evolve(shape, fields=fields)


def input_of_map(parameters: object) -> Input:
    """Lower a map from parameter to its node, `required: true` on those that are: the seed's form, and others'."""
    if not isinstance(parameters, Mapping):
        return input_of_schema(parameters)
    if any(isinstance(node, Dynamic) for node in parameters.values()) and not parameters:
        return Unknown(COMPUTED)
    required = [name for name, node in parameters.items() if isinstance(node, Mapping) and node.get("required") is True]
    nodes = {
        name: {key: value for key, value in node.items() if key != "required" or not isinstance(value, bool)}
        if isinstance(node, Mapping)
        else node
        for name, node in parameters.items()
    }
    return input_of_schema({"type": "object", "properties": nodes, "required": required})


def is_schema(value: object) -> bool:
    """Tell whether *value* looks like the JSON Schema of an object rather than a map of parameters."""
    if not isinstance(value, Mapping):
        return False
    return value.get("type") == "object" or isinstance(value.get("properties"), Mapping | Dynamic) or "$ref" in value


def parameters_of(value: object) -> Input:
    """Lower either form."""
    return input_of_schema(value) if is_schema(value) or not isinstance(value, Mapping) else input_of_map(value)


def _shallow(value: object, depth: int) -> bool:
    if depth == 0:
        return False
    if isinstance(value, Mapping):
        return all(_shallow(each, depth - 1) for each in value.values())
    if isinstance(value, list | tuple):
        return all(_shallow(each, depth - 1) for each in value)
    return True


__all__ = ["COMPUTED", "input_of_map", "input_of_schema", "is_schema", "parameters_of"]
