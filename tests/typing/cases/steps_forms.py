"""Every way to write steps down."""

from typing import Final

import attrs

from capdeco import Step, capability, operation, tool

from tests.typing.cases import constants
from tests.typing.cases.catalog import Margins, catalog_crop, catalog_read, write
from tests.typing.cases.constants import AS_LIST, BOTH, CROPPING, FIELD, READING, Wide

LOCAL = Step(catalog_read)
LOCAL_TUPLE: Final = (Step(catalog_read), Step(catalog_crop, from_="margins"))


def flag() -> bool:
    return True


@capability(id="forms", description="d")
class Forms:
    @operation(steps=[READING, CROPPING])
    def named(self, path: str, margins: Margins) -> None:
        """d"""

    @operation(
        steps=[
            READING,
            CROPPING,  # E: capdeco-from
        ]
    )
    def named_from(self, path: str, margin: Margins) -> None:
        """d"""

    @operation(steps=[constants.READING, LOCAL])
    def attribute(self, path: str) -> None:
        """d"""

    @operation(steps=[constants.READING, LOCAL])  # E: capdeco-type
    def attribute_type(self, path: int) -> None:
        """d"""

    @operation(steps=BOTH)
    def a_tuple(self, path: str, margins: Margins) -> None:
        """d"""

    @operation(steps=BOTH)  # E: capdeco-from
    def a_tuple_from(self, path: str, margins: int) -> None:
        """d"""

    @operation(steps=[*LOCAL_TUPLE, Step(write)])
    def star(self, path: str, margins: Margins, text: str) -> None:
        """d"""

    @operation(steps=[*LOCAL_TUPLE, Step(write)])  # E: capdeco-missing
    def star_missing(self, path: str, margins: Margins) -> None:
        """d"""

    @operation(steps=[Step(catalog_read)] + [Step(catalog_crop, from_="margins")])
    def joined(self, path: str, margins: Margins) -> None:
        """d"""

    @operation(steps=[Step(catalog_read)] + [Step(catalog_crop, from_="margin")])  # E: capdeco-from
    def joined_from(self, path: str, margins: Margins) -> None:
        """d"""

    @operation(steps=(Step(catalog_read), Step(catalog_crop, FIELD)))
    def tuple_display(self, path: str, margins: Wide) -> None:
        """d"""

    @operation(steps=AS_LIST)  # E: capdeco-unchecked
    def a_list_by_name(self, path: str, margins: int) -> None:
        """d"""

    @operation(steps=[Step(catalog_read if flag() else write)])  # E: capdeco-unchecked
    def conditional(self, path: str) -> None:
        """d"""

    @operation(steps=[Step(catalog_read) for _ in range(2)])  # E: capdeco-unchecked
    def comprehension(self, path: str, other: int) -> None:
        """d"""

    @operation(steps=[{"tool": "catalog_read", "from": f"{FIELD}x"}])  # E: capdeco-unchecked
    def computed_from(self, path: str, margins: int) -> None:
        """d"""

    @operation(steps=[dict(tool="catalog_read")])  # E: capdeco-unchecked
    def dict_call(self, path: str, margins: int) -> None:
        """d"""

    @operation(steps=[Step(tool=catalog_read), Step(tool=catalog_crop, from_="margins")])
    def keywords(self, path: str, margins: Margins) -> None:
        """d"""

    @operation(
        steps=[
            Step(
                catalog_crop,
                from_="margin",  # E: capdeco-from
            ),
            Step(catalog_read),
        ]
    )
    def the_value_is_pointed_at(self, path: str, margins: Margins) -> None:
        """d"""

    @operation(
        steps=[
            {
                "tool": "catalog_crop",
                "from": "margin",  # E: capdeco-from
            },
            {"tool": "catalog_read"},
        ]
    )
    def the_value_of_a_mapping_is_pointed_at(self, path: str, margins: Margins) -> None:
        """d"""

    @operation(
        steps=[
            Step(catalog_read),
            Step(  # E: capdeco-missing
                write,
            ),
        ]
    )
    def the_step_is_pointed_at(self, path: str) -> None:
        """d"""

    @operation(steps=[Step(catalog_crop, from_=f"{FIELD}")])  # E: capdeco-unchecked
    def computed_source(self, margins: Margins, other: int) -> None:
        """d"""

    @operation(steps=[Step(computed_name(), from_="margin")])  # E: capdeco-from
    def computed_tool(self, margins: Margins) -> None:
        """d"""

    @operation(steps=[{"tool": "catalog_read", "form": "x"}])  # E: capdeco-declaration
    def unknown_key(self, path: str) -> None:
        """d"""

    @operation(steps=[{"from": "margins"}])  # E: capdeco-declaration
    def no_tool(self, margins: Margins) -> None:
        """d"""

    @operation(steps=[{"tool": "a b"}])  # E: capdeco-declaration
    def illegal(self, path: str) -> None:
        """d"""

    @operation(steps=[Step("")])  # E: capdeco-declaration
    def illegal_step(self, path: str) -> None:
        """d"""

    @operation(steps=[Step(catalog_read, from_="")])  # E: capdeco-declaration
    def empty_from(self, path: str) -> None:
        """d"""

    @operation(steps=[])  # E: capdeco-declaration
    def empty(self, path: str) -> None:
        """d"""

    @operation(steps=())  # E: capdeco-declaration
    def empty_tuple(self, path: str) -> None:
        """d"""

    @operation(steps=[Step(flag)])  # E: capdeco-declaration
    def a_function_that_is_no_tool(self) -> None:
        """d"""

    @operation(steps=[Step(catalog_crop, from_="margins")])  # type: ignore[capdeco-from]
    def ignored(self, margin: Margins) -> None:
        """d"""


def computed_name() -> str:
    return "catalog_crop"


steps = [Step(catalog_read)]
reading = operation(steps=[Step(catalog_read)])


@capability(id="bound", description="d")
class Bound:
    @reading
    def decorator_by_name(self, path: str, other: int) -> None:  # E: capdeco-unchecked
        """d"""


@attrs.frozen
class Unrelated:
    steps: int = 1


@tool
def unrelated() -> None:
    """d"""
