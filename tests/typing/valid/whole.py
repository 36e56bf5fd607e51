"""Whole-input objects: their fields are the input fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, NotRequired, TypedDict

import attrs
import msgspec
import pydantic
from typing_extensions import Unpack

from capdeco import Context, Step, capability, operation, tool
from tests.typing.valid.tools import Options, Page, Size, layout, open_page, put, read_file, resize, write_file


class Writing(TypedDict):
    path: str
    text: str


class Reading(TypedDict):
    path: str
    options: Options
    page: NotRequired[Page]


Keywords = TypedDict("Keywords", {"from": str, "class": int})


@attrs.frozen
class Laying:
    path: str
    options: Options = attrs.Factory(Options)


@dataclass
class Sizing:
    size: Size
    path: str = ""


class Point(NamedTuple):
    width: int
    height: int = 1


class Struct(msgspec.Struct):
    path: str
    text: str = ""


class Model(pydantic.BaseModel):
    path: str
    text: str = ""


@tool
def keywords(**given: Unpack[Keywords]) -> None:
    """d"""


@tool
def positional(given: Writing, context: Context, /) -> None:
    """d"""


@tool
def partly(given: Options, /, path: str) -> None:
    """d"""


@tool
def page_maybe(page: Page | None = None, path: str = "") -> None:
    """d"""


@capability(id="whole", description="d")
class Whole:
    @operation(steps=[Step(write_file)])
    def unpacked(self, **given: Unpack[Writing]) -> None:
        """d"""

    @operation(steps=[Step(write_file)])
    def positional_dict(self, given: Writing, /) -> None:
        """d"""

    @operation(steps=[Step(read_file), Step(layout, from_="options")])
    def positional_attrs(self, given: Laying, /) -> None:
        """d"""

    @operation(steps=[Step(resize, from_="size"), Step(read_file)])
    def positional_dataclass(self, given: Sizing, /) -> None:
        """d"""

    @operation(steps=[Step(resize)])
    def positional_named_tuple(self, given: Point, /) -> None:
        """d"""

    @operation(steps=[Step(write_file)])
    def positional_struct(self, given: Struct, /) -> None:
        """d"""

    @operation(steps=[Step(write_file)])
    def positional_model(self, given: Model, /) -> None:
        """d"""

    @operation(steps=[Step(put)])
    def into_whole(self, given: Options, /) -> None:
        """d"""

    @operation(steps=[Step(put)])
    def into_whole_by_fields(self, columns: int, ocr: bool) -> None:
        """d"""

    @operation(steps=[Step(positional)])
    def with_context(self, path: str, text: str) -> None:
        """d"""

    @operation(steps=[Step(keywords)])
    def python_keywords(self, **given: Unpack[Keywords]) -> None:
        """d"""

    @operation(steps=[Step(partly)])
    def beside_fields(self, given: Options, /, path: str) -> None:
        """d"""

    @operation(steps=[Step(read_file)])
    def one_scalar(self, path: str, /) -> None:
        """d"""

    @operation(steps=[Step(layout, from_="one"), Step(layout, from_="two")])
    def two_objects(self, one: Options, two: Options, /) -> None:
        """d"""

    @operation(steps=[Step(layout, from_="options"), Step(page_maybe)])
    def not_required_into_default(self, **given: Unpack[Reading]) -> None:
        """d"""

    @staticmethod
    @operation(steps=[Step(open_page)])
    def static(given: Page, /) -> None:
        """d"""


@capability(id="open_input", description="d")
class OpenInput:
    @operation(steps=[Step(read_file)])
    def more(self, path: str, **more: int) -> None:
        """d"""
