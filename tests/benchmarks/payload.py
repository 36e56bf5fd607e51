"""How the cost of an operation grows with what its steps return: linearly, and with what one copy costs beside it."""

from __future__ import annotations

from typing import Any

import msgspec

from capdeco import Binder, Call, EmbeddedHost, Step, capability, operation, tool
from tests.benchmarks.timing import Run, medians

SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)


@tool(expose=False)
async def produce(size: int) -> list[str]:
    """Make rows of about so many bytes."""
    return ROWS[size]


@capability(id="bulk", description="Large results.")
@operation(name="get", steps=[Step(produce)])
def bulk(size: int) -> None:
    """Get a result of that size."""


ROWS = {size: ["x" * 97] * (size // 100) for size in SIZES}


async def measure() -> dict[str, Any]:
    """Time the operation for each size, and beside it one encoding and decoding of the same value."""
    host = bulk_host()
    seconds = await medians({**{f"operation {size}": calling(host, size) for size in SIZES}, **_copies()}, rounds=7)
    rows = {
        size: {
            "microseconds": round(seconds[f"operation {size}"] * 1e6, 1),
            "nanoseconds per byte": round(seconds[f"operation {size}"] * 1e9 / size, 2),
            "of one encoding and decoding": round(seconds[f"operation {size}"] / seconds[f"copy {size}"], 2),
        }
        for size in SIZES
    }
    return {"by size": rows, "10 MB to 1 MB": round(seconds["operation 10000000"] / seconds["operation 1000000"], 2)}


def bulk_host() -> EmbeddedHost:
    """Make a host with the operation."""
    host = EmbeddedHost()
    Binder(host).register(bulk, produce)
    return host


def calling(host: EmbeddedHost, size: int) -> Run:
    """Give what calls it for a result of so many bytes."""
    return lambda: host.invoke(Call("bulk_get", {"size": size}))


def _copies() -> dict[str, Run]:
    def copying(size: int) -> Run:
        async def copy() -> object:
            return msgspec.json.decode(msgspec.json.encode(ROWS[size]))

        return copy

    return {f"copy {size}": copying(size) for size in SIZES}
