"""The handle to one registration: closing it undoes exactly that one, once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


class Undo:
    """What a registration added, and what takes it away again."""

    __slots__ = ("__weakref__", "_names", "_undo")

    def __init__(self, undo: Callable[[], object], *names: str) -> None:
        self._undo: Callable[[], object] | None = undo
        self._names = names
        """What was added, for people."""

    def __repr__(self) -> str:
        what = f" of {', '.join(self._names)}" if self._names else ""
        return f"<registration{what}{' (closed)' if self.closed else ''}>"

    @property
    def closed(self) -> bool:
        """Say whether it was taken away, by `close` or with its scope."""
        return self._undo is None

    def close(self) -> None:
        """Take away what was added; a second time does nothing."""
        undo, self._undo = self._undo, None
        if undo is not None:
            undo()

    def and_then(self, more: Callable[[], object]) -> Self:
        """Let closing do *more*, after what it does already."""
        undo = self._undo
        if undo is not None:
            self._undo = lambda: (undo(), more())
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self.close()


class HookRegistration(Undo, Generic[F]):
    """A hook's registration, and still the function: `@host.guard` leaves a name that can be called and closed."""

    __slots__ = ("__dict__", "function")
    __name__: str

    def __init__(self, function: F, undo: Callable[[], object], *names: str) -> None:
        super().__init__(undo, *names)
        self.function: F = function
        functools.update_wrapper(self, function, updated=())  # what an object that is called holds stays its own

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function as it was."""
        return self.function(*args, **kwargs)
