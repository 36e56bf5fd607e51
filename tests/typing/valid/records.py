"""Objects as parameters: attrs, dataclasses, TypedDicts, Structs, models, and their names on the wire."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, Literal, NamedTuple, NotRequired, Required, TypedDict, TypeVar

import attrs
import msgspec
import pydantic
from typing_extensions import ReadOnly

from capdeco import Step, capability, operation, tool
from tests.typing.valid.tools import Options, Page, Size, layout, open_page, resize

T = TypeVar("T")


@tool
def take(name: str, size: int = 0) -> None:
    """d"""


@tool
def nest(size: Size, options: Options) -> None:
    """d"""


@tool
def deep(pages: list[Page]) -> None:
    """d"""


@tool(name="take_camel")
def camel(pageCount: int, firstPage: int = 0) -> None:  # noqa: N803 - names on the wire
    """d"""


@tool
def loud(NAME: str) -> None:  # noqa: N803 - a name on the wire
    """d"""


@tool
def python_keywords(**given: object) -> None:
    """d"""


@attrs.define
class Named:
    name: str
    size: int = attrs.field(default=1, validator=attrs.validators.ge(0))


@attrs.frozen
class Aliased:
    title: str = attrs.field(alias="name")
    _size: int = 0
    hidden: int = attrs.field(init=False, default=3)


@attrs.define(kw_only=True)
class Longer(Named):
    more: str = ""


class Undecorated(Named):
    pass


@dataclass
class Given:
    name: str
    size: int = field(default=0)
    hidden: int = field(init=False, default=0)


@dataclass
class GivenMore(Given):
    flags: list[bool] = field(default_factory=list)


@dataclass(kw_only=True)
class Nested:
    size: Size
    options: Options = field(default_factory=Options)


class Typed(TypedDict):
    name: str
    size: NotRequired[int]


class Partial(TypedDict, total=False):
    name: Required[str]
    other: int


class Read(Typed):
    extra: ReadOnly[int]


class Struct(msgspec.Struct, frozen=True):
    name: str
    size: int = 0


class Camel(msgspec.Struct, rename="camel"):
    page_count: int
    first_page: int = 1


class Explicit(msgspec.Struct):
    count: int = msgspec.field(name="pageCount")


class Tagged(msgspec.Struct, tag="one", tag_field="kind"):
    name: str


class OtherTagged(msgspec.Struct, tag="two", tag_field="kind"):
    name: str
    size: int


class Model(pydantic.BaseModel):
    name: str
    size: int = 3


class AliasedModel(pydantic.BaseModel):
    title: str = pydantic.Field(alias="name", description="A title.")
    size: int = pydantic.Field(0, description="A size.")


class OpenModel(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow")
    name: str


class Struct2(msgspec.Struct):
    name: str
    number: int


class Generated(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(alias_generator=str.upper)
    name: str


@attrs.frozen
class Box(Generic[T]):
    name: T
    items: list[T] = attrs.Factory(list)


class TypedBox(TypedDict, Generic[T]):
    name: T


class Point(NamedTuple):
    x: int
    y: int = 0


@tool
def points(points: list[Point]) -> None:
    """d"""


@tool
def tagged(value: Tagged | OtherTagged) -> None:
    """d"""


@capability(id="attrs", description="d")
class Attrs:
    @operation(steps=[Step(take, from_="given")])
    def defined(self, given: Named) -> None:
        """d"""

    @operation(steps=[Step(take, from_="given")])
    def aliased(self, given: Aliased) -> None:
        """d"""

    @operation(steps=[Step(take, from_="given")])
    def inherited(self, given: Longer) -> None:
        """d"""

    @operation(steps=[Step(take, from_="given")])
    def undecorated(self, given: Undecorated) -> None:
        """d"""

    @operation(steps=[Step(take, from_="given")])
    def generic(self, given: Box[str]) -> None:
        """d"""

    @operation(steps=[Step(layout, from_="given")])
    def default(self, given: Options = Options()) -> None:  # noqa: B008 - frozen
        """d"""


@capability(id="dataclasses", description="d")
class Dataclasses:
    @operation(steps=[Step(take, from_="given")])
    def given(self, given: Given) -> None:
        """d"""

    @operation(steps=[Step(take, from_="given")])
    def inherited(self, given: GivenMore) -> None:
        """d"""

    @operation(steps=[Step(nest, from_="given")])
    def nested(self, given: Nested) -> None:
        """d"""

    @operation(steps=[Step(take, from_="given")])
    async def awaited(self, given: GivenMore) -> None:
        """d"""

    @operation(steps=[Step(resize, from_="size"), Step(nest)])
    def two_uses(self, size: Size, options: Options) -> None:
        """d"""


@capability(id="dicts", description="d")
class Dicts:
    @operation(steps=[Step(take, from_="given")])
    def typed(self, given: Typed) -> None:
        """d"""

    @operation(steps=[Step(take, from_="given")])
    def partial(self, given: Partial) -> None:
        """d"""

    @operation(steps=[Step(take, from_="given")])
    def read_only(self, given: Read) -> None:
        """d"""

    @operation(steps=[Step(take, from_="given")])
    def generic(self, given: TypedBox[str]) -> None:
        """d"""

    @operation(steps=[Step(deep)])
    def in_a_list(self, pages: list[Page]) -> None:
        """d"""

    @operation(steps=[Step(open_page, from_="page")])
    def not_required_into_default(self, page: Page) -> None:
        """d"""


@capability(id="structs", description="d")
class Structs:
    @operation(steps=[Step(take, from_="given")])
    def plain(self, given: Struct) -> None:
        """d"""

    @operation(steps=[Step(camel, from_="given")])
    def renamed(self, given: Camel) -> None:
        """d"""

    @operation(steps=[Step(camel, from_="given")])
    def explicit(self, given: Explicit) -> None:
        """d"""

    @operation(steps=[Step(take, from_="given")])
    def tag(self, given: Tagged) -> None:
        """d"""

    @operation(steps=[Step(take, from_="given")])
    def tags(self, given: Tagged | OtherTagged) -> None:
        """d"""

    @operation(steps=[Step(tagged)])
    def tagged_union(self, value: Tagged | OtherTagged) -> None:
        """d"""

    @operation(steps=[Step(tagged)])
    def one_of_the_union(self, value: OtherTagged) -> None:
        """d"""


@capability(id="models", description="d")
class Models:
    @operation(steps=[Step(take, from_="given")])
    def plain(self, given: Model) -> None:
        """d"""

    @operation(steps=[Step(take, from_="given")])
    def aliased(self, given: AliasedModel) -> None:
        """d"""

    @operation(steps=[Step(loud, from_="given")])
    def generated_aliases(self, given: Generated) -> None:
        """d"""

    @operation(steps=[Step(take, from_="given")])
    def union(self, given: Model | Struct2) -> None:
        """d"""

    @operation(steps=[Step(take, from_="given")])
    def opened(self, given: OpenModel) -> None:
        """d"""


@capability(id="shapes", description="The same shape is the same type.")
class Shapes:
    @operation(steps=[Step(nest)])
    def across(self, size: SizeDict, options: OptionsStruct) -> None:
        """d"""

    @operation(steps=[Step(points)])
    def named_tuples(self, points: list[Point]) -> None:
        """d"""

    @operation(steps=[Step(points)])
    def as_tuples(self, points: list[tuple[int, int]]) -> None:
        """d"""


class SizeDict(TypedDict):
    width: int
    height: int


class OptionsStruct(msgspec.Struct):
    columns: int


@attrs.frozen
class Kind:
    kind: Literal["a", "b"]
