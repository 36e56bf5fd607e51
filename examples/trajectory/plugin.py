"""Four tools on the audit that a host writes: one JSON line for each finished dispatch, in order of finishing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import attrs
import msgspec

from capdeco import Doc, ToolError, tool

AuditFile = Annotated[str, Doc("Path of the audit file.")]
Query = Annotated[str, Doc("Text that the line must hold: a tool, a call id, a code, an outcome.")]


@attrs.frozen
class Entry:
    """What is read of one line; a host may write more."""

    tool: str
    call: str
    root: str
    nested: bool
    scope: str | None
    outcome: Literal["failure", "success"]
    code: str | None


@attrs.frozen
class Session:
    """What one scope asked for; the global layer counts as one."""

    scope: str
    root_calls: int
    dispatches: int
    failures: int
    first_line: int
    last_line: int


@attrs.frozen
class Match:
    line: int
    tool: str
    call: str
    outcome: str


@attrs.frozen
class Window:
    """Lines word for word, around the first match."""

    first_line: int
    matched_line: int
    lines: list[str]


@attrs.frozen
class Traced:
    depth: int
    tool: str
    call: str
    outcome: str
    code: str | None


@tool(annotations={"read_only": True, "idempotent": True})
def audit_sessions(path: AuditFile) -> list[Session]:
    """List the scopes in an audit: how much each asked for, how much failed, and where it stands."""
    found: dict[str, list[tuple[int, Entry]]] = {}
    for number, _, entry in _entries(path):
        found.setdefault(entry.scope or "global", []).append((number, entry))
    return [
        Session(
            scope=scope,
            root_calls=sum(not entry.nested for _, entry in rows),
            dispatches=len(rows),
            failures=sum(entry.outcome == "failure" for _, entry in rows),
            first_line=rows[0][0],
            last_line=rows[-1][0],
        )
        for scope, rows in found.items()
    ]


@tool(annotations={"read_only": True, "idempotent": True})
def audit_find(path: AuditFile, query: Query, limit: Annotated[int, Doc("At most so many.")] = 20) -> list[Match]:
    """Find the lines of an audit that hold a text."""
    return [
        Match(number, entry.tool, entry.call, entry.outcome) for number, text, entry in _entries(path) if query in text
    ][:limit]


@tool(annotations={"read_only": True, "idempotent": True})
def audit_window(
    path: AuditFile,
    query: Query,
    before: Annotated[int, Doc("Lines before the match.")] = 2,
    after: Annotated[int, Doc("Lines after it.")] = 2,
) -> Window:
    """Give the lines around the first one that holds a text, word for word."""
    lines = [(number, text) for number, text, _ in _entries(path)]
    for index, (number, text) in enumerate(lines):
        if query in text:
            shown = lines[max(0, index - before) : index + after + 1]
            return Window(shown[0][0], number, [text for _, text in shown])
    raise ToolError(f"no line holds {query}", code="NOT_FOUND")


@tool(annotations={"read_only": True, "idempotent": True})
def audit_trace(path: AuditFile, root: Annotated[str, Doc("Id of the root call.")]) -> list[Traced]:
    """Give one root call with everything that was dispatched under it, the caller before its steps."""
    found = [entry for _, _, entry in _entries(path) if entry.root == root]
    if not found:
        raise ToolError(f"there is no root call {root}", code="NOT_FOUND")
    # A step's id begins with its caller's, and a caller finishes after its steps.
    depths = [(sum(entry.call.startswith(f"{other.call}:") for other in found), entry) for entry in found]
    rows = sorted(depths, key=lambda row: (row[1].call, row[0]))
    return [Traced(depth, entry.tool, entry.call, entry.outcome, entry.code) for depth, entry in rows]


def _entries(path: str) -> Iterator[tuple[int, str, Entry]]:
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise ToolError(f"{path} cannot be read: {error.strerror}", code="NOT_FOUND") from None
    for number, text in enumerate(lines, start=1):
        try:
            yield number, text, msgspec.json.decode(text, type=Entry)
        except msgspec.DecodeError as error:
            # A line that a killed process left behind, or another program's: passed over by no tool unseen.
            raise ToolError(f"{path}:{number} is no line of an audit: {error}", code="INVALID_AUDIT") from None
