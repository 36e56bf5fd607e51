"""Rules that need no tool: names, descriptions, bodies, parameters, decorators above ours, duplicates."""

import functools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ParamSpec, Protocol, TypeVar

import msgspec
from typing_extensions import deprecated

from capdeco import Step, capability, operation, tool

from tests.typing.cases.catalog import catalog_read

P = ParamSpec("P")
R = TypeVar("R")


def retry(function: Callable[P, R]) -> Callable[P, R]:
    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        return function(*args, **kwargs)

    return wrapper


def retries(times: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    del times
    return retry


@capability(id="names", description="d")
class Names:
    @operation(steps=[Step(catalog_read)])
    def camelCase(self, path: str) -> None:  # E: capdeco-declaration
        """d"""

    @operation(steps=[Step(catalog_read)])
    def _private(self, path: str) -> None:  # E: capdeco-declaration
        """d"""

    @operation(steps=[Step(catalog_read)], name="fine")
    def CamelCase(self, path: str) -> None:
        """d"""

    @operation(steps=[Step(catalog_read)], name="Not-fine")  # E: capdeco-declaration
    def not_fine(self, path: str) -> None:
        """d"""

    @operation(
        steps=[Step(catalog_read)],
        name="ünfine",  # E: capdeco-declaration
    )
    def unfine(self, path: str) -> None:
        """d"""

    @operation(steps=[Step(catalog_read)])
    def one(self, path: str) -> None:
        """d"""

    @operation(steps=[Step(catalog_read)], name="one")
    def other(self, path: str) -> None:  # E: capdeco-declaration
        """d"""

    @operation(steps=[Step(catalog_read)])
    def as_long_as_a_name_can_possibly_be_before_it_is_longer_than_that(self, path: str) -> None:  # E: capdeco-declaration
        """d"""


@capability(id="Names", description="d")  # E: capdeco-declaration
class IllegalId:
    @operation(steps=[Step(catalog_read)])
    def run(self, path: str) -> None:
        """d"""


@capability(
    id="blank",
    description=" \n",  # E: capdeco-declaration
)
class BlankDescription:
    @operation(steps=[Step(catalog_read)], description="")  # E: capdeco-declaration
    def blank(self, path: str) -> None:
        """d"""

    @operation(steps=[Step(catalog_read)])
    def none(self, path: str) -> None:  # E: capdeco-declaration
        ...

    @operation(steps=[Step(catalog_read)])
    def empty(self, path: str) -> None:  # E: capdeco-declaration
        """  """

    @operation(steps=[Step(catalog_read)], description="d")
    def given(self, path: str) -> None: ...


@capability(id="empty", description="d")  # E: capdeco-declaration
class Empty:
    def run(self, path: str) -> None:
        """d"""


@capability(id="bodies", description="d")
class Bodies:
    @operation(steps=[Step(catalog_read)])
    def dots(self, path: str) -> None:
        """d"""
        ...

    @operation(steps=[Step(catalog_read)])
    def passes(self, path: str) -> None:
        """d"""
        pass

    @operation(steps=[Step(catalog_read)], description="d")
    def only_dots(self, path: str) -> Any: ...

    @operation(steps=[Step(catalog_read)])
    def returns(self, path: str) -> None:
        """d"""
        return  # E: capdeco-declaration

    @operation(steps=[Step(catalog_read)])
    def calls(self, path: str) -> None:
        """d"""

        print(path)  # E: capdeco-declaration
        print(path)

    @operation(steps=[Step(catalog_read)])
    def imports(self, path: str) -> None:
        """d"""
        import os  # E: capdeco-declaration

    @operation(steps=[Step(catalog_read)])
    async def waits(self, path: str) -> None:
        """d"""
        raise NotImplementedError  # E: capdeco-declaration


@capability(id="above", description="d")
class Above(ABC):
    @staticmethod
    @operation(steps=[Step(catalog_read)])
    def static(path: str) -> None:
        """d"""

    @operation(steps=[Step(catalog_read)])
    @staticmethod
    def static_below(path: str) -> None:
        """d"""

    @classmethod
    @operation(steps=[Step(catalog_read)])
    def on_class(cls, path: str) -> None:
        """d"""

    @abstractmethod
    @operation(steps=[Step(catalog_read)])
    def abstract(self, path: str) -> None:
        """d"""

    @retry  # E: capdeco-declaration
    @operation(steps=[Step(catalog_read)])
    def wrapped(self, path: str) -> None:
        """d"""

    @retries(3)  # E: capdeco-declaration
    @operation(steps=[Step(catalog_read)])
    def wrapped_by_call(self, path: str) -> None:
        """d"""

    @deprecated("old")  # E: capdeco-declaration
    @operation(steps=[Step(catalog_read)])
    def old(self, path: str) -> None:
        """d"""

    @operation(steps=[Step(catalog_read)])
    @retry
    def below(self, path: str) -> None:
        """d"""

    @operation(steps=[Step(catalog_read)])
    @retry
    def below_unused(self, path: str, lang: str) -> None:  # E: capdeco-unused
        """d"""


@retry  # E: capdeco-declaration
@tool
def lost() -> None:
    """d"""


@tool
@retry
def kept(path: str) -> None:
    """d"""


@capability(id="function", description="d")
@retry  # E: capdeco-declaration
@operation(steps=[Step(kept)])
def between(path: str) -> None:
    """d"""


@capability(id="parameters", description="d")
class Parameters:
    @operation(steps=[Step(catalog_read)])  # E: capdeco-unchecked
    def star(self, path: str, *more: str) -> None:  # E: capdeco-declaration
        """d"""

    @operation(steps=[Step(catalog_read)])  # E: capdeco-unchecked
    def bare(self, path) -> None:  # type: ignore[no-untyped-def]  # E: capdeco-declaration
        """d"""

    @operation(steps=[Step("catalog_number")])
    def nan(
        self,
        x: float = float("nan"),  # E: capdeco-declaration
        y: float = math.inf,  # E: capdeco-declaration
        z: float = -math.inf,  # E: capdeco-declaration
        u: float = 1e999,  # E: capdeco-declaration
    ) -> None:
        """d"""

    @operation(steps=[Step("catalog_number")])
    def unset(self, x: float | msgspec.UnsetType = msgspec.UNSET) -> None:  # E: capdeco-declaration
        """d"""


@tool
def catalog_number(x: Any = 0, y: float = 0, z: float = 0, u: float = 0) -> None:
    """d"""


class Thing(Protocol):
    x: int


class Plain:
    x: int


@tool
def takes_protocol(thing: Thing) -> None:  # E: capdeco-declaration
    """d"""


@tool
def gives_plain() -> Plain:  # E: capdeco-declaration
    """d"""
    return Plain()


@tool
async def gives_list() -> list[Plain]:  # E: capdeco-declaration
    """d"""
    return []


@tool
def undocumented() -> None:  # E: capdeco-declaration
    pass


@tool(description=" ")  # E: capdeco-declaration
def blank() -> None: ...


@tool(name="no spaces")  # E: capdeco-declaration
def spaces() -> None:
    """d"""


@tool
def ünicode() -> None:  # E: capdeco-declaration
    """d"""


@tool(description="d")
def described() -> None: ...


@tool
def stars(*args: int) -> None:  # E: capdeco-declaration
    """d"""


def no_operation(path: str) -> None:
    """d"""


capability(id="called", description="d")(operation(steps=[Step(catalog_read)])(no_operation))


@capability(id="alone", description="d")  # E: capdeco-declaration
@retry
def alone(path: str) -> None:
    """d"""


class Meta:
    @property
    @operation(steps=[Step(catalog_read)])  # E: capdeco-missing
    def prop(self) -> None:  # E: capdeco-declaration
        """d"""
