"""Operations whose names as tools are taken, by a tool or by their own steps."""

from capdeco import Step, capability, operation, tool
from tests.typing.cases.catalog import catalog_read


@tool
def taken_run(path: str) -> None:
    """d"""


@capability(id="taken", description="d")
class Taken:
    @operation(steps=[Step(catalog_read)])
    def run(self, path: str) -> None:  # E: capdeco-declaration
        """d"""

    @operation(steps=[Step(catalog_read)])
    def walk(self, path: str) -> None:
        """d"""


@capability(id="catalog", description="d")
class Elsewhere:
    @operation(steps=[Step(catalog_read)])
    def static(self, path: str) -> None:  # E: capdeco-declaration
        """d"""


@capability(id="catalog", description="d")
class ItselfATool:
    @operation(steps=[Step("catalog_read")])  # E: capdeco-tool
    def read(self, path: str) -> None:
        """d"""


@capability(id="taken", description="d")  # E: capdeco-declaration
@operation(steps=[Step(catalog_read)], name="run")
def function(path: str) -> None:
    """d"""


class Base:
    @operation(steps=[Step("heir_run")])  # E: capdeco-tool
    def run(self, path: str) -> None:
        """d"""


class Known:
    @operation(steps=[Step("taken_run")])
    def run(self, path: str) -> None:
        """d"""


@capability(id="other", description="d")
class Other(Known): ...


@capability(id="taken", description="d")  # E: capdeco-tool
class Itself(Known): ...


@operation(steps=[Step(catalog_read)])
@capability(id="order", description="c")  # E: capdeco-declaration
def wrong_order(path: str) -> None:
    """d"""
