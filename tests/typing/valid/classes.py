"""Capabilities as classes: instance, static, class, async and abstract methods; nested, inherited, generic."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar, overload

from capdeco import Step, capability, operation
from tests.typing.valid.tools import (
    Box,
    Options,
    Size,
    layout,
    nothing,
    open_page,
    read_file,
    resize,
    spell,
    trim,
    write_file,
)

T = TypeVar("T", bound=Options)


@capability(id="plain", description="Plain methods.")
class Plain:
    @operation(steps=[Step(read_file)])
    def read(self, path: str) -> None:
        """Read it."""

    @operation(steps=[Step(read_file), Step(spell)])
    def spell(self, path: str, text: str) -> None:
        """Read and spell."""

    @operation(steps=[Step(read_file), Step(layout, from_="options")])
    def lay_out(self, path: str, options: Options) -> None:
        """Read and lay out."""

    @operation(steps=[Step(resize, from_="small"), Step(resize, from_="large")])
    def both(self, small: Size, large: Size) -> None:
        """Resize twice."""

    @operation(steps=[Step(nothing)])
    def idle(self) -> None:
        """Do nothing."""

    @operation(steps=[Step(write_file)])
    def write(self, path: str, *, text: str) -> None:
        """Write it."""

    def helper(self) -> int:
        return 1

    attribute = 3


@capability(id="static", description="Static and class methods.")
class Static:
    @staticmethod
    @operation(steps=[Step(read_file)])
    def above(path: str) -> None:
        """Read."""

    @operation(steps=[Step(read_file)])
    @staticmethod
    def below(path: str) -> None:
        """Read."""

    @classmethod
    @operation(steps=[Step(layout, from_="options")])
    def class_above(cls, options: Options) -> None:
        """Lay out."""

    @operation(steps=[Step(layout, from_="options")])
    @classmethod
    def class_below(cls, options: Options) -> None:
        """Lay out."""

    @staticmethod
    @operation(steps=[Step(Box.pack), Step(Box.unpack_it)])
    def box(weight: float, fast: bool) -> None:
        """Pack and unpack."""


@capability(id="async", description="Async methods.")
class Async:
    @operation(steps=[Step(read_file)])
    async def read(self, path: str) -> None:
        """Read."""

    @operation(steps=[Step(read_file), Step(trim)])
    async def trim(self, path: str, text: str = "") -> None:
        """Trim."""

    @staticmethod
    @operation(steps=[Step(open_page)])
    async def open(number: int, title: str) -> None:
        """Open."""


@capability(id="abstract", description="Abstract methods.")
class Abstract(ABC):
    @abstractmethod
    @operation(steps=[Step(read_file)])
    def above(self, path: str) -> None:
        """Read."""

    @operation(steps=[Step(read_file)])
    @abstractmethod
    def below(self, path: str) -> None:
        """Read."""


class Outer:
    @capability(id="nested", description="A nested class.")
    class Inner:
        @operation(steps=[Step(read_file)])
        def read(self, path: str) -> None:
            """Read."""

        @operation(steps=[Step(layout, from_="options")])
        def lay_out(self, options: Options) -> None:
            """Lay out."""


class Base:
    @operation(steps=[Step(read_file)])
    def first(self, path: str) -> None:
        """Read."""

    @operation(steps=[Step(layout, from_="options")])
    def second(self, options: Options) -> None:
        """Lay out."""


@capability(id="derived", description="Inherits operations.")
class Derived(Base):
    @operation(steps=[Step(open_page)])
    def third(self, number: int) -> None:
        """Open."""


@capability(id="overriding", description="Overrides one.")
class Overriding(Base):
    @operation(steps=[Step(read_file), Step(spell)])
    def first(self, path: str, text: str = "") -> None:
        """Read and spell."""


class Generated(Generic[T]):
    @operation(steps=[Step(layout, from_="options")])
    def lay_out(self, options: T) -> None:
        """Lay out."""


@capability(id="generic", description="A generic base.")
class OfOptions(Generated[Options]):
    @operation(steps=[Step(read_file)])
    def read(self, path: str) -> None:
        """Read."""


@capability(id="overloads", description="Overloads.")
class Overloads:
    @overload
    def run(self, path: str) -> None: ...
    @overload
    def run(self, path: str, text: str) -> None: ...
    @operation(steps=[Step(write_file)])
    def run(self, path: str, text: str = "") -> None:
        """Write."""


@capability(id="told", description="Named by hand.")
class Told:
    @operation(steps=[Step(read_file)], name="read")
    def Read(self, path: str) -> None:  # noqa: N802 - the name is told
        """Read."""

    @operation(steps=[Step(read_file)], description="Read again.")
    def again(self, path: str) -> None: ...

    @operation(name="more", description="More.", steps=[Step(spell)], concurrency=True)
    def _more(self, text: str, times: int) -> None: ...
