"""A cancellation signal: set once, from any thread, and seen by everybody who holds it."""

from __future__ import annotations

import asyncio
import logging
import threading
import weakref
from collections.abc import Callable
from typing import Any, Final

_log: Final = logging.getLogger("capdeco.host")
_lock: Final = threading.Lock()  # held for a few instructions at a time, so one serves all signals


class Signal:
    """Cooperative cancellation. Setting it asks the work to stop; the work decides when it has.

    Listeners run once, in the thread that sets the signal; one added late runs at once.
    """

    __slots__ = ("__weakref__", "_listeners", "_set")

    def __init__(self) -> None:
        self._set = False
        self._listeners: dict[object, Callable[[], object]] | None = None

    @property
    def is_set(self) -> bool:
        """Say whether the work was asked to stop."""
        return self._set

    def set(self) -> None:
        """Ask everybody who holds this signal to stop; more than once is fine. A listener that fails is logged."""
        with _lock:
            self._set = True
            listeners, self._listeners = self._listeners, None
        for listener in (listeners or {}).values():
            _tell(listener)

    def on_set(self, listener: Callable[[], object]) -> Callable[[], None]:
        """Call *listener* when the signal is set; returns what takes it off again."""
        key = object()
        with _lock:
            if not self._set:
                self._listeners = self._listeners or {}
                self._listeners[key] = listener
                return lambda: self._off(key)
        _tell(listener)
        return _nothing

    def _off(self, key: object) -> None:
        with _lock:
            if self._listeners:
                self._listeners.pop(key, None)

    async def wait(self) -> None:
        """Return as soon as the signal is set."""
        import anyio  # noqa: PLC0415 - most signals are never waited for

        event = anyio.Event()
        soon = loop_entry()
        off = self.on_set(lambda: soon(event.set))
        try:
            await event.wait()
        finally:
            off()


def following(*signals: Signal | None) -> Signal:
    """Make a signal that is set when one of *signals* is, and that sets none of them."""
    follower = Signal()
    reference = weakref.ref(follower)

    def pass_on() -> None:
        alive = reference()
        if alive is not None:
            alive.set()

    for signal in signals:
        if signal is not None:
            # A caller may use one signal for a thousand calls: the follower must not outlive its own.
            weakref.finalize(follower, signal.on_set(pass_on)).atexit = False
    return follower


def loop_entry() -> Callable[[Callable[[], Any]], object]:
    """Give what runs a function soon in the running event loop, from any thread."""
    try:
        return asyncio.get_running_loop().call_soon_threadsafe
    except RuntimeError:
        import trio  # noqa: PLC0415 - trio is optional

        return trio.lowlevel.current_trio_token().run_sync_soon


def _tell(listener: Callable[[], object]) -> None:
    # Whatever one of them does, say because its event loop has ended: the others are to stop.
    try:
        listener()
    except (Exception, SystemExit):  # noqa: BLE001 - logged, whatever it is
        _log.exception("%r, which listens to a cancellation signal, broke and is ignored", listener)


def _nothing() -> None:
    return None
