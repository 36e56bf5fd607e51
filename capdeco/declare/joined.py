"""What the operations of one capability cannot be together: what every reader says of it, and what to do instead."""

from __future__ import annotations

from capdeco.declare.missteps import Said
from capdeco.declare.names import generated_name


def two_of_one_name(capability: str, operation: str) -> Said:
    """Of two operations that are named alike."""
    double = generated_name(capability, operation)
    what = (
        f'the capability "{capability}" has two operations named "{operation}", and both would be the tool "{double}"'
    )
    return what, "rename one of them"


def second_method(name: str) -> Said:
    """Of a second method of one name in a class body."""
    return f'this class has two operations "{name}", and Python keeps the last one only', "rename one of them"


def illegal_tool_name(capability: str, operation: str, fault: str) -> Said:
    """Of the two names that make none together; *fault* is what `tool_name_fault` says."""
    name = generated_name(capability, operation)
    what = f'"{name}", the name that the operation "{operation}" of "{capability}" would have as a tool, is not legal'
    return f"{what}: {fault}", "shorten the id or the operation's name"


def taken_name(capability: str, operation: str) -> Said:
    """Of an operation that would be called as a tool that there is."""
    name = generated_name(capability, operation)
    what = f'the operation "{operation}" of "{capability}" becomes the tool "{name}", and there is one already'
    return what, "rename the operation, or choose another id"


def lost_override(name: str, away: str) -> Said:
    """Of a method that overrides an operation and is none; *away* is what would take the operation away."""
    what = f'"{name}" overrides an operation and is none itself'
    return what, f"put @operation on it, or write `{away}` to take the operation away"


def no_operations(capability: str) -> Said:
    """Of a class or function without operations."""
    what = f'the capability "{capability}" has no operations'
    return what, "put @operation(steps=[...]) on a method, or below @capability on the function"
