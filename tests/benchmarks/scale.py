"""Hosts and plugins of any size, for the questions about growth."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from time import process_time
from typing import Any

from capdeco import Binder, Step, capability, operation, tool
from capdeco.host.protocol import Context, ToolSpec
from capdeco.host.registry import EmbeddedHost
from tests.benchmarks.composite import bound


async def echo(arguments: dict[str, Any], context: Context) -> Any:
    """Give back the text."""
    return arguments["text"]


def specs(count: int, prefix: str = "tool") -> Iterator[ToolSpec]:
    """Make *count* tools, each with a schema of its own."""
    for number in range(count):
        yield ToolSpec(
            name=f"{prefix}_{number}",
            description=f"Tool number {number}.",
            input_schema={
                "type": "object",
                "properties": {"text": {"type": "string", "description": f"Text number {number}."}},
                "required": ["text"],
                "additionalProperties": False,
            },
            body=echo,
        )


def host_with(tools: int = 0, scopes: int = 0) -> tuple[EmbeddedHost, Any]:
    """Make a host with the measured operation among other tools and masked scopes, and the scope to call from."""
    host = bound()
    host.register(*specs(tools))
    names = [f"tool_{number}" for number in range(min(tools, 10))]
    caller = None
    for number in range(scopes):
        caller = host.scope(f"agent {number}")
        host.restrict(scope=caller, deny=names)
    return host, caller


def seconds_per_operation(count: int) -> float:
    """Declare *count* operations and register them as one batch; give the processor seconds for each."""
    binder = Binder(EmbeddedHost())
    binder.register(read, render)
    functions = [_operation(number) for number in range(count)]
    gc.collect()
    start = process_time()
    binder.register(*(declare() for declare in functions))
    return (process_time() - start) / count


@tool(expose=False)
async def read(path: str) -> str:
    """Read a file."""
    return path


@tool(expose=False)
async def render(columns: int) -> str:
    """Render a page."""
    return str(columns)


def _operation(number: int) -> Callable[[], Any]:
    def declare() -> Any:
        @capability(id=f"capability_{number}", description="Reads and renders.")
        @operation(name="go", steps=[Step(read), Step(render)])
        def go(path: str, columns: int) -> None:
            """Read and render."""

        return go

    return declare
