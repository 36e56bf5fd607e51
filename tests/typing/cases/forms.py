"""Every form of declaration: one that passes and one that fails."""

from __future__ import annotations

from typing import Any, Generic, TypeVar, overload

import attrs

from capdeco import Context, Step, capability, operation, tool

from tests.typing.cases.catalog import Margins, catalog_crop, catalog_read, write

T = TypeVar("T")
B = TypeVar("B", bound=Margins)


@capability(id="function", description="d")
@operation(steps=[Step(catalog_read)])
def function(path: str) -> None:
    """d"""


@capability(id="function", description="d")
@operation(steps=[Step(catalog_read)])
def function_unused(path: str, lang: str) -> None:  # E: capdeco-unused
    """d"""


@capability(id="itself", description="d")
@operation(steps=[Step("itself_run")], name="run")  # E: capdeco-tool
def itself() -> None:
    """d"""


@capability(id="async", description="d")
class Async:
    @operation(steps=[Step(catalog_read)])
    async def right(self, path: str) -> None:
        """d"""

    @operation(steps=[Step(catalog_read)])  # E: capdeco-type
    async def wrong(self, path: int) -> None:
        """d"""


@capability(id="static", description="d")
class Static:
    @staticmethod
    @operation(steps=[Step(catalog_read)])
    def right(path: str) -> None:
        """d"""

    @staticmethod
    @operation(steps=[Step(catalog_crop, from_="m")])  # E: capdeco-from
    def wrong(margins: Margins) -> None:
        """d"""

    @classmethod
    @operation(steps=[Step(catalog_read)])
    def class_right(cls, path: str) -> None:
        """d"""

    @classmethod
    @operation(steps=[Step(catalog_read)])  # E: capdeco-missing
    def class_wrong(cls) -> None:
        """d"""

    @operation(steps=[Step(catalog_read)])
    @classmethod
    def class_below(cls, path: str, more: int) -> None:  # E: capdeco-unused
        """d"""


class Outer:
    @capability(id="nested", description="d")
    class Inner:
        @operation(steps=[Step(catalog_read)])
        def right(self, path: str) -> None:
            """d"""

        @operation(steps=[Step("nested_wrong")])  # E: capdeco-tool
        def wrong(self) -> None:
            """d"""


def local() -> None:
    @capability(id="local", description="d")
    class Local:
        @operation(steps=[Step(catalog_read)])
        def right(self, path: str) -> None:
            """d"""

        @operation(steps=[Step(catalog_read)])
        def wrong(self, path: str, lang: str) -> None:  # E: capdeco-unused
            """d"""

    @capability(id="local", description="d")
    @operation(steps=[Step(catalog_read)])  # E: capdeco-type
    def inner(path: bytes | None) -> None:
        """d"""


class Base:
    @operation(steps=[Step(catalog_read)])
    def first(self, path: str) -> None:
        """d"""

    @operation(steps=[Step(catalog_read)], name="renamed")
    def second(self, path: str) -> None:
        """d"""

    @operation(steps=[Step(catalog_read)])
    def third(self, path: str) -> None:
        """d"""


@capability(id="inherits", description="d")
class Inherits(Base):
    @operation(steps=[Step(catalog_read)])
    def first(self, path: str) -> None:
        """d"""

    second = None  # type: ignore[assignment]


@capability(id="inherits", description="d")
class InheritsAll(Base): ...


@capability(id="clashes", description="d")
class Clashes(Base):
    @operation(steps=[Step(catalog_read)])
    def renamed(self, path: str) -> None:  # E: capdeco-declaration
        """d"""


@capability(id="overrides", description="d")
class Overrides(Base):
    def third(self, path: str) -> None:  # E: capdeco-declaration
        """d"""


class Generated(Generic[T]):
    @operation(steps=[Step(catalog_crop, from_="item")])  # E: capdeco-unchecked
    def run(self, item: T) -> None:
        """d"""

    @operation(steps=[Step(write)])  # E: capdeco-missing
    def wrong(self, path: str, other: T) -> None:
        """d"""


