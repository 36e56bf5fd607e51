"""Steps that are none: what every reader says of them, and what to do instead."""

from __future__ import annotations

from typing import Final, TypeAlias

from capdeco.declare.names import generated_name, quoted
from capdeco.errors import did_you_mean

Said: TypeAlias = tuple[str, str]
"""What is wrong, and what to do."""

KEYS: Final = ("tool", "from")
"""What a step that is a mapping may have."""


def no_steps(operation: str) -> Said:
    """Of an operation without steps."""
    return f'the operation "{operation}" has no steps: it would do nothing', "name a tool"


def no_list(operation: str, shown: str = "") -> Said:
    """Of steps that are no list."""
    return f'the steps of "{operation}" are a list{f", not {shown}" if shown else ""}', "write steps=[...]"


def no_step(shown: str) -> Said:
    """Of something else among the steps."""
    what = f"a step is a Step(...) or a mapping with tool and from, not {shown}"
    return what, 'write Step(tool) or {"tool": "name", "from": "field"}'


def unknown_key(key: object) -> Said:
    """Of a mapping with a key that no step has."""
    return f"a step has no key {quoted(key)}", did_you_mean(str(key), KEYS, "keys")


def names_nothing() -> Said:
    """Of a mapping without a tool."""
    return "a step names no tool", 'give it a "tool"'


def illegal_name(fault: str) -> Said:
    """Of a name that no tool can have; *fault* is what `tool_name_fault` says."""
    return f"the tool of a step: {fault}", "write the name that the tool is registered under"


def no_tool(shown: str) -> Said:
    """Of a function that is no tool."""
    return f'"{shown}" is no tool: it does not carry @tool', "put @tool on the function, or write the tool's name"


def no_field(shown: str) -> Said:
    """Of a `from` that can name no field."""
    return f"a step's from must be the name of an input field, not {shown}", "name a field, or leave it out"


def operation(function: str, name: str, capability: str | None) -> Said:
    """Of the function of the operation *name* where a tool is meant; *capability* is the id of its own."""
    what = f'"{function}" is an operation: what a host has is the tool that it becomes'
    return what, f'name that tool, as in Step("{generated_name(capability or "<id>", name)}")'


def bound_method(name: str) -> Said:
    """Of a method of an object, whose `@tool` is its class's."""
    what = f'"{name}" is a method of an object, and its @tool is the class\'s'
    record = name.upper()
    return what, f'declare it, as in {record} = Tool.of(instance.{name}, name="{name}"), and give {record}'
