"""`@tool`: a function that a host can dispatch."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from types import MethodType
from typing import Any, TypeVar, overload

import attrs

from capdeco.declare import faults
from capdeco.declare.carry import (
    CAPABILITY,
    OPERATION,
    TOOL,
    attach,
    carried_by,
    declaring_module,
    module_of,
    peek,
    shown,
)
from capdeco.declare.functions import FunctionInput, check_parameters, owner_of, place_of, underlying
from capdeco.declare.names import generated_name, is_blank
from capdeco.declare.options import concurrency_fault, hint_fault, hint_value_fault, timeout_fault
from capdeco.errors import DeclarationError, Place

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
        caller = sys._getframe(1)
        return _declare(
            function,
            Place(caller.f_code.co_filename, caller.f_lineno),
            decorated=False,
            name=name,
            description=description,
            expose=expose,
            uses=uses,
            timeout=timeout,
            concurrency=concurrency,
            blocking=blocking,
            annotations=annotations,
            types=types,
        )


def _declare(
    function: Callable[..., Any],
    place: Place | None,
    *,
    decorated: bool,
    name: str | None,
    description: str | None,
    uses: Iterable[str | Tool | Callable[..., Any]],
    annotations: Mapping[str, bool | str] | None,
    types: Mapping[str, object] | None,
    **options: Any,
) -> Tool:
    """Check what is declared at *place*, and make the record; *decorated*: `@tool` stands on the function."""
    target: object = function
    if not callable(target) and not isinstance(target, staticmethod | classmethod):
        raise faults.not_callable(repr(function)).error(place)
    plain = underlying(function)
    if peek(function, OPERATION) is not None:
        if decorated:
            called = str(getattr(plain, "__name__", function))
            raise faults.declared_twice(called, "@tool", "@operation").error(place)
        raise _operation_named(function).error(place)
    name = name if name is not None else getattr(plain or function, "__name__", None)
    _check_options(name, options["timeout"], options["concurrency"], annotations, place)
    if is_blank(description if description is not None else getattr(plain or function, "__doc__", None)):
        raise faults.no_description("tool", str(name)).error(place)
    check_parameters(function, place=place_of(function) or place)
    return Tool(
        name=str(name),
        description=description,
        takes=FunctionInput(function, types or {}),
        target=function,
        place=place,
        uses=_names_of(uses, place),
        annotations=dict(annotations or {}),
        module=declaring_module(),
        **options,
    )


class ToolDecorator:
    """What `tool(...)` returns: put it on a function."""

    __slots__ = ("_options",)

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = options

    def __call__(self, function: F, /) -> F:
        """Attach the record, and give back what was given."""
        attach(function, TOOL, _declare(function, place_of(function), decorated=True, **self._options))
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
        raise faults.of_an_object("tool", target.__name__).error()  # whoever names it knows where
    record = carried_by(target, TOOL, Tool)
    if record is not None:
        return record
    capability = peek(target, CAPABILITY)
    if peek(target, OPERATION) is not None:
        raise _operation_named(target).error()
    if capability is not None:
        tools = [generated_name(capability.id, each.name) for each in capability.operations]
        raise faults.capability_as_tool(shown(target), tools).error()
    raise faults.no_tool(shown(target)).error(place_of(target))


def _names_of(uses: Iterable[str | Tool | Callable[..., Any]], place: Place | None) -> tuple[str, ...]:
    try:
        return tuple(each if isinstance(each, str) else tool_of(each).name for each in uses)
    except DeclarationError as error:
        raise faults.located(error, place=place) from None


def _operation_named(target: object) -> faults.Flaw:
    """Say that *target* is an operation, and under which name it can be reached."""
    name, function = peek(target, OPERATION).name, underlying(target)
    capability = peek(target, CAPABILITY) or peek(owner_of(function) if function is not None else None, CAPABILITY)
    id_ = capability.id if capability is not None else None
    return faults.operation_as_tool(getattr(function, "__name__", name), id_, name)


def tool_carried_by(target: object) -> Tool | None:
    """Give the tool that *target* is or carries, if any."""
    return target if isinstance(target, Tool) else carried_by(target, TOOL, Tool)


def tool_module(target: object) -> str | None:
    """Say which module declared the tool that *target* is or carries; `None` if there is none, or it is not known."""
    return target.module if isinstance(target, Tool) else module_of(target, TOOL)


def _check_options(
    name: object, timeout: object, concurrency: object, annotations: Mapping[str, object] | None, place: Place | None
) -> None:
    flaw = faults.tool_name(name) or (timeout_fault(timeout) if timeout is not None else None)
    flaw = flaw or concurrency_fault(concurrency)
    for key, value in (annotations or {}).items():
        flaw = flaw or hint_fault(key) or hint_value_fault(key, value)
    if flaw:
        raise flaw.error(place)
