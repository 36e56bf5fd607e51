"""Event loops, asyncio's or trio's: which one runs here, and how a thread without one has a call run in another's."""

from __future__ import annotations

import asyncio
import concurrent.futures
import inspect
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeAlias

from capdeco.host.protocol import Call
from capdeco.result import Failure, Success

Invoke: TypeAlias = Callable[[Call], Awaitable[Success | Failure]]

_LOOKS_EVERY: Final = 0.1
"""Seconds. A loop that stops tells nobody who waits for it, so who waits looks whether it still runs."""


class LoopEnded(Exception):
    """The loop ended before the call did."""


def current_loop() -> Any:
    """Give the running loop's handle for other threads, or None: asyncio's loop, or trio's token."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        try:
            import trio  # noqa: PLC0415 - trio is optional

            return trio.lowlevel.current_trio_token()
        except (ImportError, RuntimeError):
            return None


def in_loop(loop: Any, invoke: Invoke, call: Call) -> Success | Failure | None:
    """Run *call* in *loop*, which belongs to another thread, and wait for it; `None`: *loop* does not run.

    Raises:
        LoopEnded: it stopped while the call ran, or before.
    """
    if isinstance(loop, asyncio.AbstractEventLoop):
        return _in_asyncio(loop, invoke, call) if loop.is_running() else None
    return None if loop is None else _in_trio(loop, invoke, call)


def _in_asyncio(loop: asyncio.AbstractEventLoop, invoke: Invoke, call: Call) -> Success | Failure:
    async def run() -> Success | Failure:
        return await invoke(call)

    coroutine = run()
    try:
        waiting = asyncio.run_coroutine_threadsafe(coroutine, loop)
    except RuntimeError:  # it was closed since
        coroutine.close()
        raise LoopEnded from None
    try:
        while True:
            try:
                return waiting.result(_LOOKS_EVERY)
            except concurrent.futures.CancelledError:
                raise LoopEnded from None
            except TimeoutError:
                if not loop.is_running() and not waiting.done():
                    raise LoopEnded from None
    finally:
        if inspect.getcoroutinestate(coroutine) == inspect.CORO_CREATED:
            coroutine.close()
        waiting.cancel()  # whoever gave up waiting, by an interrupt or because the loop stopped, wants no result


def _in_trio(token: Any, invoke: Invoke, call: Call) -> Success | Failure | None:
    import trio  # noqa: PLC0415 - only a host that was used under trio has its token

    try:
        return trio.from_thread.run(invoke, call, trio_token=token)
    except trio.RunFinishedError:
        return None  # before the call began
    except trio.Cancelled:
        raise LoopEnded from None
