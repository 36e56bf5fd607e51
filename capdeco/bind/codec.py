"""JSON arguments as Python objects, and results as JSON: prepared once per tool, from the same forms as its schema."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import attrs

from capdeco.codes import DECLARATION
from capdeco.declare.functions import FunctionInput, is_method, owner_of, place_of, written
from capdeco.errors import DeclarationError, Diagnostic, ToolError
from capdeco.host.protocol import Body, Context
from capdeco.reading import FunctionShape, NoJson, to_json
from capdeco.reading.converters import Converters
from capdeco.reading.functions import EMPTY
from capdeco.reading.problems import Gathering, Problems
from capdeco.result import Content


def body_of(takes: FunctionInput, read: FunctionShape, name: str = "the tool") -> Body:
    """Make what a host runs for a function: arguments that its schema admits and a context -> JSON or `Content`.

    The body is a coroutine function exactly if the function is one. What is absent is left to Python.
    Messages about its result begin with *name*.
    Arguments that are no value of their type after all raise `ToolError`, code INVALID_ARGS, with every problem.

    Raises:
        DeclarationError: the function is a method without an instance, or makes a generator.
    """
    function = _callable(takes)
    arguments = _arguments(takes, read)
    if _is_async(takes.function):

        async def run(given: dict[str, Any], context: Context) -> Any:
            if arguments is None:
                result = function(**given)
            else:
                positional, named = arguments(given, context)
                result = function(*positional, **named)
            return _result(await result if inspect.isawaitable(result) else result, name)

        return run

    def run_in_thread(given: dict[str, Any], context: Context) -> Any:
        if arguments is None:
            return _result(function(**given), name)
        positional, named = arguments(given, context)
        return _result(function(*positional, **named), name)

    return run_in_thread


def check_of(takes: FunctionInput, read: FunctionShape) -> Callable[[Mapping[str, Any]], None] | None:
    """Make what refuses arguments that their schema admits and their types do not; `None` where there are none such.

    It raises `ToolError`, code INVALID_ARGS, with every problem.
    """
    arguments = _arguments(takes, read)
    if arguments is None:
        return None

    def check(given: Mapping[str, Any]) -> None:
        arguments(dict(given), None)

    return check


def _result(value: Any, name: str) -> Any:
    try:
        if isinstance(value, Content):
            return attrs.evolve(value, value=to_json(value.value))
        return to_json(value)
    except NoJson as error:
        raise ToolError(f"{name}: what it returned: {error}", code="INVALID_TOOL_OUTPUT") from None


# Which function is called


def _callable(takes: FunctionInput) -> Callable[..., Any]:
    target: Any = takes.function
    plain = written(target)
    if plain is not None and (inspect.isgeneratorfunction(plain) or inspect.isasyncgenfunction(plain)):
        raise _refused(takes, "it makes a generator, and a tool gives one result", "return a list")
    if not is_method(target):
        return _as_callable(target)
    # The class is complete by now: what stands in it under the function's name knows whether it needs an instance.
    owner = owner_of(plain) if plain is not None else None
    if plain is not None and owner is not None:
        found = inspect.getattr_static(owner, plain.__name__, None)
        if isinstance(found, staticmethod | classmethod):
            return _as_callable(getattr(owner, plain.__name__))
    if isinstance(target, classmethod):
        raise _refused(takes, "its class cannot be found", "declare it with Tool.of(TheClass.method)")
    raise _refused(
        takes,
        "it is a method, and there is no instance to call it on",
        "make it a static method, or declare the bound one with Tool.of(instance.method)",
    )


def _as_callable(target: Any) -> Callable[..., Any]:
    found: Callable[..., Any] = target.__func__ if isinstance(target, staticmethod) else target
    return found


def _refused(takes: FunctionInput, what: str, fix: str) -> DeclarationError:
    name = getattr(written(takes.function) or takes.function, "__name__", repr(takes.function))
    return DeclarationError(
        Diagnostic(DECLARATION, what, fix, place=place_of(takes.function), subject=f'"{name}"', rule="target")
    )


def _is_async(target: Any) -> bool:
    """A plain wrapper hands on the coroutine of the async function that it wraps."""
    plain = written(target)
    return inspect.iscoroutinefunction(target) or (plain is not None and inspect.iscoroutinefunction(plain))


# Arguments

_Arguments: TypeAlias = Callable[[dict[str, Any], Context | None], tuple[list[Any], dict[str, Any]]]
"""Input fields and context -> what to pass by position, and by name."""


def _arguments(takes: FunctionInput, read: FunctionShape) -> _Arguments | None:
    """`None` where the input fields are the arguments, as they are."""
    signature, converters = read.signature, Converters(takes.types)
    made = [(each.name, converters.of(each.annotation)) for each in signature.fields]
    steps = [(name, convert) for name, convert in made if convert is not None]
    own = frozenset(name for name, _ in made)
    rest = None if signature.rest is EMPTY else converters.of(signature.rest)
    whole = signature.whole
    whole_converter = None if whole is None else converters.whole(whole.annotation)
    context = signature.context
    if not (steps or rest or whole or context or signature.positional):
        return None

    def arguments(given: dict[str, Any], current: Context | None) -> tuple[list[Any], dict[str, Any]]:
        gathering = Gathering()
        for name, convert in steps:
            if name in given:
                given[name] = gathering.convert(name, convert, given[name])
        others = {} if rest is None and whole is None else {name: given[name] for name in given if name not in own}
        if rest is not None:
            given |= {name: gathering.convert(name, rest, each) for name, each in others.items()}
        if whole is not None:
            for name in others:
                del given[name]
            value = others if whole_converter is None else gathering.convert("", whole_converter, others)
            given |= value if signature.spread and value is not None else {whole.name: value}
        try:
            gathering.check()
        except Problems as problems:
            raise ToolError(str(problems), code="INVALID_ARGS") from None
        if context is not None:
            given[context.name] = current
        return [given.pop(each.name, each.default) for each in signature.positional], given

    return arguments


__all__ = ["body_of", "check_of", "to_json"]
