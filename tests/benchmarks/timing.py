"""Time things beside each other: they take turns, and each is what its median says.

It is processor time: what else the machine does is nobody's fault here, and nothing that is timed waits.
"""

from __future__ import annotations

import gc
import statistics
from collections.abc import Awaitable, Callable, Mapping
from time import process_time

Run = Callable[[], Awaitable[object]]

ROUNDS = 21
SLICE = 0.03
"""Seconds that one contender runs before it is the next one's turn."""


async def medians(contenders: Mapping[str, Run], rounds: int = ROUNDS) -> dict[str, float]:
    """Run *contenders* in turns, and give the median processor seconds of one run of each."""
    sizes = {name: await _fitting(run) for name, run in contenders.items()}
    times: dict[str, list[float]] = {name: [] for name in contenders}
    names = list(contenders)
    gc.collect()
    gc.freeze()  # what the frameworks hold is collected at nobody's expense
    for turn in range(rounds):
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            run, size = contenders[name], sizes[name]
            start = process_time()
            for _ in range(size):
                await run()
            times[name].append((process_time() - start) / size)
    gc.unfreeze()
    return {name: statistics.median(each) for name, each in times.items()}


async def _fitting(run: Run) -> int:
    """How many runs fill a slice. It also warms up."""
    size = 1
    while True:
        start = process_time()
        for _ in range(size):
            await run()
        spent = process_time() - start
        if spent > SLICE / 2:
            return max(1, round(size * SLICE / spent))
        size *= 2
