"""What must not grow does not, and what may grow grows in proportion; the ratios leave room for a busy machine."""

from __future__ import annotations

import gc
import tracemalloc

from capdeco.host.signal import Signal
from tests.benchmarks import flatness, leak, payload
from tests.benchmarks.composite import bound
from tests.benchmarks.scale import seconds_per_operation
from tests.benchmarks.timing import medians


async def test_a_dispatch_costs_the_same_whatever_else_the_host_holds() -> None:
    seconds = await medians(
        {
            "few tools": flatness.calling(tools=10),
            "many tools": flatness.calling(tools=5_000),
            "few scopes": flatness.calling(tools=10, scopes=1),
            "many scopes": flatness.calling(tools=10, scopes=1_000),
        },
        rounds=7,
    )
    assert seconds["many tools"] <= 2 * seconds["few tools"]
    assert seconds["many scopes"] <= 2 * seconds["few scopes"]


async def test_a_result_ten_times_as_large_costs_about_ten_times_as_much() -> None:
    host = payload.bulk_host()
    seconds = await medians({str(size): payload.calling(host, size) for size in (100_000, 1_000_000)}, rounds=7)
    assert seconds["1000000"] <= 2 * 10 * seconds["100000"]


def test_registering_is_linear_in_the_number_of_operations() -> None:
    seconds_per_operation(100)
    few, many = (min(seconds_per_operation(count) for _ in range(2)) for count in (100, 1_000))
    assert many <= 3 * few


async def test_dispatches_leave_nothing_behind() -> None:
    host, signal = bound(hooks=1), Signal()
    await leak.rounds(host, signal, 500)
    gc.collect()
    tracemalloc.start()
    try:
        before = leak.allocated()
        await leak.rounds(host, signal, 3_000)
        # One small object for each dispatch would be more than this.
        assert leak.allocated() - before < 3_000 * 16
    finally:
        tracemalloc.stop()
