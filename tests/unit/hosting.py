"""Small tools and hosts for the tests of the embedded host."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from capdeco.bind.binder import Binder
from capdeco.host.protocol import Call, Context, ToolSpec
from capdeco.host.registry import EmbeddedHost
from capdeco.host.signal import Signal
from capdeco.result import Failure, Success

OBJECT = {"type": "object"}
Outcome = Success | Failure


async def echo(arguments: dict[str, Any], context: Context) -> Any:
    return {"echo": arguments}


def tool(name: str, body: Callable[..., Any] = echo, **facts: Any) -> ToolSpec:
    return ToolSpec(**{"name": name, "description": f"Do {name}.", "input_schema": OBJECT, "body": body, **facts})


def host_with(*names: str, **facts: Any) -> EmbeddedHost:
    host = EmbeddedHost()
    host.register(*(tool(name, **facts) for name in names))
    return host


def declare(host: EmbeddedHost, *steps: str, capability: str = "run", operation: str = "all", scope: Any = None) -> Any:
    """Bind `run_all` over *steps*, each given the whole input."""
    return Binder(host, check_wiring=False).register(
        {
            "id": capability,
            "description": "Run things.",
            "operations": [
                {"name": operation, "description": "Run them all.", "steps": [{"tool": step} for step in steps]}
            ],
        },
        scope=scope,
    )


async def call(
    host: EmbeddedHost, name: str, /, scope: Any = None, signal: Signal | None = None, **arguments: Any
) -> Any:
    return await host.invoke(Call(name=name, arguments=arguments, scope=scope, signal=signal))


def naive(*bodies: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """The composite that nobody should write: it calls the functions, past the host."""

    async def body(arguments: dict[str, Any], context: Context) -> Any:
        return {"steps": [await each(arguments, context) for each in bodies]}

    return body
