"""Names that hold one thing or another, and names that hold nothing when the program runs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from capdeco import Step, Tool, capability, operation, tool

if TYPE_CHECKING:
    import decimal
    from datetime import date
    from uuid import UUID
else:
    UUID = str


@tool
def one(path: str) -> None:
    """d"""


@tool
def two(path: str, page: int) -> None:
    """d"""


def plain(path: str) -> None:
    """d"""


def longer(path: str, page: int) -> None:
    """d"""


try:
    import lxml_fast  # type: ignore[import-not-found]

    EITHER = Tool.of(plain, name="either")
except ImportError:
    EITHER = Tool.of(longer, name="either")

if len(sys.argv) > 1:
    STEP = Step(one)

    @tool(name="quick-or-slow")
    def quick(path: str) -> None:
        """d"""

else:
    STEP = Step(two)

    @tool(name="quick-or-slow")
    def slow(path: str, page: int) -> None:
        """d"""


if sys.platform == "no such":
    ONLY = Step(two)
else:
    ONLY = Step(one)


def factory() -> object:
    if len(sys.argv) > 1:
        step = Step("one")
    else:
        step = Step("two", "given")

    @capability(id="local", description="d")
    @operation(steps=[step])  # E: capdeco-unchecked
    def run(path: str, page: int) -> None:
        """d"""

    return run


@capability(id="conditional", description="d")
class Conditional:
    @operation(steps=[Step(EITHER)])  # E: capdeco-unchecked
    def either(self, path: str, page: int) -> None:
        """d"""

    @operation(steps=[Step("quick-or-slow")])  # E: capdeco-unchecked
    def by_name(self, path: str, page: int) -> None:
        """d"""

    @operation(steps=[STEP])  # E: capdeco-unchecked
    def step(self, path: str, page: int) -> None:
        """d"""

    @operation(steps=[ONLY])
    def one_of_them_is_unreachable(self, path: str, page: int) -> None:  # E: capdeco-unused
        """d"""


# Imports that only a type checker sees


@tool
def dated(day: date) -> None:  # E: capdeco-declaration
    """d"""


@tool
def many(days: dict[str, list[decimal.Decimal]]) -> None:  # E: capdeco-declaration
    """d"""


@tool
def gives(path: str) -> date:  # E: capdeco-declaration
    """d"""
    raise NotImplementedError


@tool
def there_at_run_time(id: UUID) -> None:
    """d"""


@tool(types={"date": Any})
def told(day: date) -> None:
    """d"""


@capability(id="dates", description="d")
class Dates:
    @operation(steps=[Step(dated)])
    def run(self, day: date) -> None:  # E: capdeco-declaration
        """d"""
