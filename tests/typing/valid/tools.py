"""Tools and types that the valid declarations share; their configuration names this as a tool module."""

from __future__ import annotations

import datetime
import enum
import pathlib
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, NotRequired, TypedDict

import attrs

from capdeco import Context, tool


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@attrs.frozen
class Options:
    columns: int = 1
    ocr: bool = False


@dataclass
class Size:
    width: int
    height: int = 0
    tags: list[str] = field(default_factory=list)


class Page(TypedDict):
    number: int
    title: NotRequired[str]


@attrs.frozen
class Tree:
    value: int
    children: list[Tree] = attrs.Factory(list)


@tool
def read_file(path: str) -> str:
    """Read."""
    return path


@tool(expose=False)
async def write_file(path: str, text: str, mode: Literal["append", "replace"] = "replace") -> None:
    """Write."""


@tool()
def layout(columns: int = 1, ocr: bool = False) -> dict[str, int]:
    """Lay out."""
    return {"columns": columns + ocr}


@tool(name="resize-image")
def resize(width: int, height: int = 0, tags: Sequence[str] = ()) -> list[int]:
    """Resize."""
    return [width, height, len(tags)]


@tool
def open_page(number: int, title: str = "") -> None:
    """Open."""


@tool
def paint(colour: Colour, when: datetime.datetime | None = None) -> None:
    """Paint."""


@tool
def spell(text: str, times: float = 1.0, context: Context | None = None) -> str:
    """Spell."""
    return text


@tool
def nothing() -> None:
    """Do nothing."""


@tool
def whatever(**anything: Any) -> dict[str, Any]:
    """Take anything."""
    return anything


@tool
def count(**numbers: float) -> float:
    """Count."""
    return sum(numbers.values())


@tool
def store(path: pathlib.Path, key: uuid.UUID, amount: Decimal) -> None:
    """Store."""


@tool
def plant(tree: Tree, depth: int = 0) -> None:
    """Plant."""


@tool
def index(words: list[str], counts: Mapping[str, int]) -> None:
    """Index."""


@tool
def put(options: Options, /) -> None:
    """Put."""


@tool
def page_of(pages: list[Page], size: Size | None = None) -> None:
    """Page."""


class Box:
    @staticmethod
    @tool
    def pack(weight: float) -> None:
        """Pack."""

    @tool(name="unpack")
    @classmethod
    def unpack_it(cls, weight: float, fast: bool = True) -> None:
        """Unpack."""


def _trim(text: str) -> str:
    """Trim."""
    return text


trim = tool(name="trim_text")(_trim)
