"""Types that have no JSON form, or another than they seem to have."""

import enum
from dataclasses import KW_ONLY, dataclass
from typing import Generic, Literal, Never, NoReturn, TypeVar

import attrs

from capdeco import Step, capability, operation, tool

T = TypeVar("T")
NAMES = ["a", "b"]


@dataclass
class Keywords:
    a: int
    _: KW_ONLY
    b: int = 1


@dataclass
class SubKeywords(Keywords):
    c: int = 1


class TextOf(str, enum.Enum):
    ONE = 1
    TWO = "2"


class TextAuto(str, enum.Enum):
    ONE = enum.auto()


class NumberOf(enum.IntEnum):
    ONE = "1"
    TWO = 2


class OwnNew(enum.Enum):
    ONE = 1

    def __new__(cls, value: int) -> "OwnNew":
        made = object.__new__(cls)
        made._value_ = f"<{value}>"
        return made


class OwnInit(enum.Enum):
    ONE = (1, "one")

    def __init__(self, number: int, text: str) -> None:
        self._value_ = text  # type: ignore[assignment]


class BasedOn(int, enum.Enum):
    FIFTEEN = "f", 16


class Ignoring(enum.Enum):
    _ignore_ = ["other"]
    ONE = "one"
    other = 3


class Empty(enum.Enum): ...


class OnlyMethods(enum.Enum):
    def shout(self) -> str:
        return self.name.upper()


Computed = enum.Enum("Computed", NAMES)  # type: ignore[misc]


@dataclass(init=False)
class Parsed:
    a: int

    def __init__(self, text: str) -> None:
        self.a = int(text)


@attrs.define(init=False)
class AttrsParsed:
    a: int

    def __init__(self, text: str) -> None:
        self.a = int(text)


@dataclass(init=False)
class Same:
    a: int

    def __init__(self, a: int) -> None:
        self.a = a


@dataclass
class Ever(Generic[T]):
    n: "Ever[list[T]] | None" = None
    m: "list[Ever[set[T]]] | None" = None
    k: "dict[str, Ever[tuple[T, T]]] | None" = None


@tool
def take_keywords(x: Keywords, y: SubKeywords) -> None:
    """d"""


@tool
def take_text(x: Literal["1", "2"]) -> None:
    """d"""


@tool
def take_number(x: Literal[1, 2]) -> None:
    """d"""


@capability(id="types", description="d")
class Types:
    @operation(steps=[Step(take_keywords)])
    def keywords(self, x: Keywords, y: SubKeywords) -> None:
        """d"""

    @operation(steps=[Step(take_text)])
    def text(self, x: TextOf) -> None:
        """d"""

    @operation(steps=[Step(take_text)])
    def text_auto(self, x: TextAuto) -> None:
        """d"""

    @operation(steps=[Step(take_number)])  # E: capdeco-type
    def text_as_number(self, x: TextAuto) -> None:
        """d"""

    @operation(steps=[Step(take_number)])
    def number(self, x: NumberOf) -> None:
        """d"""

    @operation(steps=[Step(take_text)])  # E: capdeco-type
    def number_as_text(self, x: NumberOf) -> None:
        """d"""

    @operation(steps=[Step(take_number)])  # E: capdeco-unchecked
    def own_new(self, x: OwnNew) -> None:
        """d"""

    @operation(steps=[Step(take_text)])  # E: capdeco-unchecked
    def own_init(self, x: OwnInit) -> None:
        """d"""

    @operation(steps=[Step(take_number)])  # E: capdeco-unchecked
    def based_on(self, x: BasedOn) -> None:
        """d"""

    @operation(steps=[Step(take_number)])  # E: capdeco-unchecked
    def ignoring(self, x: Ignoring) -> None:
        """d"""

    @operation(steps=[Step(take_text)])  # E: capdeco-unchecked
    def computed(self, x: Computed) -> None:
        """d"""


@tool
def empty(x: Empty) -> None:  # E: capdeco-declaration
    """d"""


@tool
def only_methods(x: list[OnlyMethods]) -> None:  # E: capdeco-declaration
    """d"""


@tool
def any_enum(x: enum.Enum) -> None:  # E: capdeco-declaration
    """d"""


@tool
def never(x: Never) -> None:  # E: capdeco-declaration
    """d"""


@tool
def nested_never(x: dict[str, NoReturn]) -> None:  # E: capdeco-declaration
    """d"""


@tool
def never_returns(x: int) -> NoReturn:
    """d"""
    raise ValueError


@tool
def never_ends(x: int) -> list[Never]:  # E: capdeco-declaration
    """d"""
    raise ValueError


@tool
def parsed(x: Parsed) -> None:  # E: capdeco-declaration
    """d"""


@tool
def attrs_parsed(x: AttrsParsed) -> None:  # E: capdeco-declaration
    """d"""


@tool
def same(x: Same) -> None:
    """d"""


@tool
def ever(x: Ever[int]) -> None:  # E: capdeco-declaration
    """d"""


@tool
def keys(
    text: dict[str, int],
    number: dict[int, int],
    enumerated: dict[TextOf, int],
    numbered: dict[NumberOf, int],  # E: capdeco-declaration
    pairs: dict[tuple[int, int], int],  # E: capdeco-declaration
    objects: dict[Keywords, int],  # E: capdeco-declaration
    literal: dict[Literal[1], int],  # E: capdeco-declaration
    inside: list[dict[frozenset[int], str]],  # E: capdeco-declaration
) -> None:
    """d"""
