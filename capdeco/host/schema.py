"""JSON Schema 2020-12 with local references only: compiled once, and every problem of a value said in our words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NoReturn

import attrs
import jsonschema_rs
import msgspec

from capdeco.errors import near_misses
from capdeco.host.lossless import clipped

_DIALECT: Final = re.compile(r"https?://json-schema\.org/(draft-07|draft/2019-09|draft/2020-12)/schema#?")
_ANNOTATIONS: Final = frozenset(
    {"$ref", "$comment", "$defs", "definitions", "title", "description", "default", "examples", "deprecated"}
)
_LATER: Final = frozenset({"prefixItems", "$dynamicRef", "$dynamicAnchor"})
_MEANS_ELSE: Final = {
    "draft-07": frozenset(
        {"dependencies", "dependentRequired", "dependentSchemas", "minContains", "maxContains", "$anchor"}
        | {"unevaluatedItems", "unevaluatedProperties"}
        | _LATER
    ),
    "draft/2019-09": frozenset({"$recursiveRef", "$recursiveAnchor", "unevaluatedItems"}) | _LATER,
}
"""Older dialects -> the keywords that one of them or 2020-12 ignores, or that they read differently."""
_REFERENCES: Final = ("$ref", "$dynamicRef")
_ONE: Final = (
    *("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"),
    *("unevaluatedItems", "unevaluatedProperties", "contentSchema"),
)
_MANY: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_NAMED: Final = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")


class UnsupportedSchema(Exception):
    """A schema that this host does not take. The message quotes nothing of it: it may be a stranger's."""


@attrs.frozen(eq=False)
class CompiledSchema:
    """A schema and the validator made of it."""

    document: Mapping[str, Any]
    _validator: jsonschema_rs.Draft202012Validator
    accepts: Callable[[Any], bool]
    """Say whether a value fits."""
    closed: frozenset[str] | None
    """The fields that the root declares, when it admits no others."""
    _patterns: tuple[re.Pattern[str], ...] = ()

    def problems(self, value: Any) -> list[str]:
        """Say everything that is wrong with *value*, each with its path."""
        every = list(dict.fromkeys(_said(self._validator.iter_errors(value), self.document)))
        return every if len(every) <= _PROBLEMS else [*every[:_PROBLEMS], f"and {len(every) - _PROBLEMS} more problems"]

    def declared(self, fields: dict[str, Any]) -> dict[str, Any]:
        """Leave out the fields that a closed root does not declare."""
        if self.closed is None or self.closed.issuperset(fields):
            return fields
        return {
            name: value
            for name, value in fields.items()
            if name in self.closed or any(pattern.search(name) for pattern in self._patterns)
        }


def compile_schema(schema: object) -> CompiledSchema:
    """Compile *schema*; nothing is read from disk or network for it.

    Raises:
        UnsupportedSchema: it is no JSON Schema 2020-12, or refers to something outside itself.
    """
    if not isinstance(schema, Mapping):
        raise UnsupportedSchema("a schema is an object")
    try:
        json = msgspec.json.encode(schema if isinstance(schema, dict) else dict(schema))
        document, checked = msgspec.json.decode(json), msgspec.json.decode(json)
    except (TypeError, ValueError, RecursionError, msgspec.MsgspecError):
        raise UnsupportedSchema("the schema has no JSON form") from None
    dialect = _dialect(checked)
    if dialect in _MEANS_ELSE:
        # What every one of its keywords says, 2020-12 says too: from here on it is a schema of that.
        del checked["$schema"], document["$schema"]
    for node in _nodes(checked):
        if node.get("additionalProperties") is False:
            node.setdefault("properties", {})  # says the same, and the validator then names every field at fault
        if node is not checked and "$schema" in node and _named(node) != dialect:
            raise UnsupportedSchema("a part of the schema names another dialect than the whole")
        keyword = _means_else(node, dialect)
        if keyword is not None:
            raise UnsupportedSchema(f"the schema is of {dialect}, where {keyword} says something else than in 2020-12")
        if any(not str(node[key]).startswith("#") for key in _REFERENCES if key in node):
            raise UnsupportedSchema("the schema refers to something outside itself; only local references are taken")
    try:
        validator = jsonschema_rs.Draft202012Validator(checked, retriever=_refuse)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError):
        raise UnsupportedSchema("the schema is no valid JSON Schema 2020-12, or has a reference to nothing") from None
    if document.get("additionalProperties") is not False:
        return CompiledSchema(document, validator, validator.is_valid, None)
    patterns = tuple(map(_pattern, document.get("patternProperties", {})))
    return CompiledSchema(document, validator, validator.is_valid, frozenset(document.get("properties", {})), patterns)


def _named(node: Mapping[str, Any]) -> str:
    dialect = _DIALECT.fullmatch(str(node["$schema"]))
    if dialect is None:
        raise UnsupportedSchema("the schema names another dialect than JSON Schema 2020-12, 2019-09 or draft-07")
    return dialect[1]


def _dialect(schema: Mapping[str, Any]) -> str:
    return _named(schema) if "$schema" in schema else "draft/2020-12"


