"""`@capability`: a named group of operations, on a class or on one function."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any, TypeVar

import attrs

from capdeco.codes import DECLARATION
from capdeco.declare.carry import CAPABILITY, attach, carried_by, declaring_module, module_of, unwrapped
from capdeco.declare.functions import is_method, place_of
from capdeco.declare.names import generated_name, identifier_fault, is_blank, tool_name_fault
from capdeco.declare.operations import Operation, operation_carried_by
from capdeco.errors import DeclarationError, Diagnostic, Place

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
            raise _refused(
                "operations",
                f'the capability "{self._id}" has no operations',
                "put @operation(steps=[...]) on a method, or below @capability on the function",
                place,
            )
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
    fault = identifier_fault(id, "a capability id")
    if fault or not isinstance(id, str):
        raise _refused("capability-id", str(fault), "choose another id", place)
    if is_blank(description) or not isinstance(description, str):
        raise _refused(
            "capability-description", f'the capability "{id}" has no description', "say what it is about", place
        )
    seen: set[str] = set()
    operations = tuple(operations)
    for each in operations:
        subject = f"{id}.{each.name}"
        if each.name in seen:
            raise _refused(
                "duplicate-operation",
                f'the capability "{id}" has two operations named "{each.name}", '
                f'and both would be the tool "{generated_name(id, each.name)}"',
                "rename one of them",
                each.place or place,
                subject,
            )
        seen.add(each.name)
        name = generated_name(id, each.name)
        fault = tool_name_fault(name)
        if fault:
            raise _refused(
                "generated-name",
                f'"{name}", the name that the operation "{each.name}" of "{id}" would have as a tool, is not a legal '
                f"one: {fault}",
                "shorten the id or the operation's name",
                each.place or place,
                subject,
            )
    return Capability(id=id, description=description, operations=operations, target=target, place=place, module=module)


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
                    raise _refused(
                        "target",
                        f'"{each.__name__}.{name}" takes no self, so its first parameter is none of the operation\'s',
                        "add self, or put @staticmethod below @operation",
                        record.place,
                    )
                found[name] = record
            elif name in found:
                if value is not None:
                    raise _refused(
                        "lost-decorator",
                        f'"{each.__name__}.{name}" overrides an operation and is none itself',
                        f"put @operation on it, or write `{name} = None` to take the operation away",
                        place_of(unwrapped(value)) or found[name].place,
                    )
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


def _refused(rule: str, what: str, fix: str, place: Place | None, subject: str = "") -> DeclarationError:
    return DeclarationError(Diagnostic(DECLARATION, what, fix, place=place, subject=subject, rule=rule))
