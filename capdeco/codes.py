"""The stable codes of faults, alone in a module so that mypy can start without the rest."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

DECLARATION: Final = "capdeco-declaration"
TOOL: Final = "capdeco-tool"
FROM: Final = "capdeco-from"
MISSING: Final = "capdeco-missing"
TYPE: Final = "capdeco-type"
UNUSED: Final = "capdeco-unused"
UNCHECKED: Final = "capdeco-unchecked"
HOST: Final = "capdeco-host"

Code: TypeAlias = Literal[
    "capdeco-declaration",
    "capdeco-tool",
    "capdeco-from",
    "capdeco-missing",
    "capdeco-type",
    "capdeco-unused",
    "capdeco-unchecked",
    "capdeco-host",
]
