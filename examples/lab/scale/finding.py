"""In a script: reach a tool through search, as an agent does that knows what it wants and not what it is called."""

from __future__ import annotations

from collections.abc import Collection, Generator, Sequence
from typing import Any

from capdeco.lab.driver import Reply, Request, call


def find_and_call(
    queries: Sequence[str], wanted: Collection[str], arguments: dict[str, Any]
) -> Generator[tuple[Request, ...], tuple[Reply, ...], tuple[str, Reply] | None]:
    """Search with one query after the other until one of *wanted* is shown, and call the first that is.

    Returns:
        The name of what was called and its reply; `None` if no query showed one.
    """
    for query in queries:
        hits = (yield from call("tool_search", query=query)).value
        name = next((hit["name"] for hit in hits if hit["name"] in wanted), None)
        if name is not None:
            return name, (yield from call("tool_call", name=name, arguments=arguments))
    return None
