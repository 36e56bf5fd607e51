"""A step: the name of a tool, and which part of the operation's input it receives."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, Final, Generic, TypeAlias

import attrs
from typing_extensions import TypeVar

from capdeco.codes import DECLARATION
from capdeco.declare.names import identifier_fault, quoted, tool_name_fault
from capdeco.declare.tools import Tool, tool_of
from capdeco.errors import DeclarationError, Diagnostic, Place, did_you_mean

ToolT = TypeVar("ToolT", bound=str, default=str, covariant=True)
FromT = TypeVar("FromT", bound="str | None", default="str | None", covariant=True)
FunctionT = TypeVar("FunctionT", default=Any, covariant=True)


class Step(Generic[ToolT, FromT, FunctionT]):
    """Dispatch *tool* with the operation's whole input, or with the object in its field *from_*.

    Args:
        tool: a tool's name, or a function that carries `@tool`.
        from_: the input field to pass; `None` passes the whole input.

    Raises:
        DeclarationError: *tool* is neither, or a name is illegal.
    """

    # The type parameters are for capdeco's mypy plugin: the tool's name, the field's, and the type of the function.
    # Types go where a step goes: through names, imports and mypy's cache. No overload tells them apart: what the plugin
    # reports while mypy tries one counts against that one.

    __slots__ = ("declared", "from_", "tool")

    tool: str
    from_: str | None
    declared: Tool | None
    """The tool's own record where the step was given the function; else it is known by name only."""

    def __init__(self, tool: str | Tool | Callable[..., Any], from_: str | None = None) -> None:
        try:
            is_tool = callable(tool) or isinstance(tool, Tool | staticmethod | classmethod)
            self.declared = tool_of(tool) if is_tool else None
            self.tool = _checked_tool(tool if self.declared is None else self.declared.name)
            self.from_ = _checked_from(from_)
        except DeclarationError as error:
            caller = sys._getframe(1)
            here = Place(caller.f_code.co_filename, caller.f_lineno)
            raise DeclarationError(
                *(attrs.evolve(found, place=found.place or here) for found in error.diagnostics)
            ) from None

    def __repr__(self) -> str:
        source = "" if self.from_ is None else f", from_={self.from_!r}"
        return f"Step({self.tool!r}{source})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Step) and (self.tool, self.from_) == (other.tool, other.from_)

    def __hash__(self) -> int:
        return hash((self.tool, self.from_))


AnyStep: TypeAlias = Step[str, "str | None"]

_KEYS: Final = ("tool", "from")


def step_from(declared: object, *, plain: bool = False) -> AnyStep:
    """Read one element of `steps`: a `Step`, or the mapping `{"tool": ..., "from": ...}`.

    *plain* is for declarations that come from data: their field names are identifiers.

    Raises:
        DeclarationError: it is neither, or has a key that no step has.
    """
    if isinstance(declared, Step):
        return declared
    if not isinstance(declared, Mapping):
        raise _error(
            "step-tool" if isinstance(declared, list | tuple) else "step-shape",
            f"a step is a Step(...) or a mapping with tool and from, not {declared!r}",
            'write Step(tool) or {"tool": "name", "from": "field"}',
        )
    for key in declared:
        if key not in _KEYS:
            raise _error("step-shape", f"a step has no key {key!r}", did_you_mean(str(key), _KEYS, "keys"))
    if "tool" not in declared:
        raise _error("step-tool", "a step names no tool", 'give it a "tool"')
    if "from" in declared and declared["from"] is None:
        raise _error("step-from", "a step's from must be the name of an input field, not None", "leave it out")
    source = declared.get("from")
    fault = identifier_fault(source, "a step's from") if plain and "from" in declared else None
    if fault:
        raise _error("step-from", fault, "name a field of the operation's parameters")
    return Step(declared["tool"], source)


def _checked_tool(name: object) -> str:
    fault = tool_name_fault(name)
    if fault or not isinstance(name, str):
        raise _error("step-tool", f"the tool of a step: {fault}", "write the name that the tool is registered under")
    return name


def _checked_from(name: object) -> str | None:
    # Who declares from data may give anything.
    if name is None or (isinstance(name, str) and name):
        return name
    what = f"a step's from must be the name of an input field, not {quoted(name)}"
    raise _error("step-from", what, "name a field")


def _error(rule: str, what: str, fix: str) -> DeclarationError:
    return DeclarationError(Diagnostic(DECLARATION, what, fix, rule=rule))
