"""Which types have no JSON form, and what to take instead: one function per rule, as in `faults`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from capdeco.declare.faults import Flaw
from capdeco.declare.shape import Shape, show

_DATA: Final = "an attrs class, a dataclass or a TypedDict"
_TEXT: Final = "use str: an argument comes from outside, and is no text of the program"
INSTEAD: Final[Mapping[str, str]] = {
    "typing.Callable": "pass the name of a tool instead",
    "builtins.complex": "pass two numbers",
    "re.Pattern": "take the pattern as str, and compile it in the body",
    "builtins.type": "take a name as str or Literal",
    "builtins.range": "pass its bounds",
    "typing.Iterator": "take a list",
    "typing.Generator": "take a list",
    "typing.AsyncIterator": "take a list",
    "typing.AsyncIterable": "take a list",
    "enum.Flag": "take a list of names",
    "msgspec.UnsetType": "use None for no value",
    "typing.LiteralString": _TEXT,
}
"""Qualified name -> what to take instead; what `typing` and `collections.abc` both have, under `typing`."""


def is_known(name: str) -> bool:
    """Tell whether the table has words for the type whose qualified name is *name*."""
    return _home(name) in INSTEAD


def _home(name: str) -> str:
    home, _, last = name.rpartition(".")
    home = {"collections.abc": "typing", "typing_extensions": "typing", "_collections_abc": "typing"}.get(home, home)
    return f"{home}.{last}"


def no_form(name: str, shown: str = "") -> Flaw:
    """A type has a JSON form; *name* is qualified, *shown* what it is called here."""
    what = f"{shown or name.rpartition('.')[2]} has no JSON form"
    special = f"use a JSON type, {_DATA}" if name.startswith("typing.") else ""
    return Flaw("type", what, INSTEAD.get(_home(name), special or f"make it {_DATA}, or take what it is made from"))


def protocol(name: str) -> Flaw:
    """A type says which object to make."""
    what = f"{name} is a Protocol: nothing says which object to make from JSON"
    return Flaw("type", what, f"use {_DATA}")


def init_var(name: str) -> Flaw:
    """What is passed in can be seen again."""
    what = "an InitVar is no field: it could be passed in, and never be seen again"
    return Flaw("type", what, "make it a field, or compute it in the body", path=name)


def other_init(name: str, field: str) -> Flaw:
    """A class is made from its fields."""
    what = f"{name} is not made from its fields: its __init__ does not take {field}"
    return Flaw("type", what, "let attrs or dataclasses write the __init__")


def literal(shown: str) -> Flaw:
    """A Literal is of JSON scalars; *shown* is one item, as Python writes it, a member as `Enum.NAME`."""
    return Flaw("type", f"the Literal {shown} has no JSON form", "use text, a number or a boolean")


def enum_value(member: str) -> Flaw:
    """The values of an enum are JSON scalars; *member* is `Enum.NAME`."""
    what = f"the enum member {member} has a value that is no JSON scalar"
    return Flaw("type", what, "give the members text or numbers as values")


def enum_without_members(name: str) -> Flaw:
    """An enum has members."""
    return Flaw("type", f"the enum {name} has no members", "give it some")


def unpacked_tuple() -> Flaw:
    """A tuple has a length, or items of one type."""
    return Flaw("type", "a tuple with an unpacked part has no JSON form", "use tuple[X, ...], or a list")


def keys() -> Flaw:
    """The keys of an object are text."""
    return Flaw("type", "the keys of an object are text", "use dict[str, ...]")


def endless(name: str) -> Flaw:
    """A generic class does not hold ever larger versions of itself."""
    what = f"{name} contains ever larger types of its own kind"
    return Flaw("type", what, "let it contain itself as it is")


def same_arms(one: Shape, other: Shape) -> Flaw:
    """The members of a union can be told apart."""
    what = f"{show(one)} and {show(other)} cannot be told apart: a value may be either"
    return Flaw("union", what, "add a tag: a field with another Literal in each")
