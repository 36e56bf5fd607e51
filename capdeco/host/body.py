"""Running a body that needs more than an await: a thread for a sync one, a time budget, or both.

Only here, and only then, is anyio imported.
"""

from __future__ import annotations

import inspect
import threading
from typing import TYPE_CHECKING, Any, Final

from capdeco.errors import ToolError
from capdeco.host.signal import loop_entry

if TYPE_CHECKING:
    from capdeco.host.frame import BodyContext
    from capdeco.host.prepared import PreparedTool

TOOL_TIMEOUT: Final = "TOOL_TIMEOUT"


async def run_body(tool: PreparedTool, arguments: Any, context: BodyContext, budget: float | None) -> Any:
    """Run the body of *tool* within *budget* seconds; `None` is without end.

    Raises:
        ToolError: the time was up (`TOOL_TIMEOUT`).
    """
    if tool.is_async or not tool.spec.blocking:
        return await _in_loop(tool, arguments, context, budget)
    value = await _in_thread(tool, arguments, context, budget)
    # A plain function may hand back a coroutine, say a lambda around an async one: that part belongs to the loop.
    return await value if inspect.isawaitable(value) else value


async def _in_loop(tool: PreparedTool, arguments: Any, context: BodyContext, budget: float | None) -> Any:
    if budget is None:
        value = tool.body(arguments, context)
        return await value if inspect.isawaitable(value) else value
    import anyio  # noqa: PLC0415

    with anyio.move_on_after(budget) as limit:
        try:
            value = tool.body(arguments, context)
            value = await value if inspect.isawaitable(value) else value
        except Exception:
            if limit.cancel_called:
                raise _timed_out(tool, budget) from None
            raise
        # A body that did not await, or that shielded itself, ends late but is not cancelled.
        late = limit.cancel_called or anyio.current_time() >= limit.deadline
        if not late:
            return value
    raise _timed_out(tool, budget)


async def _in_thread(tool: PreparedTool, arguments: Any, context: BodyContext, budget: float | None) -> Any:
    """Run a sync body in a thread, and wait for it whatever happens: a thread cannot be stopped, only asked.

    It is asked through its signal when the time is up, and when the task is cancelled.
    """
    import anyio  # noqa: PLC0415
    import anyio.lowlevel  # noqa: PLC0415
    import anyio.to_thread  # noqa: PLC0415

    signal = context.signal
    finished = anyio.Event()
    soon = loop_entry()
    answer: list[Any] = []
    errors: list[BaseException] = []
    expired = False
    turn = threading.Lock()  # whoever takes it first decides: the thread begins, or it is given up before it began

    def work() -> None:
        if not turn.acquire(blocking=False):
            return
        try:
            answer.append(tool.body(arguments, context))
        except BaseException as error:  # noqa: BLE001 - carried over to the loop: the body's failure, or a KeyboardInterrupt
            errors.append(error)
        finally:
            soon(finished.set)

    async def ask_to_stop() -> None:
        nonlocal expired
        try:
            await (anyio.sleep_forever() if budget is None else anyio.sleep(budget))
            expired = True
        finally:
            if not finished.is_set():
                signal.set()

    async with anyio.create_task_group() as group:
        group.start_soon(ask_to_stop)
        try:
            # A body never waits for another's thread: that one may be waiting for it. So each has a limiter of its
            # own, and there are as many threads as calls at once; anyio reuses them, and ends those that idle.
            await anyio.to_thread.run_sync(work, limiter=anyio.CapacityLimiter(1))
        except Exception as error:  # noqa: BLE001 - what the body raises is in `errors` already: no thread was started
            errors.append(RuntimeError(f"{tool.name} has no thread to run in: {error}"))
        except BaseException:
            # asyncio's own Task.cancel passes anyio's shield: the thread still runs, and this call still waits for it.
            signal.set()
            if not turn.acquire(blocking=False):
                await _outlast(finished)
            raise
        finished.set()
        group.cancel_scope.cancel()
    # Who was cancelled while the thread was waited for is told now: what the thread returned comes too late.
    await anyio.lowlevel.checkpoint_if_cancelled()
    if expired and budget is not None:
        raise _timed_out(tool, budget)
    if errors:
        raise errors[0]
    return answer[0]


async def _outlast(finished: Any) -> None:
    import anyio  # noqa: PLC0415

    cancelled = anyio.get_cancelled_exc_class()
    while not finished.is_set():
        try:
            with anyio.CancelScope(shield=True):
                await finished.wait()
        except cancelled:
            continue  # asked once more to stop; the caller re-raises the first request when the thread is done


def _timed_out(tool: PreparedTool, budget: float) -> ToolError:
    return ToolError(f"{tool.name} timed out after {budget:g} s", TOOL_TIMEOUT)
