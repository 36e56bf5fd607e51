"""Does a dispatch cost the same whatever else the host holds? It should."""

from __future__ import annotations

from typing import Any

from capdeco import Call
from tests.benchmarks.composite import ARGUMENTS
from tests.benchmarks.scale import host_with
from tests.benchmarks.timing import Run, medians

TOOLS = (10, 1_000, 100_000)
SCOPES = (1, 1_000, 10_000)
TARGET = 1.2


async def measure() -> dict[str, Any]:
    """Time the operation in hosts of different sizes."""
    by_tools = {str(tools): calling(tools=tools) for tools in TOOLS}
    by_scopes = {str(scopes): calling(tools=10, scopes=scopes) for scopes in SCOPES}
    answers: dict[str, Any] = {}
    for name, contenders in (("tools", by_tools), ("masked scopes", by_scopes)):
        seconds = await medians(contenders)
        ratio = max(seconds.values()) / min(seconds.values())
        microseconds = {size: round(each * 1e6, 2) for size, each in seconds.items()}
        answers[name] = {"microseconds": microseconds, "largest ratio": round(ratio, 3), "met": ratio <= TARGET}
    return answers


def calling(tools: int, scopes: int = 0) -> Run:
    """Give what calls the operation in a host with so many tools and masked scopes."""
    host, caller = host_with(tools, scopes)
    return lambda: host.invoke(Call("pdf_analyze", ARGUMENTS, scope=caller))
