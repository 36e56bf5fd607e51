"""What a tool must be to be registered: everything that is wrong with it, said at once."""

from __future__ import annotations

import inspect
import math
import re
import weakref
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType
from typing import Any, Final

import attrs
import msgspec

from capdeco.codes import HOST
from capdeco.errors import Diagnostic, HostError, Place
from capdeco.host.prepared import PreparedTool
from capdeco.host.protocol import Annotations, ToolSpec
from capdeco.host.schema import CompiledSchema, UnsupportedSchema, compile_schema
from capdeco.host.visibility import GLOBAL, Layer

RESERVED: Final = "run_code"
"""The transport that runs tools from generated code; no layer may hold or mask it."""

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)


class Admission:
    """Prepares tools for a layer. Equal schemas are compiled once, for as long as a tool holds them."""

    def __init__(self) -> None:
        self._compiled: weakref.WeakValueDictionary[bytes, CompiledSchema] = weakref.WeakValueDictionary()

    def prepare(self, specs: Iterable[ToolSpec], layer: Layer) -> list[PreparedTool]:
        """Check *specs* for *layer* and prepare them.

        Raises:
            HostError: something is wrong with one of them; nothing was changed.
        """
        faults: list[Diagnostic] = []
        tools: list[PreparedTool] = []
        taken = set(layer.tools)
        label = layer.label
        for spec in specs:
            found = [*_misfits(spec), *_clash(spec, taken, label)]
            schemas = [] if found else self._schemas(spec, found)
            faults += found
            if not found:
                taken.add(spec.name)
                tools.append(_prepared(spec, schemas, label))
        if faults:
            raise HostError(*faults)
        return tools

    def _schemas(self, spec: ToolSpec, faults: list[Diagnostic]) -> list[CompiledSchema | None]:
        compiled: list[CompiledSchema | None] = []
        for which, schema in (("input", spec.input_schema), ("output", spec.output_schema)):
            try:
                compiled.append(None if schema is None else self._schema(schema))
            except UnsupportedSchema as error:
                what = f"UNSUPPORTED_SCHEMA: the {which} schema: {error}"
                fix = "give JSON Schema 2020-12 with local references only"
                faults.append(_fault(spec, what, fix, "unsupported-schema"))
        return compiled

    def _schema(self, schema: Mapping[str, Any]) -> CompiledSchema:
        try:
            key = msgspec.json.encode(schema if isinstance(schema, dict) else dict(schema))
        except (TypeError, ValueError, RecursionError):
            raise UnsupportedSchema("it has no JSON form") from None
        compiled = self._compiled.get(key)
        if compiled is None:
            compiled = self._compiled[key] = compile_schema(schema)
        return compiled


def _prepared(spec: ToolSpec, schemas: list[CompiledSchema | None], label: str) -> PreparedTool:
    inputs, output = schemas
    if inputs is None:
        raise TypeError("a tool has an input schema")
    # The registered tool keeps copies: what the caller does to its own schema later concerns nobody else.
    kept = attrs.evolve(spec, input_schema=inputs.document, output_schema=None if output is None else output.document)
    return PreparedTool(kept, inputs, output, label)


_FIELDS: Final[tuple[tuple[str, Callable[[Any], bool], str], ...]] = (
    ("description", lambda value: isinstance(value, str), "text"),
    ("input_schema", lambda value: isinstance(value, Mapping), "a JSON Schema object"),
    ("output_schema", lambda value: value is None or isinstance(value, Mapping), "a JSON Schema object, or None"),
    ("body", callable, "a function of arguments and context"),
    ("render", lambda value: value is None or callable(value), "a function, or None"),
    ("finalize", lambda value: value is None or callable(value), "a function, or None"),
    ("expose", lambda value: isinstance(value, bool), "True or False"),
    ("operation", lambda value: isinstance(value, bool), "True or False"),
    ("blocking", lambda value: isinstance(value, bool), "True or False"),
    (
        "uses",
        lambda value: isinstance(value, frozenset) and all(isinstance(name, str) for name in value),
        "a frozenset of tool names",
    ),
    ("concurrency", lambda value: value is None or isinstance(value, bool) or callable(value), "a bool or a function"),
    ("annotations", lambda value: isinstance(value, Annotations), "Annotations"),
    ("source", lambda value: value is None or isinstance(value, str), "text, or None"),
)


def _misfits(spec: ToolSpec) -> list[Diagnostic]:
    name: object = spec.name
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        fix = "1 to 64 letters, digits, underscores and hyphens (ASCII)"
        return [_fault(spec, f"{name!r} is no tool name", fix, "tool-name")]
    if name == RESERVED:
        return [_fault(spec, f"the name {RESERVED} is reserved", "choose another name", "reserved-name")]
    found = [
        _fault(spec, f"{field} is {getattr(spec, field)!r}", f"give {wanted}", "tool-field")
        for field, fits, wanted in _FIELDS
        if not fits(getattr(spec, field))
    ]
    timeout = spec.timeout
    if timeout is not None and not (_is_number(timeout) and math.isfinite(timeout) and timeout > 0):
        found.append(
            _fault(spec, f"the time budget is {timeout!r}", "give a positive number of seconds", "bad-timeout")
        )
    if not found and not _takes(spec.body, 2):
        found.append(_fault(spec, "the body does not take (arguments, context)", "let it take both", "tool-field"))
    if not found and callable(spec.concurrency) and not _takes(spec.concurrency, 1):
        found.append(_fault(spec, "concurrency does not take (arguments)", "let it take them alone", "tool-field"))
    return found


def _clash(spec: ToolSpec, taken: set[str], label: str) -> list[Diagnostic]:
    if spec.name not in taken:
        return []
    where = "the global layer" if label == GLOBAL else f"the scope {label}"
    return [_fault(spec, f'{where} has a tool "{spec.name}" already', "close that one, or rename this", "tool-exists")]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _takes(function: Callable[..., Any], given: int) -> bool:
    """Say whether *function* can be called with so many arguments, by position."""
    if isinstance(function, FunctionType):
        # A signature takes longer to make than the rest of the registration; its code says the same.
        code = function.__code__
        needed = code.co_argcount - len(function.__defaults__ or ())
        if code.co_kwonlyargcount == 0:
            return needed <= given and (code.co_argcount >= given or bool(code.co_flags & inspect.CO_VARARGS))
    try:
        inspect.signature(function).bind(*range(given))
    except TypeError:
        return False
    except ValueError:
        return True  # a builtin that does not say what it takes
    return True


def _fault(spec: ToolSpec, what: str, fix: str, rule: str) -> Diagnostic:
    name: object = spec.name
    subject = f'tool "{name}"' if isinstance(name, str) else "a tool"
    return Diagnostic(HOST, what, fix, place=_place(spec.source), subject=subject, rule=rule)


def _place(source: object) -> Place | None:
    if not isinstance(source, str):
        return None
    file, _, line = source.rpartition(":")
    return Place(file, int(line)) if file and line.isdecimal() else Place(source)
