"""What the analyzer found: frozen records, the same for every language and framework."""

from __future__ import annotations

from typing import Literal, TypeAlias

import attrs

from capdeco.declare.wiring import Input
from capdeco.errors import Diagnostic, Place

Kind = Literal["primitive", "operation", "unclassified"]


@attrs.frozen
class Dynamic:
    """What the program computes when it runs: its source text, clipped, and never a guess at its value."""

    source: str = "?"


Text: TypeAlias = str | Dynamic


@attrs.frozen(kw_only=True)
class FoundTool:
    """One tool that the source registers or declares."""

    name: Text
    description: Text | None
    takes: Input
    framework: str
    place: Place
    exposed: bool = True
    """False: declared as internal, so that no model sees it."""
    bytes: int | None = None
    """What the tool costs in a listing, where that is known better than by `takes`."""


@attrs.frozen
class FoundStep:
    """One step of a declared operation."""

    tool: Text
    from_: Text | None


@attrs.frozen(kw_only=True)
class FoundOperation:
    """One operation of a declared capability."""

    name: str
    description: str
    steps: tuple[FoundStep, ...]
    place: Place


@attrs.frozen(kw_only=True)
class FoundCapability:
    """What is already declared, with its operations in order."""

    id: str
    description: str
    operations: tuple[FoundOperation, ...]
    place: Place


@attrs.frozen(order=True)
class Unread:
    """A file or folder that was not read, or not whole, and why."""

    path: str
    reason: str
    partly: bool = False
    """True: all but a part of it was read."""


@attrs.frozen(kw_only=True)
class Found:
    """Everything that one run found, in the order of the report."""

    source: str
    kind: Literal["folder", "listing"]
    tools: tuple[FoundTool, ...] = ()
    capabilities: tuple[FoundCapability, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    read: int = 0
    """Files read."""
    unread: tuple[Unread, ...] = ()
    other: int = 0
    """Files that are no source of a known language."""
    complete: bool = True
    """False: the time was up before everything was read."""
