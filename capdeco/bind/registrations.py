"""What a binder gives back: handles that undo exactly what was added, and rows that say what is bound."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Self

import attrs

from capdeco.bind.batch import BoundOperation
from capdeco.bind.watching import ImportWatch
from capdeco.declare.capabilities import Capability
from capdeco.errors import BindError
from capdeco.host.protocol import Registration, Scope


@attrs.frozen
class Bound:
    """One row of `Binder.list()`."""

    id: str
    description: str
    tools: tuple[str, ...]


@attrs.define(eq=False)
class Handle:
    """What a binder gave back: closing it takes away exactly what it added."""

    _inner: Registration
    _forget: Callable[[Handle], None]
    scope: Scope | None

    @property
    def closed(self) -> bool:
        """Whether it was closed, or its scope has ended."""
        return self._inner.closed

    def close(self) -> None:
        """Withdraw it; twice is fine."""
        # Forgotten first: what goes with it is no fault that anybody should hear of.
        self._forget(self)
        self._inner.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@attrs.define(eq=False)
class BinderRegistration(Handle):
    """What one `register` or `load` added."""

    capabilities: tuple[Capability, ...]
    tools: tuple[str, ...]
    bound: tuple[BoundOperation, ...] = attrs.field(repr=False)


@attrs.define(eq=False)
class ImportRegistration(Handle):
    """What watches imports; closing it stops that, and takes away what was bound by it."""

    _watch: ImportWatch
    _loaded: list[BinderRegistration]

    @property
    def registrations(self) -> tuple[BinderRegistration, ...]:
        """What was bound by it until now."""
        return tuple(self._loaded)

    def close(self) -> None:
        """Stop watching and withdraw; twice is fine."""
        self._watch.stop()
        super().close()
        for registration in reversed(self._loaded):
            registration.close()


@attrs.frozen(eq=False)
class Plugin:
    """How one installed plugin was loaded: what it added, or the error for which it was withdrawn."""

    name: str
    version: str
    _added: tuple[Handle, ...]
    error: BindError | None

    @property
    def registrations(self) -> tuple[BinderRegistration, ...]:
        """What it registered, and what was bound by the imports that it watches."""
        found: list[BinderRegistration] = []
        for each in self._added:
            if isinstance(each, BinderRegistration):
                found.append(each)
            elif isinstance(each, ImportRegistration):
                found += each.registrations
        return tuple(found)

    def close(self) -> None:
        """Unload it from the running host, its watches too; twice is fine."""
        for each in reversed(self._added):
            each.close()


@attrs.frozen(eq=False)
class Plugins:
    """What `load_installed` did: the plugins of the profile in its order, and all names that are installed."""

    loaded: tuple[Plugin, ...]
    installed: tuple[str, ...]

    def close(self) -> None:
        """Unload them all, last one first; twice is fine."""
        for plugin in reversed(self.loaded):
            plugin.close()
