"""Objects whose wire names cannot be known are unchecked; the others are held to them."""

from typing import Annotated, Any

import attrs
import msgspec
import pydantic

from capdeco import Step, capability, operation, tool


@tool
def take(name: str) -> None:
    """d"""


class InAnnotated(pydantic.BaseModel):
    title: Annotated[str, pydantic.Field(alias="name")]


class Generated(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(alias_generator=str.upper)
    title: str


class Choices(pydantic.BaseModel):
    title: str = pydantic.Field(validation_alias=pydantic.AliasChoices("name", "title"))


class Computed(msgspec.Struct, rename=str.upper):
    title: str


class Known(pydantic.BaseModel):
    title: str = pydantic.Field(alias="name")


class KnownToo(pydantic.BaseModel):
    title: str


class Heir(KnownToo):
    name: int = 3


class ByName(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(validate_by_name=True, validate_by_alias=False)
    name: str = pydantic.Field(alias="title")


class ByNameToo(Known, validate_by_alias=False): ...


class ByBoth(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(validate_by_name=True)
    title: str = pydantic.Field(alias="name")


class ByWhatever(pydantic.BaseModel, validate_by_alias=bool(ByName)):
    title: str = pydantic.Field(alias="name")


@attrs.frozen
class Converted:
    name: int = attrs.field(converter=int)


@capability(id="records", description="d")
class Records:
    @operation(steps=[Step(take, from_="given")])  # E: capdeco-unchecked
    def in_annotated(self, given: InAnnotated) -> None:
        """d"""

    @operation(steps=[Step(take, from_="given")])  # E: capdeco-unchecked
    def generated(self, given: Generated) -> None:
        """d"""

    @operation(steps=[Step(take, from_="given")])  # E: capdeco-unchecked
    def choices(self, given: Choices) -> None:
        """d"""

    @operation(steps=[Step(take, from_="given")])  # E: capdeco-unchecked
    def computed(self, given: Computed) -> None:
        """d"""

    @operation(steps=[Step(take, from_="given")])
    def known(self, given: Known) -> None:
        """d"""

    @operation(steps=[Step(take, from_="given")])  # E: capdeco-missing
    def known_too(self, given: KnownToo) -> None:
        """d"""

    @operation(steps=[Step(take, from_="given")])  # E: capdeco-type
    def heir(self, given: Heir) -> None:
        """d"""

    @operation(steps=[Step(take, from_="given")])
    def by_name(self, given: ByName) -> None:
        """d"""

    @operation(steps=[Step(take, from_="given")])  # E: capdeco-missing
    def by_name_too(self, given: ByNameToo) -> None:
        """d"""

    @operation(steps=[Step(take, from_="given")])
    def by_both(self, given: ByBoth) -> None:
        """d"""

    @operation(steps=[Step(take, from_="given")])  # E: capdeco-unchecked
    def by_whatever(self, given: ByWhatever) -> None:
        """d"""

    @operation(steps=[Step(take, from_="given")])  # E: capdeco-unchecked
    def converted(self, given: Converted) -> None:
        """d"""

    @operation(steps=[Step(take)])  # E: capdeco-unchecked
    def anything(self, name: Any) -> None:
        """d"""

    @operation(steps=[Step(take)])  # E: capdeco-missing
    def opened(self, **given: str) -> None:
        """d"""

    @operation(steps=[Step(take)])
    def whole(self, given: Known, /) -> None:
        """d"""

    @operation(steps=[Step(take, from_="title")])  # E: capdeco-from
    def whole_from(self, given: Known, /) -> None:
        """d"""


@attrs.frozen
class OneX:
    x: int


@attrs.frozen
class OtherX:
    x: int


Either = OneX | OtherX
Maybe = OneX | None


@tool
def two_of_one_shape(a: Either) -> int:  # E: capdeco-declaration
    """d"""
    return 0


@tool
def one_class_twice(a: Maybe | OneX) -> int:
    """d"""
    return 0
