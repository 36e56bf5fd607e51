"""Records ride on what they were attached to, and on nothing else."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import FrameType, MethodType
from typing import Any, Final, Protocol, TypeVar

from capdeco.codes import DECLARATION
from capdeco.errors import DeclarationError, Diagnostic, Place


class Record(Protocol):
    """What every attached record says."""

    @property
    def target(self) -> object:
        """What carries this record."""

    @property
    def place(self) -> Place | None:
        """Where it was declared."""


_OURS: Final = os.path.dirname(__file__) + os.sep


def declaring_module() -> str:
    """Name the module that a declaration belongs to: the one being imported, however it makes its declarations.

    What is declared while none is imported belongs to the module that asks for it.
    """
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OURS):
        frame = frame.f_back
    asking = str(frame.f_globals.get("__name__"))
    caller: FrameType | None = frame
    while caller is not None:
        name = str(caller.f_globals.get("__name__"))
        if caller.f_code.co_name == "<module>" and name != "__main__":
            return name
        caller = caller.f_back
    return asking


RecordT = TypeVar("RecordT", bound=Record)

TOOL: Final = "__capdeco_tool__"
OPERATION: Final = "__capdeco_operation__"
CAPABILITY: Final = "__capdeco_capability__"


def peek(target: object, attribute: str) -> Any:
    """Give the record of *target* itself, whether it can be used or not; `None` if it carries none, or only a copy."""
    target = target.__func__ if isinstance(target, staticmethod | classmethod | MethodType) else target
    record = _own(target).get(attribute)
    return record if record is not None and unwrapped(getattr(record, "target", None)) is target else None


def module_of(target: object, attribute: str) -> str | None:
    """Say which module declared the record under *attribute* that *target* itself holds, its own or a copy."""
    try:
        own = object.__getattribute__(
            target, "__dict__"
        )  # asked of anything in a module, so no code of its own may run
    except AttributeError:
        return None
    module = getattr(own.get(attribute), "module", None)
    return module if isinstance(module, str) else None


def carried_by(target: object, attribute: str, kind: type[RecordT]) -> RecordT | None:
    """Give the record that *target* itself carries; `None` if it carries none.

    Raises:
        DeclarationError: it carries another object's record, as a wrapper does that copied it.
    """
    record = _own(target).get(attribute)
    if record is None and isinstance(target, staticmethod | classmethod):
        target = target.__func__
        record = _own(target).get(attribute)
    if not isinstance(record, kind):
        return None
    if unwrapped(record.target) is not unwrapped(target):
        if isinstance(target, MethodType) and unwrapped(record.target) is target.__func__:
            raise of_an_object(kind.__name__.lower(), target, record.place)
        raise lost(f"@{kind.__name__.lower()}", getattr(target, "__name__", repr(target)), record.place)
    return record


def lost(decorator: str, name: str, place: Place | None) -> DeclarationError:
    """Make the error for a record that ended up on a wrapper."""
    return DeclarationError(
        Diagnostic(
            DECLARATION,
            f'{decorator} was lost: "{name}" is a wrapper around what {decorator} was put on',
            f"put {decorator} above the decorator that wraps the function",
            place=place,
            rule="lost-decorator",
        )
    )


def of_an_object(kind: str, method: MethodType, place: Place | None) -> DeclarationError:
    """Make the error for the method of an object, where its class carries the record."""
    name = method.__name__
    what, fix = f'"{name}" is a method of an object, and its @{kind} is the class\'s', "give the class"
    if kind == "tool":
        fix = f'declare it, as in {name.upper()} = Tool.of(instance.{name}, name="{name}"), and give {name.upper()}'
    return DeclarationError(Diagnostic(DECLARATION, what, fix, place=place, rule="target"))


def twice(name: str, decorators: str, place: Place | None) -> DeclarationError:
    """Make the error for an object that carries what goes on it once."""
    what = f'"{name}" has {decorators}: it is declared once'
    return DeclarationError(Diagnostic(DECLARATION, what, "remove one", place=place, rule="lost-decorator"))


def unwrapped(target: object) -> object:
    """Give the function in a static or class method: Python lets decorators stand on either side of those."""
    if isinstance(target, staticmethod | classmethod):
        return target.__func__
    # What `Owner.method` gives for a class method.
    return target.__func__ if isinstance(target, MethodType) and isinstance(target.__self__, type) else target


def attach(target: Callable[..., Any] | type, attribute: str, record: object) -> None:
    """Attach *record*.

    Raises:
        DeclarationError: *target* takes no attributes, or already carries such a record.
    """
    if attribute in _own(target) and unwrapped(getattr(_own(target)[attribute], "target", None)) is unwrapped(target):
        kind = type(record).__name__.lower()
        raise twice(getattr(target, "__name__", repr(target)), f"@{kind} twice", getattr(record, "place", None))
    try:
        setattr(target, attribute, record)
        if isinstance(target, staticmethod | classmethod):
            setattr(target.__func__, attribute, record)  # all that is left of it where it is looked up on its class
    except (AttributeError, TypeError):
        raise _refused(
            f"{target!r} cannot carry a declaration: it takes no attributes",
            "declare it with Tool.of(callable, name=...), or wrap it in a function",
            record,
        ) from None


def _refused(what: str, fix: str, record: object) -> DeclarationError:
    place = getattr(record, "place", None)
    return DeclarationError(Diagnostic(DECLARATION, what, fix, place=place, rule="target"))


def _own(target: object) -> dict[str, object]:
    # vars(), not getattr: what a base class or a wrapped function carries is theirs.
    found = getattr(target, "__dict__", None)
    return dict(found) if found is not None else {}
