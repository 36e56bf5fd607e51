"""Steps in every spelling."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, Literal

from capdeco import Step, capability, operation, tool
from tests.typing.valid import named
from tests.typing.valid.named import BOTH, FIELD, LAYING, READING
from tests.typing.valid.tools import Options, Size, layout, read_file, resize, spell, whatever

TOOL: Final = "read_file"
LITERAL: Literal["read_file"] = "read_file"
OWN_TUPLE = (Step(read_file), Step(layout, from_="options"))


class Names(StrEnum):
    READ = "read_file"


@capability(id="strings", description="By name.")
class Strings:
    @operation(steps=[Step("read_file")])
    def by_name(self, path: str) -> None:
        """d"""

    @operation(steps=[Step("read_file"), Step("layout", from_="options")])
    def by_name_from(self, path: str, options: Options) -> None:
        """d"""

    @operation(steps=[Step("resize-image", "size")])
    def renamed(self, size: Size) -> None:
        """d"""

    @operation(steps=[Step("pack"), Step("unpack")])
    def in_a_class(self, weight: int, fast: bool = False) -> None:
        """d"""

    @operation(steps=[Step("trim_text")])
    def assigned(self, text: str) -> None:
        """d"""

    @operation(steps=[Step("own")])
    def own(self, text: str) -> None:
        """d"""

    @operation(steps=[Step("plain_read"), Step("reading_read")])
    def operations(self, path: str) -> None:
        """d"""

    @operation(steps=[Step(TOOL), Step(LITERAL), Step(Names.READ.value), Step(named.TOOL)])
    def constants(self, path: str) -> None:
        """d"""


@capability(id="mappings", description="The seed's spelling.")
class Mappings:
    @operation(steps=[{"tool": "read_file"}])
    def mapping(self, path: str) -> None:
        """d"""

    @operation(steps=[{"tool": "read_file"}, {"tool": "layout", "from": "options"}])
    def mapping_from(self, path: str, options: Options) -> None:
        """d"""

    @operation(steps=[{"from": FIELD, "tool": "layout"}])
    def constant(self, options: Options) -> None:
        """d"""

    @operation(steps=[Step(read_file), {"tool": "resize-image", "from": "size"}])
    def mixed(self, path: str, size: Size) -> None:
        """d"""


@capability(id="named_steps", description="Steps by name.")
class NamedSteps:
    @operation(steps=[READING, LAYING])
    def imported(self, path: str, options: Options) -> None:
        """d"""

    @operation(steps=[named.READING])
    def attribute(self, path: str) -> None:
        """d"""

    @operation(steps=BOTH)
    def a_tuple(self, path: str, options: Options) -> None:
        """d"""

    @operation(steps=[*OWN_TUPLE, Step(spell)])
    def star(self, path: str, options: Options, text: str) -> None:
        """d"""

    @operation(steps=[*BOTH, *OWN_TUPLE])
    def two_stars(self, path: str, options: Options) -> None:
        """d"""

    @operation(steps=(Step(read_file), Step(layout, FIELD)))
    def display(self, path: str, options: Options) -> None:
        """d"""

    @operation(steps=[Step(read_file)] + [Step(layout, from_=FIELD)])  # noqa: RUF005 - a spelling of its own
    def joined(self, path: str, options: Options) -> None:
        """d"""

    @operation(steps=[Step(from_="options", tool=layout)])
    def keywords(self, options: Options) -> None:
        """d"""

    @operation(steps=[Step(layout, from_="options"), Step(layout, from_="options"), Step(layout, from_="other")])
    def one_field_twice(self, options: Options, other: Options) -> None:
        """d"""

    @operation(
        steps=[
            Step(
                resize,
                from_="size",
            ),
            Step(read_file),
        ]
    )
    def over_lines(
        self,
        path: str,
        size: Size,
    ) -> None:
        """d"""


def names() -> list[str]:
    return ["read_file"]


@capability(id="unprovable", description="What cannot be known is not reported.")
class Unprovable:
    @operation(steps=[Step(read_file) for _ in range(2)])
    def comprehension(self, path: str) -> None:
        """d"""

    @operation(steps=[Step(name) for name in names()])
    def computed(self, path: str) -> None:
        """d"""

    @operation(steps=[Step(read_file if names() else whatever)])
    def conditional(self, path: str) -> None:
        """d"""

    @operation(steps=[{"tool": name} for name in names()])
    def mappings(self, path: str) -> None:
        """d"""


@tool
def own(text: str) -> None:
    """d"""
