"""A decorator that is held by a name may make a tool of what stands below: that is not known while above it."""

from capdeco import Step, capability, operation, tool

internal = tool(expose=False)


@capability(id="early", description="d")
class Early:
    @operation(steps=[Step("named_below")])  # E: capdeco-unchecked
    def run(self, a: int) -> None:
        """d"""


@internal
def named_below(a: str) -> None:
    """d"""