@capability(id="generic", description="d")
class Generic1(Generated[Margins]): ...


@capability(id="generic", description="d")
@operation(steps=[Step(catalog_crop, from_="item")])
def generic(item: B) -> None:
    """d"""


@capability(id="overloads", description="d")
class Overloads:
    @overload
    def run(self, path: str) -> None: ...
    @overload
    def run(self, path: str, text: str) -> None: ...
    @operation(steps=[Step(write)])
    def run(self, path: str, text: str = "") -> None:
        """d"""

    @overload
    def wrong(self, path: str) -> None: ...
    @overload
    def wrong(self, path: str, text: int) -> None: ...
    @operation(steps=[Step(write)])  # E: capdeco-type
    def wrong(self, path: str, text: int = 0) -> None:
        """d"""


@overload
def either(path: str) -> str: ...
@overload
def either(path: str, text: str) -> None: ...
@tool
def either(path: str, text: str = "") -> Any:
    """d"""


@capability(id="overloaded_tool", description="d")
class OverloadedTool:
    @operation(steps=[Step(either)])
    def right(self, path: str, text: str) -> None:
        """d"""

    @operation(steps=[Step(either)])  # E: capdeco-type
    def wrong(self, path: int) -> None:
        """d"""


@tool
def generic_tool(item: T, context: Context) -> T:
    """d"""
    return item


@tool
def generic_list(items: list[B]) -> None:
    """d"""


@capability(id="generic_tool", description="d")
class GenericTool:
    @operation(steps=[Step(generic_tool)])  # E: capdeco-missing
    def wrong(self) -> None:
        """d"""

    @operation(steps=[Step(generic_list)])
    def right(self, items: list[Margins]) -> None:
        """d"""

    @operation(steps=[Step(generic_list)])  # E: capdeco-type
    def wrong_bound(self, items: list[str]) -> None:
        """d"""


class Toolbox:
    @staticmethod
    @tool
    def static(path: str) -> None:
        """d"""

    @tool(name="on_class")
    @classmethod
    def on_class(cls, path: str, n: int) -> None:
        """d"""


@capability(id="toolbox", description="d")
class UsesToolbox:
    @operation(steps=[Step(Toolbox.static), Step(Toolbox.on_class)])
    def right(self, path: str, n: int) -> None:
        """d"""

    @operation(steps=[Step(Toolbox.static), Step(Toolbox.on_class)])  # E: capdeco-missing
    def wrong(self, path: str) -> None:
        """d"""

    @operation(steps=[Step("static"), Step("on_class")])  # E: capdeco-missing
    def wrong_by_name(self, path: str) -> None:
        """d"""


@tool()
def called(a: int) -> None:
    """d"""


@tool(name="told")
def renamed(a: int) -> None:
    """d"""


internal = tool(expose=False)


@internal
def by_name(a: int) -> None:
    """d"""


assigned = tool(name="assigned")(renamed)


@capability(id="spellings", description="d")
class Spellings:
    @operation(steps=[Step(called), Step(renamed), Step(by_name), Step("told"), Step("by_name"), Step(assigned)])
    def right(self, a: int) -> None:
        """d"""

    @operation(steps=[Step(called)])  # E: capdeco-type
    def wrong_called(self, a: str) -> None:
        """d"""

    @operation(steps=[Step(renamed)])  # E: capdeco-type
    def wrong_renamed(self, a: str) -> None:
        """d"""

    @operation(steps=[Step(by_name)])  # E: capdeco-type
    def wrong_by_name(self, a: str) -> None:
        """d"""

    @operation(steps=[Step(assigned)])  # E: capdeco-type
    def wrong_assigned(self, a: str) -> None:
        """d"""

    @operation(steps=[Step("renamed")])  # E: capdeco-tool
    def python_name(self, a: int) -> None:
        """d"""


@attrs.frozen
class Last:
    x: int
