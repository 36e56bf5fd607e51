"""Parameters and results that cannot be: what every reader says of their types and defaults, and what to do."""

from __future__ import annotations

import collections.abc
from collections.abc import Mapping
from typing import Final

import attrs

from capdeco.declare.shape import NULL, Shape, arms_of, show

DATA: Final = "an attrs class, a dataclass or a TypedDict"

_INSTEAD: Final[Mapping[str, str]] = {
    "builtins.complex": "pass two numbers",
    "builtins.range": "pass its bounds",
    "builtins.type": "take a name as str or Literal",
    "collections.abc.AsyncGenerator": "take a list",
    "collections.abc.AsyncIterable": "take a list",
    "collections.abc.AsyncIterator": "take a list",
    "collections.abc.Callable": "pass the name of a tool instead",
    "collections.abc.Generator": "take a list",
    "collections.abc.Iterator": "take a list",
    "enum.Flag": "take a list of names",
    "enum.IntFlag": "take a list of names",
    "msgspec.UnsetType": "use None for no value",
    "re.Match": "take the text, and match it in the body",
    "re.Pattern": "take the pattern as str, and compile it in the body",
    "typing.LiteralString": "use str: an argument comes from outside, and is no text of the program",
}


@attrs.frozen
class Unfit:
    """What is wrong with a type or a default, what to do, and the name of the rule."""

    what: str
    fix: str
    rule: str = "type"


def no_form(fullname: str, shown: str = "", *, is_class: bool = True, is_protocol: bool = False) -> Unfit:
    """Say that the type *fullname*, shown by its last name, has no JSON form."""
    fullname = _home(fullname)
    shown = shown or fullname.rpartition(".")[2]
    if fullname in _INSTEAD:
        return Unfit(f"{shown} has no JSON form", _INSTEAD[fullname])
    if is_protocol and not fullname.startswith("collections.abc."):
        return Unfit(f"{shown} is a Protocol: nothing says which object to make from JSON", f"use {DATA}")
    fix = f"make it {DATA}, or take what it is made from" if is_class else f"use a JSON type, {DATA}"
    return Unfit(f"{shown} has no JSON form", fix)


def _home(fullname: str) -> str:
    """Give the name of what `typing` only has another name for."""
    module, _, name = fullname.rpartition(".")
    if module not in ("typing", "typing_extensions"):
        return fullname
    if name in ("Pattern", "Match"):
        return f"re.{name}"
    if name == "Type":
        return "builtins.type"
    return f"collections.abc.{name}" if hasattr(collections.abc, name) else f"typing.{name}"


def literal(shown: str) -> Unfit:
    """Of an item of a Literal."""
    return Unfit(f"the Literal {shown} has no JSON form", "use text, a number or a boolean")


def enum_member(enum: str, member: str) -> Unfit:
    """Of a member of an enum whose value is no text, number or boolean."""
    what = f"the enum member {enum}.{member} has a value that is no JSON scalar"
    return Unfit(what, "give the members text or numbers as values")


def no_members(enum: str) -> Unfit:
    """Of an enum without members."""
    return Unfit(f"the enum {enum} has no members", "give it some")


def unpacked_tuple() -> Unfit:
    """Of `tuple[int, *tuple[str, ...]]`."""
    return Unfit("a tuple with an unpacked part has no JSON form", "use tuple[X, ...], or a list")


def keys() -> Unfit:
    """Of a mapping whose keys have no text form."""
    return Unfit("the keys of an object are text", "use dict[str, ...]")


def alike(one: Shape, other: Shape) -> Unfit:
    """Of two arms of a union."""
    what = f"{show(one)} and {show(other)} cannot be told apart: a value may be either"
    return Unfit(what, "add a tag: a field with another Literal in each", "union")


def endless(name: str) -> Unfit:
    """Of a generic class that contains itself with ever larger arguments."""
    return Unfit(f"{name} contains ever larger types of its own kind", "let it contain itself as it is")


def own_init(name: str, field: str) -> Unfit:
    """Of a class whose `__init__` takes something else than its fields."""
    what = f"{name} is not made from its fields: its __init__ does not take {field}"
    return Unfit(what, "let attrs or dataclasses write the __init__")


def init_var() -> Unfit:
    """Of a field that a dataclass only passes on."""
    what = "an InitVar is no field: it could be passed in, and never be seen again"
    return Unfit(what, "make it a field, or compute it in the body")


def not_finite() -> Unfit:
    """Of a default that is NaN or infinite."""
    return Unfit("NaN and infinity have no JSON form", "use None for no value", "default")


def formless_default(why: str) -> Unfit:
    """Of a default that is no JSON; *why* is what `formless_value` says, or the like."""
    return Unfit(f"the default has no JSON form: {why}", "give one that has, or none", "default")


def formless_value(type_name: str) -> str:
    """Say that a value of a type has no JSON form."""
    return f"a value of type {type_name} has no JSON form"


def other_default(value: object, shape: Shape) -> Unfit:
    """Of a default that its own type does not admit."""
    optional = value is None and NULL not in arms_of(shape)
    fix = f"write {show(shape)} | None" if optional else "change the default or the type"
    return Unfit(f"the default {value!r} is no value of {show(shape)}", fix, "default")


def whole_default() -> Unfit:
    """Of a default of the parameter whose fields are the input."""
    return Unfit("the whole input has no default", "give its fields defaults", "default")


def second_context() -> Unfit:
    """Of another parameter into which the host would put the context."""
    return Unfit("there is one context, and it is given already", "remove it", "parameters")


def idle_context() -> Unfit:
    """Of the context of an operation."""
    what = "it is a context, and an operation has no body that could use it"
    return Unfit(what, "remove it, and take it in a tool that a step names", "parameters")
