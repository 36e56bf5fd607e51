"""Search over tools that are not shown: BM25 over names, descriptions and parameters, and the two tools for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

import attrs

from capdeco.declare.tools import Tool
from capdeco.errors import ToolError, did_you_mean
from capdeco.host.protocol import Context, ToolSpec
from capdeco.lab.extra import needs_extra

HITS = 5
"""How many tools a search shows unless more are asked for."""


@attrs.frozen
class Hit:
    """One tool that was found, with all that is needed to call it."""

    name: str
    description: str
    input_schema: dict[str, Any]


class Index:
    """An index over *specs*; ties go to the one listed first."""

    def __init__(self, specs: Iterable[ToolSpec]) -> None:
        with needs_extra("bm25s"):
            bm25s: Any = import_module("bm25s")  # part of an extra, and untyped

        self.specs = {spec.name: spec for spec in specs}
        self._tokenize = bm25s.tokenize
        self._ranking = bm25s.BM25()
        self._ranking.index(self._words([_text(spec) for spec in self.specs.values()]), show_progress=False)

    def search(self, query: str, limit: int = HITS) -> list[Hit]:
        """Give the tools that match *query*, best first; those without a common word are left out."""
        (words,) = self._words([query])
        if not words:
            return []
        scores = [float(score) for score in self._ranking.get_scores(words)]
        ranked = sorted(zip(scores, self.specs.values(), strict=True), key=lambda each: -each[0])
        return [
            Hit(spec.name, spec.description, dict(spec.input_schema)) for score, spec in ranked[:limit] if score > 0
        ]

    def _words(self, texts: list[str]) -> list[list[str]]:
        found: list[list[str]] = self._tokenize(texts, stopwords="en", return_ids=False, show_progress=False)
        return found


def search_tools(index: Index) -> list[Tool]:
    """Make the two tools that stand in front of what *index* holds: one to find, one to call."""

    async def tool_search(query: str, limit: int = HITS) -> list[Hit]:
        """Find tools by what they do; gives their names, descriptions and parameters."""
        return index.search(query, limit)

    async def tool_call(context: Context, name: str, arguments: dict[str, Any]) -> Any:
        """Call a tool that tool_search has found."""
        return await dispatched(context, name, arguments, index.specs)

    return [Tool.of(tool_search), Tool.of(tool_call, uses=index.specs)]


async def dispatched(context: Context, name: str, arguments: Mapping[str, Any], known: Iterable[str]) -> Any:
    """Call *name* under this call, and give its value.

    Raises:
        ToolError: it is not among *known*, or it failed: with its own message and code.
    """
    if name not in (names := list(known)):
        raise ToolError(f"there is no tool {name}; {did_you_mean(name, names, 'tools')}", code="UNKNOWN_TOOL")
    outcome = await context.dispatch(name, arguments)
    if not outcome.ok:
        raise ToolError(outcome.message, code=outcome.code)
    return outcome.value


def _text(spec: ToolSpec) -> str:
    parameters: Mapping[str, Any] = spec.input_schema.get("properties", {})
    about = [f"{name} {each.get('description', '')}" for name, each in parameters.items() if isinstance(each, dict)]
    return " ".join([spec.name.replace("_", " ").replace("-", " "), spec.description, *about])
