"""Several calls at once: neighbouring parallel ones overlap, an exclusive one runs alone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from capdeco.host.protocol import Call
from capdeco.result import Failure, Success

Invoke = Callable[[Call], Awaitable[Success | Failure]]


async def invoke_all(
    invoke: Invoke, parallel: Callable[[Call], bool], calls: Sequence[Call], limit: int
) -> list[Success | Failure]:
    """Run *calls*, at most *limit* at once, and give their results in the order of the calls.

    Each call's class is asked when its turn comes, since the calls before it may have changed what it finds. What a
    call raises ends those that run with it, and comes out as itself.
    """
    results: dict[int, Success | Failure] = {}
    start = 0
    while start < len(calls):
        end = start
        while end < len(calls) and parallel(calls[end]):
            end += 1
        if end - start > 1 and limit > 1:
            await _overlap(invoke, calls, range(start, end), limit, results)
        else:
            end = start + 1
            results[start] = await invoke(calls[start])
        start = end
    return [results[index] for index in range(len(calls))]


async def _overlap(
    invoke: Invoke, calls: Sequence[Call], turns: range, limit: int, results: dict[int, Success | Failure]
) -> None:
    import anyio  # noqa: PLC0415 - only who overlaps calls needs it

    waiting = iter(turns)
    cancelled = anyio.get_cancelled_exc_class()
    raised: list[BaseException] = []

    async def work() -> None:
        for index in waiting:
            try:
                results[index] = await invoke(calls[index])
            except cancelled:
                raise
            except BaseException as error:  # noqa: BLE001 - raised below as itself, not in a group
                raised.append(error)
                group.cancel_scope.cancel()
                return

    async with anyio.create_task_group() as group:
        for _ in range(min(limit, len(turns))):
            group.start_soon(work)
    if raised:
        raise raised[0]
