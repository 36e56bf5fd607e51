"""A scope of the embedded host: a layer, in practice one agent's, and the end of all that was registered through it."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from types import TracebackType
from typing import Self

from capdeco.host.visibility import Layer


class EmbeddedScope:
    """Opaque but for its name and parent. Closing it ends what was registered through it; running calls settle.

    The scopes over it end with it: without its masks and guards they would be allowed more than before.
    """

    __slots__ = ("__weakref__", "_children", "_end", "_host", "_layer", "_name", "_parent")

    def __init__(
        self, name: str, parent: EmbeddedScope | None, host: object, end: Callable[[EmbeddedScope], None]
    ) -> None:
        self._name = name
        self._parent = parent
        self._layer: Layer = Layer(self, None if parent is None else parent._layer)
        self._host = host
        self._end = end
        # Weak: whoever opens a thousand scopes and drops them keeps none. In their order, since others hear of the end.
        self._children: weakref.WeakKeyDictionary[EmbeddedScope, None] = weakref.WeakKeyDictionary()
        if parent is not None:
            parent._children[self] = None

    def __repr__(self) -> str:
        return f"<scope {self._name}{' (ended)' if self.closed else ''}>"

    @property
    def name(self) -> str:
        """How people call it; two scopes of one name are two."""
        return self._name

    @property
    def parent(self) -> EmbeddedScope | None:
        """The scope that this one lies over, between it and the global layer."""
        return self._parent

    @property
    def closed(self) -> bool:
        """Say whether the scope has ended."""
        return self._layer.ended

    def close(self) -> None:
        """End the scope and those over it: nothing is seen or reached through them any more. Twice is fine."""
        if not self._layer.ended:
            self._layer.end()
            for child in reversed(list(self._children)):
                child.close()
            self._end(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self.close()
