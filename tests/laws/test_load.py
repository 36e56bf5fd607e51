"""A storm of calls, smaller than the benchmark's: everyone is answered once, and nothing stays behind."""

from __future__ import annotations

import gc
import tracemalloc

import anyio
import pytest

from capdeco.host.registry import EmbeddedHost
from tests.benchmarks.leak import allocated
from tests.benchmarks.load import storm


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_every_call_is_answered_exactly_once_and_as_it_should(backend: str) -> None:
    answers = anyio.run(storm, EmbeddedHost(), 600, 20, backend=backend)
    assert len(answers.expected) == 600
    answers.check()


async def test_memory_goes_back_to_where_it_was() -> None:
    host = EmbeddedHost()
    await storm(host, 120, 10)
    gc.collect()
    tracemalloc.start()
    try:
        await storm(host, 120, 10)
        before = allocated()
        for _ in range(5):
            await storm(host, 120, 10)
        # Were anything of a call or a scope left, it would be more than this for 600 and 50 of them.
        assert allocated() - before < 20_000
    finally:
        tracemalloc.stop()
