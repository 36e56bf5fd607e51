"""What a binder gives back: handles that undo exactly what was added, and rows that say what is bound."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Self

import attrs

from capdeco.batch import BoundOperation
from capdeco.declare.capabilities import Capability
from capdeco.errors import BindError
from capdeco.host.protocol import Registration, Scope
from capdeco.watching import ImportWatch


@attrs.frozen
class Bound:
    """One row of `Binder.list()`."""

    id: str
    description: str
    tools: tuple[str, ...]


@attrs.define(eq=False)
class BinderRegistration:
    """What one `register` or `load` added; closing it takes away exactly that."""

    _inner: Registration
    _forget: Callable[[BinderRegistration], None]
    capabilities: tuple[Capability, ...]
    tools: tuple[str, ...]
    scope: Scope | None
    bound: tuple[BoundOperation, ...] = attrs.field(repr=False)

    @property
    def closed(self) -> bool:
        """Whether it was closed, or its scope has ended."""
        return self._inner.closed

    def close(self) -> None:
        """Withdraw it; twice is fine."""
        self._forget(self)
        self._inner.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@attrs.define(eq=False)
class ImportRegistration:
    """What watches imports; closing it stops that, and takes away what was bound by it."""

    _watch: ImportWatch
    _loaded: list[BinderRegistration]
    closed: bool = attrs.field(default=False, init=False)

    def close(self) -> None:
        """Stop watching and withdraw; twice is fine."""
        self.closed = True
        self._watch.stop()
        for registration in self._loaded:
            registration.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@attrs.frozen(eq=False)
class Plugin:
    """How one installed plugin was loaded: its registrations, or the error for which it was withdrawn."""

    name: str
    version: str
    registrations: tuple[BinderRegistration, ...]
    error: BindError | None

    def close(self) -> None:
        """Unload it from the running host; twice is fine."""
        for registration in reversed(self.registrations):
            registration.close()


@attrs.frozen(eq=False)
class Plugins:
    """What `load_installed` did: the plugins of the profile in its order, and all names that are installed."""

    loaded: tuple[Plugin, ...]
    installed: tuple[str, ...]

    def close(self) -> None:
        """Unload them all, last one first; twice is fine."""
        for plugin in reversed(self.loaded):
            plugin.close()
