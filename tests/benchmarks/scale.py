"""Hosts of any size, for the questions about growth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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
