"""Steps by name: against the tool module, and against this module's own tools, wherever they stand."""

from enum import StrEnum
from typing import Final, Literal

from capdeco import Step, capability, operation, tool

from tests.typing.cases import constants
from tests.typing.cases.constants import READ


class Names(StrEnum):
    READ = "catalog_read"


KEY: Literal["catalog_read"] = "catalog_read"
WRONG: Final = "catalog_raed"
computed = "catalog_" + "raed"


@capability(id="by_name", description="d")
class ByName:
    @operation(steps=[Step("catalog_read")])
    def right(self, path: str) -> None:
        """d"""

    @operation(steps=[Step("catalog_raed")])  # E: capdeco-tool
    def misspelt(self, path: str) -> None:
        """d"""

    @operation(
        steps=[
            Step("catalog_read"),
            Step(
                "nix",  # E: capdeco-tool
            ),
        ]
    )
    def second(self, path: str) -> None:
        """d"""

    @operation(steps=[{"tool": "catalog_read"}, {"tool": "catalog_raed"}])  # E: capdeco-tool
    def mapping(self, path: str) -> None:
        """d"""

    @operation(steps=[Step("catalog-write")])
    def renamed(self, path: str, text: str) -> None:
        """d"""

    @operation(steps=[Step("catalog-write")])  # E: capdeco-missing
    def renamed_missing(self, path: str) -> None:
        """d"""

    @operation(steps=[Step("write")])  # E: capdeco-tool
    def python_name(self, path: str, text: str) -> None:
        """d"""

    @operation(steps=[Step("catalog_crop", from_="margins")])
    def by_call(self, margins: "Margins") -> None:
        """d"""

    @operation(steps=[Step("catalog_static"), Step("catalog_class")])
    def in_a_class(self, path: str) -> None:
        """d"""

    @operation(steps=[Step("catalog_open"), Step("catalog_close")])
    def operations(self, path: str) -> None:
        """d"""

    @operation(steps=[Step("catalog_open")])  # E: capdeco-missing
    def operation_missing(self) -> None:
        """d"""

    @operation(steps=[Step("own_below")])
    def own(self, n: int) -> None:
        """d"""

    @operation(steps=[Step("own_below")])  # E: capdeco-type
    def own_type(self, n: str) -> None:
        """d"""

    @operation(steps=[Step("assigned_below")])
    def assigned(self) -> None:
        """d"""

    @operation(steps=[Step(READ), Step(constants.READ), Step(Names.READ.value), Step(KEY)])
    def constant(self, path: str) -> None:
        """d"""

    @operation(steps=[Step(READ), Step(constants.READ), Step(Names.READ.value), Step(KEY)])
    def constant_unused(self, path: str, lang: str) -> None:  # E: capdeco-unused
        """d"""

    @operation(steps=[Step(WRONG)])  # E: capdeco-tool
    def wrong_constant(self, path: str) -> None:
        """d"""

    @operation(steps=[Step(computed)])  # E: capdeco-unchecked
    def by_computed_name(self, path: str) -> None:
        """d"""

    @operation(steps=[Step("by_name_itself")])  # E: capdeco-tool
    def itself(self, path: str) -> None:
        """d"""


@tool
def own_below(n: int) -> None:
    """d"""


def _target() -> None:
    """d"""


assigned_below = tool(name="assigned_below")(_target)

from tests.typing.cases.catalog import Margins  # noqa: E402
