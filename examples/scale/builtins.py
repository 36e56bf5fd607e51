"""Stand-ins for the 25 tools that an agent brings along: real declarations, and a machine on which there is nothing.

They make a surface as wide as it is in practice, and they are no way to the pool's data.
"""

from __future__ import annotations

from typing import Annotated, Literal, NoReturn

from capdeco import Doc, ToolError, tool
from examples.scale.hints import DESTROY, READ, WRITE

Path = Annotated[str, Doc("Absolute path.")]


def nothing_at(path: str) -> NoReturn:
    raise ToolError(f"{path}: no such file or directory", code="NOT_FOUND")


@tool(annotations=READ)
def read(path: Path, offset: int = 0, limit: Annotated[int, Doc("At most so many lines.")] = 2000) -> str:
    """Read a file from the local disk."""
    nothing_at(path)


@tool(annotations=WRITE)
def write(path: Path, content: str) -> str:
    """Write a file to the local disk, replacing what was there."""
    return f"{path}: {len(content)} characters"


@tool(annotations=WRITE)
def edit(path: Path, old: str, new: str, every: Annotated[bool, Doc("Replace every occurrence.")] = False) -> str:
    """Replace an exact piece of text in a file."""
    nothing_at(path)


@tool(annotations=READ)
def glob(pattern: Annotated[str, Doc("As in **/*.py.")], root: Path = "/") -> list[str]:
    """Find files by a pattern of their path."""
    return []


@tool(annotations=READ)
def grep(
    pattern: Annotated[str, Doc("A regular expression.")],
    root: Path = "/",
    show: Literal["content", "count", "files"] = "files",
    ignore_case: bool = False,
) -> list[str]:
    """Search the contents of files with a regular expression."""
    return []


@tool(annotations=READ)
def list_directory(path: Path) -> list[str]:
    """List a directory."""
    nothing_at(path)


@tool(annotations=DESTROY)
def shell(
    command: Annotated[str, Doc("What to run.")],
    seconds: Annotated[int, Doc("Time limit.")] = 120,
    background: Annotated[bool, Doc("Return at once.")] = False,
) -> str:
    """Run a shell command and give its output."""
    raise ToolError(f"{command.split()[0] if command.split() else 'sh'}: command not found", code="EXIT_127")


@tool(annotations=READ)
def shell_output(job: Annotated[str, Doc("Id of the background command.")]) -> str:
    """Read what a background command has written since the last time."""
    raise ToolError(f"there is no job {job}", code="NOT_FOUND")


@tool(annotations=DESTROY)
def shell_kill(job: Annotated[str, Doc("Id of the background command.")]) -> str:
    """Stop a background command."""
    raise ToolError(f"there is no job {job}", code="NOT_FOUND")


@tool(annotations={"read_only": True, "open_world": True})
def web_fetch(url: str, question: Annotated[str, Doc("What to look for in the page.")]) -> str:
    """Fetch a web page and answer a question about it."""
    raise ToolError("there is no network here", code="OFFLINE")


@tool(annotations={"read_only": True, "open_world": True})
def web_search(query: str, domains: Annotated[list[str], Doc("Only these.")] = []) -> list[str]:  # noqa: B006
    """Search the web."""
    raise ToolError("there is no network here", code="OFFLINE")


@tool(annotations=READ)
def todo_read() -> list[str]:
    """Read the list of what is left to do."""
    return []


@tool(annotations=WRITE)
def todo_write(items: list[str]) -> int:
    """Replace the list of what is left to do."""
    return len(items)


@tool(annotations=READ)
def memory_search(query: str, limit: int = 5) -> list[str]:
    """Search notes from earlier conversations."""
    return []


@tool(annotations=WRITE)
def memory_write(text: str, topic: str | None = None) -> str:
    """Keep a note for later conversations."""
    return "kept"


@tool(annotations=WRITE)
def delegate(
    task: Annotated[str, Doc("What to do, in full.")], agent: Literal["explore", "plan", "work"] = "work"
) -> str:
    """Give a task to another agent and wait for its report."""
    raise ToolError("there is no other agent here", code="UNAVAILABLE")


@tool(annotations=READ)
def ask_user(question: str, options: Annotated[list[str], Doc("Answers to choose from.")] = []) -> str:  # noqa: B006
    """Ask the user a question."""
    raise ToolError("nobody answers", code="UNAVAILABLE")


@tool(annotations=READ)
def plan_propose(plan: Annotated[str, Doc("In Markdown.")]) -> str:
    """Show a plan to the user and wait until it is accepted."""
    raise ToolError("nobody answers", code="UNAVAILABLE")


@tool(annotations=READ)
def notebook_read(path: Path) -> list[str]:
    """Read the cells of a notebook with their outputs."""
    nothing_at(path)


@tool(annotations=WRITE)
def notebook_edit(path: Path, cell: int, source: str, mode: Literal["delete", "insert", "replace"] = "replace") -> str:
    """Change one cell of a notebook."""
    nothing_at(path)


@tool(annotations=WRITE)
def python_run(code: str) -> str:
    """Run Python code in a fresh interpreter and give its output."""
    raise ToolError("there is no interpreter here", code="UNAVAILABLE")


@tool(annotations=READ)
def diagnostics(path: Path | None = None) -> list[str]:
    """List what the language servers complain about."""
    return []


@tool(annotations=READ)
def symbol_find(name: str, kind: Literal["any", "class", "function"] = "any") -> list[str]:
    """Find where a symbol is defined."""
    return []


@tool(annotations=READ)
def clock(zone: Annotated[str, Doc("IANA name of the time zone.")] = "UTC") -> str:
    """Tell the date and the time."""
    return "2026-01-02T03:04:05Z"


@tool(annotations=READ)
def calculate(expression: Annotated[str, Doc("As in (3 + 4) * 2.")]) -> float:
    """Evaluate an arithmetic expression."""
    raise ToolError("the calculator is a stand-in", code="UNAVAILABLE")
