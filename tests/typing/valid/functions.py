"""Capabilities as functions: one operation each."""

from __future__ import annotations

from typing import Any, TypeVar

from capdeco import Step, capability, operation
from tests.typing.valid.tools import (
    Colour,
    Options,
    Page,
    Size,
    count,
    index,
    layout,
    nothing,
    open_page,
    page_of,
    paint,
    put,
    read_file,
    resize,
    spell,
    whatever,
    write_file,
)

T = TypeVar("T", bound=Options)


@capability(id="reading", description="d")
@operation(steps=[Step(read_file)])
def read(path: str) -> None:
    """Read."""


@capability(id="reading_async", description="d")
@operation(steps=[Step(read_file)])
async def read_async(path: str) -> None:
    """Read."""


@capability(id="idling", description="d")
@operation(steps=[Step(nothing)])
def idle() -> None:
    """Idle."""


@capability(id="laying", description="d")
@operation(steps=[Step(read_file), Step(layout, from_="options")])
def lay(path: str, options: Options) -> None:
    """Lay."""


@capability(id="sizing", description="d")
@operation(steps=[Step(resize, from_="size")])
def size(size: Size) -> None:
    """Size."""


@capability(id="paging", description="d")
@operation(steps=[Step(open_page, from_="page")])
def page(page: Page) -> None:
    """Page."""


@capability(id="painting", description="d")
@operation(steps=[Step(paint)])
def brush(colour: Colour) -> None:
    """Paint."""


@capability(id="spelling", description="d")
@operation(steps=[Step(spell)])
def say(text: str, times: int = 2) -> None:
    """Spell."""


@capability(id="anything", description="d")
@operation(steps=[Step(whatever), Step(read_file)])
def anything(path: str, more: dict[str, Any]) -> None:
    """Anything."""


@capability(id="counting", description="d")
@operation(steps=[Step(count)])
def counting(one: int, two: float = 1.5) -> None:
    """Count."""


@capability(id="indexing", description="d")
@operation(steps=[Step(index)])
def indexing(words: tuple[str, ...], counts: dict[str, int]) -> None:
    """Index."""


@capability(id="putting", description="d")
@operation(steps=[Step(put)])
def putting(columns: int, ocr: bool = True) -> None:
    """Put."""


@capability(id="pages", description="d")
@operation(steps=[Step(page_of)])
def pages(pages: list[Page], size: Size) -> None:
    """Pages."""


@capability(id="writing", description="d")
@operation(steps=[Step(write_file), Step(read_file)])
def writing(path: str, text: str) -> Any:
    """Write."""


@capability(id="sharing", description="d")
@operation(steps=[Step(read_file), Step(write_file), Step(spell)])
def sharing(path: str, text: str, times: float) -> None:
    """Share."""


@capability(id="two_tools", description="d")
@operation(steps=[Step("read_file"), Step("write_file")])
def two_tools(path: str, text: str) -> None:
    """Twice."""


@capability(id="told", description="d")
@operation(steps=[Step(layout, from_="options")], name="lay_out", description="Lay out.")
def Told(options: Options) -> None: ...  # noqa: N802 - the name is told


@capability(id="whole_function", description="d")
@operation(steps=[Step(resize)])
def whole(given: Size, /) -> None:
    """Resize."""


@capability(id="generic_function", description="d")
@operation(steps=[Step(layout, from_="options")])
def generic(options: T) -> None:
    """Lay out."""


def factory() -> type:
    @capability(id="local", description="d")
    class Local:
        @operation(steps=[Step(read_file)])
        def read(self, path: str) -> None:
            """Read."""

    return Local
