"""The tool module that the cases' configuration names."""

import attrs

from capdeco import Step, capability, operation, tool
from capdeco.declare.tools import tool as also_tool


@attrs.frozen
class Margins:
    left: int = 0
    right: int = 0


@tool
def catalog_read(path: str) -> str:
    """Read."""
    return path


@tool(name="catalog-write")
def write(path: str, text: str) -> None:
    """Write."""


@also_tool()
async def catalog_margins(margins: Margins) -> None:
    """Set margins."""


def _crop(left: int, right: int) -> None:
    """Crop."""


catalog_crop = tool(name="catalog_crop")(_crop)


class Tools:
    @staticmethod
    @tool
    def catalog_static(path: str) -> None:
        """Work without an object."""

    @tool(name="catalog_class")
    @classmethod
    def on_class(cls, path: str) -> None:
        """Work on a class."""


@capability(id="catalog", description="An operation is a tool too.")
class Catalog:
    @operation(steps=[Step(catalog_read)])
    def open(self, path: str) -> None:
        """Open it."""


@capability(id="catalog", description="A function is one too.")
@operation(steps=[Step(catalog_read)])
def close(path: str) -> None:
    """Close it."""


def plain_elsewhere(n: int) -> None:
    """d"""
