"""`@tool`: a function that a host can dispatch."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from types import MethodType
from typing import Any, TypeVar, overload

import attrs

from capdeco.codes import DECLARATION
from capdeco.declare.carry import (
    CAPABILITY,
    OPERATION,
    TOOL,
    attach,
    carried_by,
    declaring_module,
    module_of,
    of_an_object,
    peek,
    twice,
)
from capdeco.declare.functions import FunctionInput, check_parameters, owner_of, place_of, underlying
from capdeco.declare.names import generated_name, is_blank, tool_name_fault
from capdeco.declare.options import hint_fault, hint_value_fault, timeout_fault
from capdeco.errors import DeclarationError, Diagnostic, Place

F = TypeVar("F", bound=Callable[..., Any])


@attrs.frozen(eq=False, kw_only=True)
class Tool:
    """A tool as it was declared; what `@tool` attaches and `Tool.of` makes."""

    name: str
    description: str | None
    """`None`: the docstring's."""
    takes: FunctionInput
    target: object
    place: Place | None
    expose: bool = True
    uses: tuple[str, ...] = ()
    """Internal tools that the body may reach through its context."""
    timeout: float | None = None
    """Seconds."""
    concurrency: bool | Callable[..., object] | None = None
    blocking: bool = True
    annotations: Mapping[str, Any] = attrs.field(factory=dict)
    module: str | None = None
    """The module that declared it, which need not be that of its function."""

    @staticmethod
    def of(
        function: Callable[..., Any],
        /,
        *,
        name: str | None = None,
        description: str | None = None,
        expose: bool = True,
        uses: Iterable[str | Tool | Callable[..., Any]] = (),
        timeout: float | None = None,
        concurrency: bool | Callable[..., object] | None = None,
        blocking: bool = True,
        annotations: Mapping[str, bool | str] | None = None,
        types: Mapping[str, object] | None = None,
    ) -> Tool:
        """Declare any callable as a tool without touching it: a bound method, a partial, somebody else's function.

        Raises:
            DeclarationError: a name, description, parameter or option is not as it must be.
        """
        target: object = function
        if not callable(target) and not isinstance(target, staticmethod | classmethod):
            raise DeclarationError(
                Diagnostic(DECLARATION, f"{function!r} is not callable", "give a function", rule="target")
            )
        plain = underlying(function)
        caller = sys._getframe(1)
        decorated = caller.f_code is ToolDecorator.__call__.__code__
        defined = place_of(function)
        place = defined if decorated else Place(caller.f_code.co_filename, caller.f_lineno)
        if peek(function, OPERATION) is not None:
            if decorated:
                raise twice(str(getattr(plain, "__name__", function)), "both @tool and @operation", place)
            raise _refused("target", *_operation_named(function), place)
        name = name if name is not None else getattr(plain or function, "__name__", None)
        _check_options(name, description, timeout, concurrency, annotations, place)
        if description is None and is_blank(getattr(plain or function, "__doc__", None)):
            raise _refused(
                "tool-description",
                f'the tool "{name}" has no description: the model would see a name only',
                "write a docstring, or give description=",
                place,
            )
        check_parameters(function, place=defined or place)
        return Tool(
            name=str(name),
            description=description,
            takes=FunctionInput(function, types or {}),
            target=function,
            place=place,
            expose=expose,
            uses=_names_of(uses, place),
            timeout=timeout,
            concurrency=concurrency,
            blocking=blocking,
            annotations=dict(annotations or {}),
            module=declaring_module(),
        )


class ToolDecorator:
    """What `tool(...)` returns: put it on a function."""

    __slots__ = ("_options",)

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = options

    def __call__(self, function: F, /) -> F:
        """Attach the record, and give back what was given."""
        attach(function, TOOL, Tool.of(function, **self._options))
        return function


@overload
def tool(function: F, /) -> F: ...
@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    expose: bool = True,
    uses: Iterable[str | Tool | Callable[..., Any]] = (),
    timeout: float | None = None,
    concurrency: bool | Callable[..., object] | None = None,
    blocking: bool = True,
    annotations: Mapping[str, bool | str] | None = None,
    types: Mapping[str, object] | None = None,
) -> ToolDecorator: ...


