"""The thing that is measured: an operation of two steps, by hand and by capdeco."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from typing_extensions import TypedDict

from capdeco import Binder, Call, EmbeddedHost, Step, capability, operation, tool
from capdeco.host.policy import ToolCall
from capdeco.result import Failure, Success

Outcome = Success | Failure


class Layout(TypedDict):
    columns: int


class Extracted(TypedDict):
    path: str
    text: str
    pages: int


class Blocks(TypedDict):
    columns: int
    blocks: list[int]


TEXT = "The quick brown fox jumps over the lazy dog. " * 8


@tool(expose=False)
async def pdf_extract(path: str) -> Extracted:
    """Extract the text layer."""
    return {"path": path, "text": TEXT, "pages": 3}


@tool(expose=False)
async def pdf_layout(columns: int) -> Blocks:
    """Compute layout blocks."""
    return {"columns": columns, "blocks": [1, 2, 3]}


@capability(id="pdf", description="Read a PDF.")
@operation(name="analyze", steps=[Step(pdf_extract), Step(pdf_layout, from_="layout")])
def pdf(path: str, layout: Layout) -> None:
    """Extract text and layout in one call."""


ARGUMENTS: dict[str, Any] = {"path": "a.pdf", "layout": {"columns": 2}}
VALUES: list[Any] = [{"path": "a.pdf", "text": TEXT, "pages": 3}, {"columns": 2, "blocks": [1, 2, 3]}]
"""What the two steps return, in each framework."""


async def bare() -> list[Any]:
    """Do it by hand: no registry, no policy, no copy."""
    return [await pdf_extract(ARGUMENTS["path"]), await pdf_layout(**ARGUMENTS["layout"])]


def bound(hooks: int = 0) -> EmbeddedHost:
    """Make a host with the operation, and with so many hooks of each kind."""
    host = EmbeddedHost()
    Binder(host).register(pdf, pdf_extract, pdf_layout)
    for _ in range(hooks):
        add_hooks(host)
    return host


def add_hooks(host: EmbeddedHost) -> None:
    """Add one hook of each kind that lets everything through."""

    @host.pre_execute
    async def gate(call: ToolCall) -> None:
        return None

    @host.guard
    def guard(call: ToolCall) -> None:
        return None

    @host.around
    async def around(call: ToolCall, proceed: Callable[[], Awaitable[Outcome]]) -> Outcome:
        return await proceed()

    @host.post_execute
    async def review(call: ToolCall, outcome: Outcome) -> None:
        return None

    @host.observe
    def observe(call: ToolCall, outcome: Outcome) -> None:
        return None


def call_of(host: EmbeddedHost) -> Callable[[], Awaitable[Outcome]]:
    """Give what makes one root call of the operation."""
    return lambda: host.invoke(Call("pdf_analyze", ARGUMENTS))
