"""A plugin whose tools are the methods of an object."""

from capdeco import Step, Tool, capability, operation


class Counter:
    def next(self, by: int) -> int:
        """Count on."""
        return by + 1


counter_step = Tool.of(Counter().next, name="counter_step", expose=False)


@capability(id="counter", description="A counter.")
@operation(steps=[Step(counter_step)], name="next")
def counter_next(by: int) -> None:
    """Count on."""