def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    expose: bool = True,
    uses: Iterable[str | Tool | Callable[..., Any]] = (),
    timeout: float | None = None,
    concurrency: bool | Callable[..., object] | None = None,
    blocking: bool = True,
    annotations: Mapping[str, bool | str] | None = None,
    types: Mapping[str, object] | None = None,
) -> Callable[..., Any] | ToolDecorator:
    """Declare a function as a tool; it stays the function that it was, and nothing is registered.

    Args:
        name: what hosts and models call it; the function's own name by default.
        description: what the model reads; the docstring by default.
        expose: False keeps it from the model: only operations and tools that name it can dispatch it.
        uses: internal tools that the body reaches through `Context.call`.
        timeout: the time budget of one call, in seconds.
        concurrency: True, or a function of the arguments that returns exactly True, where calls may overlap.
        blocking: a sync body runs in a thread; False runs a short one in the event loop.
        annotations: hints for clients: title, read_only, destructive, idempotent, open_world.
        types: names that the annotations use and the module does not have at run time.

    Raises:
        DeclarationError: what needs no type is wrong: the name, the description, an option, `*args`, an annotation.
    """
    decorator = ToolDecorator(
        {
            "name": name,
            "description": description,
            "expose": expose,
            "uses": uses,
            "timeout": timeout,
            "concurrency": concurrency,
            "blocking": blocking,
            "annotations": annotations,
            "types": types,
        }
    )
    return decorator if function is None else decorator(function)


def tool_of(target: object) -> Tool:
    """Give the tool that *target* is or carries.

    Raises:
        DeclarationError: it carries none, or its own was lost under another decorator.
    """
    if isinstance(target, Tool):
        return target
    if isinstance(target, MethodType) and not isinstance(target.__self__, type) and peek(target, TOOL) is not None:
        raise of_an_object("tool", target, None)  # whoever names it knows where
    record = carried_by(target, TOOL, Tool)
    if record is not None:
        return record
    capability = peek(target, CAPABILITY)
    if peek(target, OPERATION) is not None:
        raise _refused("step-tool", *_operation_named(target), None)
    if capability is not None:
        what = f'"{getattr(target, "__name__", target)}" is a capability: what a host has are the tools that it becomes'
        names = " or ".join(f'Step("{generated_name(capability.id, each.name)}")' for each in capability.operations)
        raise _refused("step-tool", what, f"name one of them, as in {names}", None)
    what, fix = f"{target!r} is no tool: it does not carry @tool", "put @tool on the function, or write the tool's name"
    raise _refused("step-tool", what, fix, place_of(target))


def _names_of(uses: Iterable[str | Tool | Callable[..., Any]], place: Place | None) -> tuple[str, ...]:
    try:
        return tuple(each if isinstance(each, str) else tool_of(each).name for each in uses)
    except DeclarationError as error:
        found = (attrs.evolve(each, place=each.place or place) for each in error.diagnostics)
        raise DeclarationError(*found) from None


def _operation_named(target: object) -> tuple[str, str]:
    """Say that *target* is an operation, and under which name it can be reached."""
    name, function = peek(target, OPERATION).name, underlying(target)
    capability = peek(target, CAPABILITY) or peek(owner_of(function) if function is not None else None, CAPABILITY)
    tool_name = generated_name(capability.id if capability is not None else "<id>", name)
    what = f'"{getattr(function, "__name__", name)}" is an operation: what a host has is the tool that it becomes'
    return what, f'name that tool, as in Step("{tool_name}")'


def tool_carried_by(target: object) -> Tool | None:
    """Give the tool that *target* is or carries, if any."""
    return target if isinstance(target, Tool) else carried_by(target, TOOL, Tool)


def tool_module(target: object) -> str | None:
    """Say which module declared the tool that *target* is or carries; `None` if there is none, or it is not known."""
    return target.module if isinstance(target, Tool) else module_of(target, TOOL)


def _check_options(
    name: object,
    description: object,
    timeout: object,
    concurrency: object,
    annotations: Mapping[str, object] | None,
    place: Place | None,
) -> None:
    fault = tool_name_fault(name)
    if fault:
        raise _refused("tool-name", fault, "give the tool another name=", place)
    if description is not None and is_blank(description):
        raise _refused("tool-description", f'the description of "{name}" is empty', "say what it does", place)
    fault = timeout_fault(timeout) if timeout is not None else None
    if fault:
        raise _refused("bad-timeout", fault, "give one", place)
    if concurrency is not None and not isinstance(concurrency, bool) and not callable(concurrency):
        raise _refused(
            "concurrency",
            f"concurrency is True, False or a function of the arguments, not {concurrency!r}",
            "give one of them",
            place,
        )
    for key, value in (annotations or {}).items():
        wrong = hint_fault(key) or hint_value_fault(key, value)
        if wrong:
            raise _refused("annotations", *wrong, place)


def _refused(rule: str, what: str, fix: str, place: Place | None) -> DeclarationError:
    return DeclarationError(Diagnostic(DECLARATION, what, fix, place=place, rule=rule))
