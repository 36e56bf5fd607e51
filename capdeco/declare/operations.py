"""`@operation`: a signature, a docstring and steps; the body never runs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType
from typing import Any, TypeVar

import attrs

from capdeco.declare import faults
from capdeco.declare.carry import OPERATION, TOOL, attach, carried_by, peek, shown
from capdeco.declare.functions import FunctionInput, check_parameters, has_body, place_of, underlying, written
from capdeco.declare.json_schema import parse_schema
from capdeco.declare.names import is_blank
from capdeco.declare.shape import Shape
from capdeco.declare.steps import AnyStep, Step, step_from
from capdeco.errors import DeclarationError, Place

F = TypeVar("F", bound=Callable[..., Any])


@attrs.frozen(eq=False)
class SchemaInput:
    """Parameters declared as data: `default` in them is an annotation, and the root is open."""

    schema: Mapping[str, Any]

    def shape(self) -> Shape:
        """Lower the schema."""
        return parse_schema(self.schema)


@attrs.frozen(eq=False, kw_only=True)
class Operation:
    """One thing that an author declares, which becomes one tool."""

    name: str
    description: str | None
    """`None`: the docstring's."""
    takes: FunctionInput | SchemaInput
    steps: tuple[AnyStep, ...]
    target: object = None
    place: Place | None = None
    concurrency: bool | None = None
    """True where calls of the whole operation may overlap: never derived from its steps."""


class OperationDecorator:
    """What `operation(...)` returns: put it on a function."""

    __slots__ = ("_concurrency", "_description", "_name", "_steps", "_types")

    def __init__(
        self,
        steps: object,
        name: str | None,
        description: str | None,
        concurrency: bool | None,
        types: Mapping[str, object],
    ) -> None:
        self._steps = steps
        self._name = name
        self._description = description
        self._concurrency = concurrency
        self._types = types

    def __call__(self, function: F, /) -> F:
        """Attach the record, and give back what was given."""
        plain = underlying(function)
        place = place_of(function)
        if plain is None:
            raise faults.no_function("@operation", shown(function)).error(place)
        if peek(function, TOOL) is not None:
            raise faults.declared_twice(plain.__name__, "@operation", "@tool").error(place)
        name = self._name if self._name is not None else plain.__name__
        flaw = faults.operation_name(name)
        if flaw:
            raise flaw.error(place)
        steps = read_steps(self._steps, name, place)
        if is_blank(self._description if self._description is not None else plain.__doc__):
            raise faults.no_description("operation", name).error(place)
        if has_body(written(function) or plain):  # a decorator in between has one, and is not meant
            raise faults.has_body(name).error(place)
        check_parameters(function, place=place)
        _check_second(plain, sys._getframe(1).f_locals, place)
        record = Operation(
            name=name,
            description=self._description,
            takes=FunctionInput(function, self._types),
            steps=steps,
            target=function,
            place=place,
            concurrency=self._concurrency,
        )
        attach(function, OPERATION, record)
        return function


def operation(
    *,
    steps: Iterable[Step[Any, Any] | Mapping[str, str]],
    name: str | None = None,
    description: str | None = None,
    concurrency: bool | None = None,
    types: Mapping[str, object] | None = None,
) -> OperationDecorator:
    """Declare a function as an operation: its signature is what the model may pass, its steps are what runs.

    Args:
        steps: what to dispatch, in order: `Step(tool, from_=...)` or `{"tool": ..., "from": ...}`.
        name: its name within the capability; the function's own by default.
        description: what the model reads; the docstring by default.
        concurrency: True where calls of the operation may overlap each other.
        types: names that the annotations use and the module does not have at run time.

    Raises:
        DeclarationError: what needs no type is wrong: a name, the description, a step, a body, `*args`, an annotation.
    """
    return OperationDecorator(steps, name, description, concurrency, types or {})


def _check_second(function: FunctionType, namespace: Mapping[str, object], place: Place | None) -> None:
    """Refuse a second operation of one name in a class body, where Python would drop the first in silence."""
    if "__qualname__" in namespace and operation_carried_by(namespace.get(function.__name__)) is not None:
        raise faults.defined_twice(function.__name__).error(place)


def operation_carried_by(target: object) -> Operation | None:
    """Give the operation that *target* carries, if it carries one.

    Raises:
        DeclarationError: it carries another function's, as a wrapper does that copied it.
    """
    return carried_by(target, OPERATION, Operation)


def read_steps(declared: object, operation: str, place: Place | None, *, plain: bool = False) -> tuple[AnyStep, ...]:
    """Read the steps of *operation*; *plain* as in `step_from`.

    Raises:
        DeclarationError: there are none, or one is not as it must be; it says which.
    """
    if isinstance(declared, str | bytes | Mapping) or not isinstance(declared, Iterable):
        raise faults.steps_are_no_list(operation, repr(declared)).error(place)
    steps: list[AnyStep] = []
    for number, each in enumerate(declared, start=1):
        try:
            steps.append(step_from(each, plain=plain))
        except DeclarationError as error:
            raise faults.located(error, place=place, subject=f"step {number} of {operation}") from None
    if not steps:
        raise faults.no_steps(operation).error(place)
    return tuple(steps)
