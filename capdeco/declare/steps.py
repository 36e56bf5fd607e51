"""A step: the name of a tool, and which part of the operation's input it receives."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeAlias

from typing_extensions import TypeVar

from capdeco.declare import faults
from capdeco.declare.tools import Tool, tool_of
from capdeco.errors import DeclarationError, Place

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
            name = tool if self.declared is None else self.declared.name
            flaw = faults.step_tool(name) or (faults.step_from(from_) if from_ is not None else None)
            if flaw:
                raise flaw.error()
            self.tool, self.from_ = str(name), from_
        except DeclarationError as error:
            caller = sys._getframe(1)
            here = Place(caller.f_code.co_filename, caller.f_lineno)
            raise faults.located(error, place=here) from None

    def __repr__(self) -> str:
        source = "" if self.from_ is None else f", from_={self.from_!r}"
        return f"Step({self.tool!r}{source})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Step) and (self.tool, self.from_) == (other.tool, other.from_)

    def __hash__(self) -> int:
        return hash((self.tool, self.from_))


AnyStep: TypeAlias = Step[str, "str | None"]


def step_from(declared: object, *, plain: bool = False) -> AnyStep:
    """Read one element of `steps`: a `Step`, or the mapping `{"tool": ..., "from": ...}`.

    *plain* is for declarations that come from data: their field names are identifiers.

    Raises:
        DeclarationError: it is neither, or has a key that no step has.
    """
    if isinstance(declared, Step):
        return declared
    if not isinstance(declared, Mapping):
        raise faults.no_step(repr(declared), is_list=isinstance(declared, list | tuple)).error()
    for key in declared:
        flaw = faults.step_key(key)
        if flaw:
            raise flaw.error()
    if "tool" not in declared:
        raise faults.step_without_tool().error()
    source = declared.get("from")
    if "from" in declared:
        flaw = faults.step_from(source, plain=plain)
        if flaw:
            raise flaw.error()
    return Step(declared["tool"], source)