def _means_else(node: Mapping[str, Any], dialect: str) -> str | None:
    """Name a keyword of *node* that does not say in 2020-12 what it says in *dialect*."""
    if dialect not in _MEANS_ELSE:
        return None
    if isinstance(node.get("items"), list):
        return "items with a list"
    if dialect == "draft-07" and "$ref" in node and not _ANNOTATIONS.issuperset(node):
        return "what stands beside $ref"
    if dialect == "draft-07" and str(node.get("$id", "")).startswith("#"):
        return "$id with a name"
    return next((keyword for keyword in node if keyword in _MEANS_ELSE[dialect]), None)


def _nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Walk the places that hold schemas, and no others: `default`, `const` and `enum` hold data."""
    pending = [schema]
    while pending:
        node = pending.pop()
        if not isinstance(node, dict):
            continue
        yield node
        pending.extend(node[key] for key in _ONE if key in node)
        for key in _MANY:
            pending.extend(node[key] if isinstance(node.get(key), list) else ())
        for key in _NAMED:
            pending.extend(node[key].values() if isinstance(node.get(key), dict) else ())


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error:
        # ECMA's dialect is a little wider than ours. Dropping a field that is declared would be silent: keep them all.
        return re.compile("")


def _refuse(uri: str) -> NoReturn:
    raise ValueError(f"nothing is read from elsewhere: {uri}")


def _said(errors: Iterable[jsonschema_rs.ValidationError], document: Mapping[str, Any]) -> Iterator[str]:
    for error in errors:
        path = _path(error.instance_path)
        keyword, facts = error.kind.name, error.kind.as_dict()
        if keyword in ("additionalProperties", "unevaluatedProperties"):
            declared = _properties_at(document, list(error.schema_path)[:-1])
            shown = facts["unexpected"][:_UNKNOWN]
            yield from (f"{_join(path, name)}: not a known field{_meant(name, declared)}" for name in shown)
            if len(facts["unexpected"]) > _UNKNOWN:
                yield f"{_join(path, '…')}: {len(facts['unexpected']) - _UNKNOWN} more unknown fields"
        elif keyword == "required":
            yield f"{_join(path, facts['property'])}: is required"
        elif keyword in ("anyOf", "oneOf") and _inside(facts["context"], path) is not None:
            yield f"{path or 'arguments'}: {_inside(facts['context'], path)}"
        else:
            yield f"{path or 'the value'}: {_wording(keyword, facts, error.instance)}"


def _inside(branches: Sequence[Sequence[jsonschema_rs.ValidationError]], path: str) -> str | None:
    """Say what each alternative wants, when every one of them refused the value as a whole."""
    wanted: list[str] = []
    for branch in branches:
        if len(branch) != 1 or branch[0].kind.name != "type" or _path(branch[0].instance_path) not in ("", path):
            return None
        wanted.extend(branch[0].kind.as_dict()["types"])
    return f"must be {' or '.join(dict.fromkeys(wanted))}" if wanted else None


def _wording(keyword: str, facts: Mapping[str, Any], instance: Any) -> str:
    limit = facts.get("limit")
    match keyword:
        case "type":
            return f"must be {' or '.join(facts['types'])}, not {_kind(instance)}"
        case "enum":
            return f"must be one of {_choices(facts['options'])}"
        case "const":
            return f"must be {_choices([facts['expected_value']])}"
        case "oneOf":
            return (
                "fits more than one of the alternatives"
                if facts["context"] == [] or not all(facts["context"])
                else "fits none of the alternatives"
            )
        case "anyOf":
            return "fits none of the alternatives"
        case "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum":
            return f"must be {_BOUNDS[keyword]} {limit}"
        case "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties":
            return f"must have {_BOUNDS[keyword[:3]]} {limit} {_COUNTED[keyword[3:]]}"
        case "uniqueItems":
            return "must not hold an item twice"
        case "falseSchema":
            return "is not allowed"
        case _:
            return f"does not fit ({keyword})"


_BOUNDS: Final = {
    "minimum": "at least",
    "maximum": "at most",
    "exclusiveMinimum": "more than",
    "exclusiveMaximum": "less than",
    "min": "at least",
    "max": "at most",
}
_COUNTED: Final = {"Length": "characters", "Items": "items", "Properties": "fields"}
_SHOWN: Final = 200
_UNKNOWN: Final = 5
"""Unknown fields of one object that are named: whoever sends five hundred is not helped by the list."""
_PROBLEMS: Final = 20


def _choices(values: Sequence[Any]) -> str:
    text = ", ".join(msgspec.json.encode(value).decode() for value in values)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _kind(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def _path(parts: Iterable[str | int]) -> str:
    path = ""
    for part in parts:
        path = f"{path}[{part}]" if isinstance(part, int) else _join(path, part)
    return path


def _join(path: str, name: str) -> str:
    return f"{path}.{clipped(name)}" if path else clipped(name)


def _properties_at(document: Mapping[str, Any], path: Sequence[str | int]) -> list[str]:
    node: Any = document
    for part in path:
        try:
            node = node[part]
        except (KeyError, IndexError, TypeError):
            return []
    return list(node.get("properties", ())) if isinstance(node, dict) else []


def _meant(name: str, declared: Iterable[str]) -> str:
    close = near_misses(name, declared)
    return f"; did you mean {' or '.join(close)}?" if close else ""
