"""Parameters declared as data: a map from field to node, in a closed subset of JSON Schema, compiled to JSON Schema.

The language is the host contract's: what it does not know is refused, never ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Final

from capdeco.codes import DECLARATION
from capdeco.declare.names import quoted
from capdeco.errors import DeclarationError, Diagnostic, did_you_mean

_SCALARS: Final = ("string", "number", "integer", "boolean", "null")
_TYPES: Final = (*_SCALARS, "object", "array", "json")
_NOTES: Final = ("description", "title", "default", "examples")
_CONSTRAINTS: Final = ("type", "properties", "additionalProperties", "items", "enum", "const", "oneOf")


def compile_parameters(spec: object) -> dict[str, Any]:
    """Compile a map from field to node, `required: true` on the fields that are; the root stays open.

    Raises:
        DeclarationError: something in *spec* is not in the language; it says where.
    """
    if not isinstance(spec, Mapping):
        raise _refused("parameters-shape", "", f"parameters are a map from field to node, not {spec!r}")
    return _fields(spec, "")


def compile_value(spec: object) -> dict[str, Any]:
    """Compile the node that describes one value, say what a tool returns.

    Raises:
        DeclarationError: something in *spec* is not in the language; it says where.
    """
    return _node(spec, "")


def _fields(spec: Mapping[str, object], path: str) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    required: list[str] = []
    for name, node in spec.items():
        where = f"{path}.{name}" if path else str(name)
        if not isinstance(name, str):
            raise _unsupported(where, "a field's name is text")
        if not isinstance(node, Mapping):
            raise _unsupported(where, f"a field is described by a map, not by {node!r}")
        must = node.get("required", False)
        if not isinstance(must, bool):
            raise _unsupported(where, f"required is true or false on the field itself, not {must!r}")
        if must:
            required.append(name)
        properties[name] = _node({key: value for key, value in node.items() if key != "required"}, where)
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}


def _node(node: object, path: str) -> dict[str, Any]:
    if not isinstance(node, Mapping):
        raise _unsupported(path, f"a value is described by a map, not by {node!r}")
    for key in node:
        if key not in _NOTES and key not in _CONSTRAINTS:
            known = (*_CONSTRAINTS, *_NOTES, "required")
            raise _unsupported(path, f"there is no keyword {quoted(key)}", did_you_mean(str(key), known, "keywords"))
    notes = {key: deepcopy(node[key]) for key in _NOTES if key in node}
    for key in ("description", "title"):
        if not isinstance(notes.get(key, ""), str):
            raise _unsupported(path, f"{key} is text")
    if not isinstance(notes.get("examples", []), list):
        raise _unsupported(path, "examples are a list")
    if "oneOf" in node:
        return {**_one_of(node, path), **notes}
    kind = node.get("type")
    if kind is not None and kind not in _TYPES:
        raise _unsupported(path, f"there is no type {quoted(kind)}", did_you_mean(str(kind), _TYPES, "types"))
    _only(node, path, kind)
    if kind == "object":
        return {**_object(node, path), **notes}
    if kind == "array":
        items = {"items": _node(node["items"], f"{path}[]")} if "items" in node else {}
        return {"type": "array", **items, **notes}
    typed = {} if kind in (None, "json") else {"type": kind}
    return {**typed, **_constants(node, path), **notes}


_BELONGS: Final = {"properties": "object", "additionalProperties": "object", "items": "array"}


def _only(node: Mapping[str, object], path: str, kind: object) -> None:
    for key, owner in _BELONGS.items():
        if key in node and kind != owner:
            raise _unsupported(path, f"{key} belongs to type {owner}")
    for key in ("enum", "const"):
        if key in node and kind not in (None, *_SCALARS):
            raise _unsupported(path, f"{key} belongs to scalar types")


def _object(node: Mapping[str, object], path: str) -> dict[str, Any]:
    open_ = node.get("additionalProperties")
    if not isinstance(open_, bool):
        raise _unsupported(path, "an object says additionalProperties: true or false", "add it")
    fields = node.get("properties", {})
    if not isinstance(fields, Mapping):
        raise _unsupported(path, f"properties are a map from field to node, not {fields!r}")
    compiled = _fields(fields, path)
    if "properties" not in node:
        del compiled["properties"]
    return {**compiled, "additionalProperties": open_}


def _constants(node: Mapping[str, object], path: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if "enum" in node:
        values = node["enum"]
        if not isinstance(values, list) or not values or not all(map(_is_scalar, values)):
            raise _unsupported(path, "enum is a list of scalars, not empty")
        found["enum"] = list(values)
    if "const" in node:
        if not _is_scalar(node["const"]):
            raise _unsupported(path, "const is a scalar")
        found["const"] = node["const"]
    return found


def _one_of(node: Mapping[str, object], path: str) -> dict[str, Any]:
    branches = node["oneOf"]
    beside = [key for key in _CONSTRAINTS if key in node and key != "oneOf"]
    if beside:
        raise _unsupported(path, f"oneOf stands alone, not beside {' and '.join(beside)}")
    if not isinstance(branches, list) or len(branches) < 2:
        raise _unsupported(path, "oneOf has at least two branches")
    return {"oneOf": [_node(branch, f"{path}|{number}") for number, branch in enumerate(branches, start=1)]}


def _is_scalar(value: object) -> bool:
    return value is None or isinstance(value, bool | int | float | str)


def _unsupported(path: str, what: str, fix: str = "") -> DeclarationError:
    return _refused("unsupported-schema", path, what, fix)


def _refused(rule: str, path: str, what: str, fix: str = "") -> DeclarationError:
    where = f'the parameter "{path}": ' if path else ""
    return DeclarationError(
        Diagnostic(DECLARATION, where + what, fix or "see the parameter language in the README", rule=rule)
    )
