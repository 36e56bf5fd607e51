"""What is wrong with a value that came in: every problem, with its path, in words that a model can act on."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

import attrs


class Problems(Exception):
    """Each problem with its path from the value: `("columns", "is not a number")`."""

    def __init__(self, *found: tuple[str, str]) -> None:
        super().__init__(*found)
        self.found = found

    def __str__(self) -> str:
        return "; ".join(f"{path}: {why}" if path else why for path, why in self.found)


def joined(*steps: str | int) -> str:
    """Join steps into a path: `rows[3].name`."""
    path = ""
    for step in steps:
        path += f"[{step}]" if isinstance(step, int) else step if not path or step[:1] in ("", "[") else f".{step}"
    return path


@attrs.define(eq=False)
class Gathering:
    """Converts the parts of one value, and keeps what is wrong with each until all of them were tried."""

    found: list[tuple[str, str]] = attrs.field(factory=list)

    def convert(self, step: str | int, convert: Callable[[Any], Any], value: Any) -> Any:
        """Convert the part at *step*."""
        try:
            return convert(value)
        except Problems as problems:
            self.found += [(joined(step, path), why) for path, why in problems.found]

    def check(self) -> None:
        """Raise what was found, if anything was.

        Raises:
            Problems: all of it.
        """
        if self.found:
            raise Problems(*self.found)


_PYTHON: Final = re.compile(r"<(?:class|enum) '(?:\w+\.)*(\w+)'>|`(\w+)`")


def said_by(error: BaseException) -> str:
    """What a validator said, where it said it in words; names of Python classes as plain names."""
    said = error.args[0] if error.args and isinstance(error.args[0], str) else ""
    return _PYTHON.sub(lambda match: match[1] or match[2], said) or "is not valid"
