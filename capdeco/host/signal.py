"""A cancellation signal: set once, from any thread, and seen by everybody who holds it."""

from __future__ import annotations

from collections.abc import Callable


class Signal:
    """Cooperative cancellation. Setting it asks the work to stop; the work decides when it has.

    Listeners run once, in the thread that sets the signal; one added late runs at once.
    """

    __slots__ = ("_listeners", "_set")

    def __init__(self) -> None:
        self._set = False
        self._listeners: list[Callable[[], object]] = []

    @property
    def is_set(self) -> bool:
        return self._set

    def set(self) -> None:
        """Ask everybody who holds this signal to stop; more than once is fine."""
        if self._set:
            return
        self._set = True
        listeners, self._listeners = self._listeners, []
        for listener in listeners:
            listener()

    def on_set(self, listener: Callable[[], object]) -> Callable[[], None]:
        """Call *listener* when the signal is set; returns what takes it off again."""
        if self._set:
            listener()
            return _nothing
        self._listeners.append(listener)

        def off() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return off


def _nothing() -> None:
    return None
