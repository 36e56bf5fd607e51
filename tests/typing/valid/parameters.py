"""Scalars, containers, unions, enums, literals: what fits what."""

from __future__ import annotations

import datetime
import decimal
import enum
import pathlib
import uuid
from collections.abc import Collection, Iterable, Mapping, MutableSequence, Sequence
from collections.abc import Set as AbstractSet
from typing import Annotated, Any, Literal, NewType, Optional, TypeVar, Union

from typing_extensions import Doc, TypeAliasType

from capdeco import Step, capability, operation, tool
from tests.typing.valid.tools import Colour, Size, Tree, index, paint, plant, spell, store

UserId = NewType("UserId", int)
Numbers = list[int]
Json = TypeAliasType("Json", "dict[str, Json] | list[Json] | str | int | None")
N = TypeVar("N", int, float)


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Word(enum.StrEnum):
    UP = enum.auto()
    DOWN = enum.auto()


@tool
def scalars(text: str, number: float, whole: int, yes: bool, data: bytes) -> None:
    """d"""


@tool
def maybe(text: str | None, number: int | None = None) -> None:
    """d"""


@tool
def chosen(word: Literal["up", "down", "left"], level: int) -> None:
    """d"""


@tool
def times(day: str, moment: str, span: str, clock: str) -> None:
    """d"""


@tool
def arrays(a: Sequence[float], b: Collection[str], c: Iterable[int], d: AbstractSet[str]) -> None:
    """d"""


@tool
def objects(a: Mapping[str, int | list[str]], b: dict[str, Any], c: object) -> None:
    """d"""


@tool
def ids(user: int) -> None:
    """d"""


@tool
def ids_back(user: UserId) -> None:
    """d"""


@tool
def json(value: Json) -> None:
    """d"""


@tool
def pairs(pair: tuple[int, int], numbers: Numbers) -> None:
    """d"""


@tool
def either(value: int | str | list[int]) -> None:
    """d"""


@capability(id="scalars", description="d")
class Scalars:
    @operation(steps=[Step(scalars)])
    def same(self, text: str, number: float, whole: int, yes: bool, data: bytes) -> None:
        """d"""

    @operation(steps=[Step(scalars)])
    def narrower(self, text: Colour, number: int, whole: Literal[1, 2], yes: Literal[True], data: str) -> None:
        """d"""

    @operation(steps=[Step(scalars)])
    def annotated(
        self,
        text: Annotated[str, Doc("Text.")],
        number: Annotated[float, "A number."],
        whole: Annotated[UserId, Doc("An id.")],
        yes: bool = True,
        data: bytes = b"",
    ) -> None:
        """d"""

    @operation(steps=[Step(maybe)])
    def nullable(self, text: str | None, number: Optional[int]) -> None:  # noqa: UP045 - a spelling of its own
        """d"""

    @operation(steps=[Step(maybe)])
    def not_null(self, text: str, number: int = 3) -> None:
        """d"""

    @operation(steps=[Step(chosen)])
    def literals(self, word: Literal["up", "down"], level: Literal[1, 2]) -> None:
        """d"""

    @operation(steps=[Step(chosen)])
    def enums(self, word: Word, level: Level) -> None:
        """d"""

    @operation(steps=[Step(paint)])
    def literal_into_enum(self, colour: Literal["red"]) -> None:
        """d"""

    @operation(steps=[Step(paint)])
    def enum_and_date(self, colour: Colour, when: datetime.datetime) -> None:
        """d"""

    @operation(steps=[Step(times)])
    def text_formats(
        self, day: datetime.date, moment: datetime.datetime, span: datetime.timedelta, clock: datetime.time
    ) -> None:
        """d"""

    @operation(steps=[Step(store)])
    def stored(self, path: str, key: uuid.UUID, amount: decimal.Decimal) -> None:
        """d"""

    @operation(steps=[Step(store)])
    def stored_path(self, path: pathlib.PurePath, key: uuid.UUID, amount: decimal.Decimal) -> None:
        """d"""

    @operation(steps=[Step(ids), Step(ids_back)])
    def new_type(self, user: UserId) -> None:
        """d"""

    @operation(steps=[Step(ids), Step(ids_back)])
    def new_type_base(self, user: int) -> None:
        """d"""


@capability(id="containers", description="d")
class Containers:
    @operation(steps=[Step(arrays)])
    def lists(self, a: list[int], b: list[str], c: list[int], d: list[str]) -> None:
        """d"""

    @operation(steps=[Step(arrays)])
    def others(self, a: tuple[int, ...], b: set[str], c: frozenset[int], d: MutableSequence[str]) -> None:
        """d"""

    @operation(steps=[Step(objects)])
    def mappings(self, a: dict[str, int], b: Mapping[str, str], c: list[int]) -> None:
        """d"""

    @operation(steps=[Step(objects)])
    def object_into_mapping(self, a: Size, b: Size, c: Size) -> None:
        """d"""

    @operation(steps=[Step(index)])
    def enum_items(self, words: list[Word], counts: dict[Word, int]) -> None:
        """d"""

    @operation(steps=[Step(json)])
    def recursive_alias(self, value: Json) -> None:
        """d"""

    @operation(steps=[Step(json)])
    def into_recursive_alias(self, value: dict[str, list[str]]) -> None:
        """d"""

    @operation(steps=[Step(pairs)])
    def tuples(self, pair: tuple[int, int], numbers: Numbers) -> None:
        """d"""

    @operation(steps=[Step(either)])
    def union(self, value: Union[int, str]) -> None:  # noqa: UP007 - a spelling of its own
        """d"""

    @operation(steps=[Step(either)])
    def union_of_arrays(self, value: int | list[int]) -> None:
        """d"""

    @operation(steps=[Step(plant)])
    def recursive_class(self, tree: Tree, depth: int = 2) -> None:
        """d"""

    @operation(steps=[Step(spell)])
    def defaults(self, text: str = "x", times: float = 2) -> None:
        """d"""

    @operation(steps=[Step(either)])
    def any_value(self, value: Any) -> None:
        """d"""

    @operation(steps=[Step(objects)])
    def anything(self, a: Any, b: Any, c: Any) -> None:
        """d"""
