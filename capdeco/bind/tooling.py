"""Records -> ToolSpecs: what a declaration becomes in a host."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import attrs

from capdeco.bind.codec import body_of, check_of
from capdeco.declare import faults
from capdeco.declare.capabilities import Capability
from capdeco.declare.json_schema import render
from capdeco.declare.operations import Operation, SchemaInput
from capdeco.declare.shape import Object, Unknown
from capdeco.declare.tools import Tool
from capdeco.dispatch import Lookup, operation_body
from capdeco.host.protocol import Annotations, Body, Context, Schema, ToolSpec
from capdeco.reading import read_function


def tool_spec(tool: Tool) -> ToolSpec:
    """Make what a host registers for *tool*.

    Raises:
        DeclarationError: a type, default or docstring of its function is not as it must be.
    """
    read = read_function(tool.takes)
    return ToolSpec(
        name=tool.name,
        description=tool.description or read.description,
        input_schema=render(read.takes),
        output_schema=None if isinstance(read.returns, Unknown) else render(read.returns),
        body=body_of(tool.takes, read, tool.name),
        expose=tool.expose,
        uses=frozenset(tool.uses),
        timeout=tool.timeout,
        concurrency=tool.concurrency,
        blocking=tool.blocking,
        annotations=Annotations(**tool.annotations),
        source=str(tool.place) if tool.place else None,
    )


@attrs.frozen
class ReadOperation:
    """An operation whose types were read: what it takes, what the model is told."""

    takes: Object
    schema: Schema
    description: str
    check: Callable[[Mapping[str, Any]], None] | None = None
    """Refuses what the schema admits and the declared types do not, say a date that is none."""


def read_operation(operation: Operation) -> ReadOperation:
    """Read the types of *operation*.

    Raises:
        DeclarationError: a type, default or docstring of its function is not as it must be.
    """
    if isinstance(operation.takes, SchemaInput):
        shape = operation.takes.shape()
        # A mapping declaration is always an object at its root; the schema keeps its own annotations.
        return ReadOperation(
            shape if isinstance(shape, Object) else Object(), operation.takes.schema, operation.description or ""
        )
    read = read_function(operation.takes)
    if read.context is not None:
        raise faults.context_of_operation(read.context).error(operation.place, f'"{operation.name}"')
    description = operation.description or read.description
    return ReadOperation(read.takes, render(read.takes), description, check_of(operation.takes, read))


def operation_spec(
    capability: Capability, operation: Operation, read: ReadOperation, tools: Mapping[str, ToolSpec], lookup: Lookup
) -> ToolSpec:
    """Make what a host registers for *operation*; *tools* are what its steps name, by name."""
    specs = [tools[step.tool] for step in operation.steps if step.tool in tools]
    body = operation_body(capability.id, operation.name, operation.steps, read.takes, lookup)
    return ToolSpec(
        name=capability.tool_name(operation),
        description=describe(capability, operation, read.description),
        input_schema=read.schema,
        output_schema=report_schema(capability, operation, specs),
        body=body if read.check is None else _checked(body, read.check),
        uses=frozenset(step.tool for step in operation.steps),
        operation=True,
        concurrency=operation.concurrency,
        annotations=_joined_annotations([spec.annotations for spec in specs]),
        source=str(operation.place) if operation.place else None,
    )


def _checked(body: Body, check: Callable[[Mapping[str, Any]], None]) -> Body:
    """A value that the operation itself does not take is refused at its door: no step has run by then."""

    async def checked(arguments: dict[str, Any], context: Context) -> Any:
        check(arguments)
        return await body(arguments, context)

    return checked


def describe(capability: Capability, operation: Operation, text: str) -> str:
    """Write the description that the model reads: the operation's text, the capability's, and the steps."""
    steps = " → ".join(f"{number}. {step.tool}" for number, step in enumerate(operation.steps, start=1))
    return (
        f"{text}\n\n[capability {capability.id}] {capability.description}\n"
        f"Steps (run in this order by the harness, one call): {steps}"
    )


def _joined_annotations(steps: Sequence[Annotations]) -> Annotations:
    """An operation is as harmless as all of its steps, and as destructive as any of them."""
    if not steps:
        return Annotations()
    return Annotations(
        read_only=True if all(step.read_only is True for step in steps) else None,
        idempotent=True if all(step.idempotent is True for step in steps) else None,
        destructive=True if any(step.destructive is True for step in steps) else None,
        open_world=True if any(step.open_world is True for step in steps) else None,
    )


_TEXT: Final = {"type": "string"}


def report_schema(capability: Capability, operation: Operation, tools: Iterable[ToolSpec]) -> dict[str, Any]:
    """Describe an operation's report: its steps' values are what their tools say they are."""
    by_name = {tool.name: tool for tool in tools}
    definitions: dict[str, Any] = {}
    done = [_done(tool, definitions) for tool in by_name.values()]
    names = list(dict.fromkeys(step.tool for step in operation.steps))
    failed = _closed(
        {"tool": {"enum": names}, "ok": {"const": False}, "error": _TEXT, "code": _TEXT}, optional=["code"]
    )
    schema = _closed(
        {
            "ok": {"type": "boolean"},
            "capability": {"const": capability.id},
            "operation": {"const": operation.name},
            "steps": {"type": "array", "items": {"anyOf": [*done, failed]}},
            "failedStep": _TEXT,
            "error": _TEXT,
        },
        optional=["failedStep", "error"],
    )
    return {**schema, **({"$defs": definitions} if definitions else {})}


def _done(tool: ToolSpec, definitions: dict[str, Any]) -> dict[str, Any]:
    value: Any = dict(tool.output_schema) if tool.output_schema is not None else {}
    if tool.operation:
        value = {"type": "object"}  # its report, in whose place policy may put any object
    if "$ref" in str(value):
        # A schema that refers into itself keeps doing so from where it now stands.
        definitions[tool.name] = _moved(value, f"#/$defs/{tool.name}")
        value = {"$ref": f"#/$defs/{tool.name}"}
    return _closed(
        {"tool": {"const": tool.name}, "ok": {"const": True}, "text": _TEXT, "value": value}, optional=["value"]
    )


def _moved(schema: Any, root: str) -> Any:
    if isinstance(schema, Mapping):
        return {
            key: root + each.removeprefix("#") if key == "$ref" and isinstance(each, str) else _moved(each, root)
            for key, each in schema.items()
        }
    return [_moved(each, root) for each in schema] if isinstance(schema, list) else schema


def _closed(properties: dict[str, Any], optional: Sequence[str]) -> dict[str, Any]:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
