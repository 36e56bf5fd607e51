"""What registering, listing and keeping many tools costs, beside other frameworks."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Awaitable, Callable
from time import process_time
from typing import Any

from capdeco import Binder, EmbeddedHost, Tool
from tests.benchmarks.peers import REGISTRIES, Registry
from tests.benchmarks.scale import seconds_per_operation, specs

OPERATIONS = (1_000, 10_000)
TOOLS = 2_000
TIMES = 10
"""How much faster than the fastest other framework registering a tool should be."""


async def measure() -> dict[str, Any]:
    """Ask all of it."""
    fewer, more = (seconds_per_operation(count) for count in OPERATIONS)
    ours = {"capdeco": _registry()}
    registries = {**ours, **{name: make() for name, make in REGISTRIES.items()}}
    per_tool = {name: _registering(registry) for name, registry in registries.items()}
    fastest = min(seconds for name, (seconds, _) in per_tool.items() if name != "capdeco")
    listing = {name: await _listing(registry.listing) for name, registry in registries.items()}
    per_scope = {name: _keeping(registry.scope) for name, registry in registries.items() if registry.scope}
    return {
        "microseconds per operation": {f"{OPERATIONS[0]:,}": _micro(fewer), f"{OPERATIONS[1]:,}": _micro(more)},
        "operations: growth": round(more / fewer, 2),
        "microseconds per function": {name: _micro(seconds) for name, (seconds, _) in per_tool.items()},
        "microseconds per ToolSpec": _micro(_per_spec()),
        "functions: times faster than the fastest": round(fastest / per_tool["capdeco"][0], 1),
        "operations: times faster than the fastest": round(fastest / more, 1),
        "target": TIMES,
        "bytes per tool": {name: size for name, (_, size) in per_tool.items()},
        "bytes per scope": per_scope,
        f"first listing of {TOOLS:,} tools, ms": {name: round(seconds * 1e3, 2) for name, seconds in listing.items()},
    }


def _registry() -> Registry:
    host = EmbeddedHost()
    binder = Binder(host)

    async def listing() -> object:
        return {name: (spec.description, spec.input_schema) for name, spec in host.catalog().items()}

    def scope(number: int) -> object:
        made = host.scope(f"agent {number}")
        host.restrict(scope=made, deny=[f"tool_{number}"])
        return made

    return Registry(lambda name, function: binder.register(Tool.of(function, name=name)), listing, scope)


def _function(number: int) -> Callable[..., Awaitable[str]]:
    async def function(path: str, columns: int = 1) -> str:
        """Read a page."""
        return path

    function.__qualname__ = function.__name__ = f"function_{number}"
    return function


def _registering(registry: Registry) -> tuple[float, int]:
    """Seconds and bytes per function."""
    functions = [_function(number) for number in range(TOOLS)]
    gc.collect()
    start = process_time()
    for number, function in enumerate(functions[: TOOLS // 2]):
        registry.add(f"tool_{number}", function)
    seconds = process_time() - start
    tracemalloc.start()
    for number, function in enumerate(functions[TOOLS // 2 :], start=TOOLS // 2):
        registry.add(f"tool_{number}", function)
    gc.collect()
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return seconds / (TOOLS // 2), size // (TOOLS // 2)


def _keeping(scope: Callable[[int], object], count: int = 500) -> int:
    """Bytes per scope."""
    kept = [scope(0)]
    gc.collect()
    tracemalloc.start()
    kept += [scope(number) for number in range(1, count)]
    gc.collect()
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return size // (count - 1)


async def _listing(listing: Callable[[], Awaitable[object]]) -> float:
    gc.collect()
    start = process_time()
    await listing()
    return process_time() - start


def _per_spec(count: int = 10_000) -> float:
    host = EmbeddedHost()
    made = list(specs(count))
    gc.collect()
    start = process_time()
    host.register(*made)
    return (process_time() - start) / count


def _micro(seconds: float) -> float:
    return round(seconds * 1e6, 1)
