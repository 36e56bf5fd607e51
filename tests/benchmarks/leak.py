"""Does anything stay behind? 100,000 dispatches of every kind of end, and what is allocated after them."""

from __future__ import annotations

import gc
import tracemalloc
from typing import Any

from capdeco import Call
from capdeco.host.registry import EmbeddedHost
from capdeco.host.signal import Signal
from tests.benchmarks.composite import ARGUMENTS, bound

DISPATCHES = 100_000


async def measure() -> dict[str, Any]:
    """Compare what is allocated before and after."""
    host = bound(hooks=1)
    signal = Signal()
    await rounds(host, signal, 1_000)
    tracemalloc.start()
    before = allocated()
    await rounds(host, signal, DISPATCHES // 10)
    middle = allocated()
    await rounds(host, signal, DISPATCHES)
    after = allocated()
    tracemalloc.stop()
    return {"bytes after 10,000": middle - before, f"bytes after {DISPATCHES:,} more": after - middle}


async def rounds(host: EmbeddedHost, signal: Signal, dispatches: int) -> None:
    """Dispatch so often, in scopes that end, with every kind of end."""
    # Three dispatches in an operation that succeeds, one in each call that fails.
    for _ in range(dispatches // 5):
        with host.scope("agent") as agent:
            await host.invoke(Call("pdf_analyze", ARGUMENTS, scope=agent, signal=signal))
            await host.invoke(Call("pdf_analyze", {"path": 1}, scope=agent, signal=signal))
            await host.invoke(Call("nothing", scope=agent, signal=signal))


def allocated() -> int:
    """Bytes that are allocated now, of what was traced."""
    gc.collect()
    return tracemalloc.get_traced_memory()[0]
