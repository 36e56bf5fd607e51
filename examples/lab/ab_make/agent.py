"""What the two A/B experiments share: the tool to look with, and the policy that every arm's script follows."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from typing import Annotated, Any

from capdeco import Doc, ToolError, tool
from capdeco.lab.driver import Reply, Request, Script, call

FAULTY = "examples/maker/faulty"

Verdict = tuple[bool, list[Mapping[str, str]]]
"""Whether a plugin conforms, and what is wrong with it."""

Review = Callable[[], Generator[tuple[Request, ...], tuple[Reply, ...], Verdict]]
"""How one arm gets to a verdict: the only part of the scripts that differs."""


@tool(annotations={"read_only": True, "idempotent": True})
def read_lines(
    path: Annotated[str, Doc("Path of the file.")], first: int, last: Annotated[int, Doc("Included.")]
) -> list[str]:
    """Read a range of lines of a file."""
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()[first - 1 : last]
    except OSError as error:
        raise ToolError(f"{path} cannot be read: {error.strerror}", code="NOT_FOUND") from None


def strictly(review: Review) -> Callable[[], Script]:
    """Get the verdict, and answer."""

    def plan() -> Script:
        conforms, findings = yield from review()
        return answer(conforms, findings)

    return plan


def loosely(review: Review) -> Callable[[], Script]:
    """Get the verdict, look at every place that it names, and answer."""

    def plan() -> Script:
        conforms, findings = yield from review()
        for where in dict.fromkeys(each["where"] for each in findings):
            file, _, line = where.rpartition(":")
            yield from call("read_lines", path=f"{FAULTY}/{file}", first=int(line), last=int(line) + 3)
        return answer(conforms, findings)

    return plan


def answer(conforms: bool, findings: list[Mapping[str, str]]) -> str:
    return f"{'conforms' if conforms else 'does not conform'}; to mend: {len(findings)}"


def verdict_of(checked: Any, vetted: Any) -> Verdict:
    return bool(checked["conforms"]), list(vetted)


def by_steps(checked: Reply, vetted: Reply) -> Verdict:
    return verdict_of(checked.value, vetted.value)
