"""`@capability`: a named group of operations, on a class or on one function."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any, TypeVar

import attrs

from capdeco.declare import faults
from capdeco.declare.carry import CAPABILITY, attach, carried_by, declaring_module, module_of, unwrapped
from capdeco.declare.functions import is_method, place_of
from capdeco.declare.names import generated_name
from capdeco.declare.operations import Operation, operation_carried_by
from capdeco.errors import Place

T = TypeVar("T", bound="type | Callable[..., Any]")


@attrs.frozen(eq=False, kw_only=True)
class Capability:
    """A named group of operations, base classes' first. It knows no host."""

    id: str
    description: str
    operations: tuple[Operation, ...]
    target: object = None
    place: Place | None = None
    module: str | None = None
    """The module that declared it; `None` if it came as data."""

    def tool_name(self, operation: Operation) -> str:
        """Give the name of the tool that *operation* becomes."""
        return generated_name(self.id, operation.name)


class CapabilityDecorator:
    """What `capability(...)` returns: put it on a class, or above `@operation` on a function."""

    __slots__ = ("_description", "_id", "_place")

    def __init__(self, id: str, description: str, place: Place) -> None:
        self._id = id
        self._description = description
        self._place = place

    def __call__(self, target: T, /) -> T:
        """Attach the record, and give back what was given."""
        if isinstance(target, type):
            place, operations = self._place, operations_of(target)
        else:
            place = place_of(target) or self._place
            found = operation_carried_by(target)
            operations = (found,) if found else ()
        if not operations:
            raise faults.no_operations(self._id).error(place)
        module = declaring_module()
        record = make_capability(self._id, self._description, operations, target=target, place=place, module=module)
        attach(target, CAPABILITY, record)
        return target


def capability(*, id: str, description: str) -> CapabilityDecorator:
    """Declare a class, or a function that carries `@operation`, as a capability; nothing is registered.

    Args:
        id: the first part of the name of each operation's tool.
        description: what the operations have in common; the model reads it with each of them.

    Raises:
        DeclarationError: the id or the description is not as it must be, an operation is missing, double or lost.
    """
    caller = sys._getframe(1)
    return CapabilityDecorator(id, description, Place(caller.f_code.co_filename, caller.f_lineno))


def make_capability(
    id: object,
    description: object,
    operations: Iterable[Operation],
    *,
    target: object = None,
    place: Place | None = None,
    module: str | None = None,
) -> Capability:
    """Check what a capability's parts say together, and join them.

    Raises:
        DeclarationError: an id, description or joined name is not as it must be, or two operations have one name.
    """
    id_ = str(id)
    flaw = faults.capability_id(id) or faults.capability_description(id_, description)
    if flaw:
        raise flaw.error(place)
    seen: set[str] = set()
    operations = tuple(operations)
    for each in operations:
        twice = faults.operations_of_one_name(id_, each.name) if each.name in seen else None
        flaw = twice or faults.generated(id_, each.name)
        if flaw:
            raise flaw.error(each.place or place, f"{id_}.{each.name}")
        seen.add(each.name)
    return Capability(
        id=id_, description=str(description), operations=operations, target=target, place=place, module=module
    )


def operations_of(owner: type) -> tuple[Operation, ...]:
    """Give the operations of a class: its bases' first, an override in its base's place, `None` taking one away.

    Raises:
        DeclarationError: an override is no operation, or a decorator above `@operation` wrapped it.
    """
    found: dict[str, Operation] = {}
    for each in reversed(owner.__mro__):
        for name, value in vars(each).items():
            record = None if isinstance(value, type) else operation_carried_by(value)
            if record is not None:
                if isinstance(value, FunctionType) and not is_method(value):
                    raise faults.no_self(each.__name__, name).error(record.place)
                found[name] = record
            elif name in found:
                if value is not None:
                    place = place_of(unwrapped(value)) or found[name].place
                    raise faults.overridden(each.__name__, name).error(place)
                del found[name]
    return tuple(found.values())


def capability_carried_by(target: object) -> Capability | None:
    """Give the capability that *target* itself carries, if it carries one; a subclass does not carry its base's.

    Raises:
        DeclarationError: it carries another object's, as a wrapper does that copied it.
    """
    return carried_by(target, CAPABILITY, Capability)


def capability_module(target: object) -> str | None:
    """Say which module declared the capability that *target* carries; `None` if it carries none."""
    return module_of(target, CAPABILITY)
