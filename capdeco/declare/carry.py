"""Records ride on what they were attached to, and on nothing else."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import FrameType, MethodType
from typing import Any, Final, Protocol, TypeVar

from capdeco.declare import faults
from capdeco.errors import Place


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
            raise faults.of_an_object(kind.__name__.lower(), target.__name__).error(record.place)
        name, word = getattr(target, "__name__", repr(target)), f"@{kind.__name__.lower()}"
        flaw = faults.remade(name) if isinstance(target, type) else faults.lost(word, name)
        raise flaw.error(record.place)
    return record


def shown(target: object) -> str:
    """Name what should have been a function or a tool."""
    name = getattr(target, "__name__", None)
    return f'"{name}"' if isinstance(name, str) else repr(target)


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
        word = f"@{type(record).__name__.lower()}"
        name = getattr(target, "__name__", repr(target))
        raise faults.declared_twice(name, word, word).error(getattr(record, "place", None))
    try:
        setattr(target, attribute, record)
        if isinstance(target, staticmethod | classmethod):
            setattr(target.__func__, attribute, record)  # all that is left of it where it is looked up on its class
    except (AttributeError, TypeError):
        raise faults.takes_no_attributes(repr(target)).error(getattr(record, "place", None)) from None


def _own(target: object) -> dict[str, object]:
    # vars(), not getattr: what a base class or a wrapped function carries is theirs.
    found = getattr(target, "__dict__", None)
    return dict(found) if found is not None else {}
