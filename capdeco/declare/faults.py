"""What a declaration may not be: one function per rule, from plain facts to the words that every reader says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import attrs

from capdeco.codes import DECLARATION
from capdeco.declare.names import generated_name, identifier_fault, is_blank, quoted, tool_name_fault
from capdeco.declare.shape import NULL, Shape, arms_of, show
from capdeco.errors import DeclarationError, Diagnostic, Place, did_you_mean


@attrs.frozen
class Flaw:
    """A rule that is broken: which, what is wrong, what to do, and at which part of a type (`columns`, `rows[]`)."""

    rule: str
    what: str
    fix: str
    path: str = ""

    def __str__(self) -> str:
        return f"{self.path}: {self.what}" if self.path else self.what

    def within(self, path: Sequence[str]) -> Flaw:
        """Give this as the fault of what holds it, at *path* there."""
        return attrs.evolve(self, path=".".join(filter(None, [*path, self.path])).replace(".[", "["))

    def diagnostic(self, place: Place | None = None, subject: str = "") -> Diagnostic:
        """Say it of *subject*, at *place*."""
        return Diagnostic(DECLARATION, str(self), self.fix, place=place, subject=subject, rule=self.rule)

    def error(self, place: Place | None = None, subject: str = "") -> DeclarationError:
        """Make the error that says it."""
        return DeclarationError(self.diagnostic(place, subject))


class Refused(Exception):
    """A type or default that cannot cross the wire: raised where it is found, a diagnostic once its place is known."""

    def __init__(self, flaw: Flaw) -> None:
        super().__init__(str(flaw))
        self.flaw = flaw


def located(error: DeclarationError, *, place: Place | None = None, subject: str = "") -> DeclarationError:
    """Give *error* with a place and a subject for what has none of its own."""
    return DeclarationError(
        *(attrs.evolve(each, place=each.place or place, subject=each.subject or subject) for each in error.diagnostics)
    )


# Subjects: which part of a declaration a fault is about


def parameter_of(function: str, parameter: str) -> str:
    """Name a parameter."""
    return f'the parameter "{parameter}" of "{function}"'


_PATH: Final = re.compile(r"([^.\[]*)\.?(.*)")


def in_input(function: str, flaw: Flaw) -> tuple[Flaw, str]:
    """Give *flaw*, whose path leads there from the input, as it is said of the field that the path begins with."""
    parts = _PATH.fullmatch(flaw.path)
    field, inside = parts.groups() if parts else ("", "")
    return attrs.evolve(flaw, path=inside), parameter_of(function, field) if field else f'"{function}"'


def result_of(function: str) -> str:
    """Name what a function gives back."""
    return f'the result of "{function}"'


# Names and descriptions


def capability_id(id_: object) -> Flaw | None:
    """A capability's id is an identifier."""
    fault = identifier_fault(id_, "a capability id")
    return Flaw("capability-id", fault, "choose another id") if fault else None


def operation_name(name: object) -> Flaw | None:
    """An operation's name is an identifier."""
    fault = identifier_fault(name, "an operation name")
    return Flaw("operation-name", fault, 'give it another with @operation(name="...")') if fault else None


def tool_name(name: object) -> Flaw | None:
    """A tool's name is one that a host takes."""
    fault = tool_name_fault(name)
    return Flaw("tool-name", fault, "give the tool another name=") if fault else None


def generated(id_: str, operation: str) -> Flaw | None:
    """The name that an operation has as a tool is a tool's."""
    name = generated_name(id_, operation)
    fault = tool_name_fault(name)
    what = f'"{name}", the name that the operation "{operation}" of "{id_}" would have as a tool, is not legal: {fault}'
    return Flaw("generated-name", what, "shorten the id or the operation's name") if fault else None


def name_taken(id_: str, operation: str) -> Flaw:
    """No tool has the name that an operation would have as one."""
    name = generated_name(id_, operation)
    what = f'the operation "{operation}" of "{id_}" becomes the tool "{name}", and there is one already'
    return Flaw("duplicate-operation", what, "rename the operation, or choose another id")


def id_taken(id_: str) -> Flaw:
    """A capability has an id of its own."""
    what = f'there are two capabilities "{id_}"'
    return Flaw("duplicate-capability", what, "rename one of them")


def operations_of_one_name(id_: str | None, name: str) -> Flaw:
    """The operations of a capability have a name each; *id_* is `None` where it is computed."""
    owner = f'the capability "{id_}"' if id_ is not None else "the capability"
    tool = f'the tool "{generated_name(id_, name)}"' if id_ is not None else "one tool"
    what = f'{owner} has two operations named "{name}", and both would be {tool}'
    return Flaw("duplicate-operation", what, "rename one of them")


def defined_twice(name: str) -> Flaw:
    """A class body defines an operation once."""
    what = f'this class has two operations "{name}", and Python keeps the last one only'
    return Flaw("duplicate-operation", what, "rename one of them")


def no_description(kind: str, name: str) -> Flaw:
    """A tool or operation says what it does."""
    what = f'the {kind} "{name}" has no description: it is what the model reads'
    return Flaw(f"{kind}-description", what, "write a docstring, or give description=")


def capability_description(id_: str | None, description: object) -> Flaw | None:
    """A capability says what it is about; *id_* is `None` where it is computed."""
    what = f'the capability "{id_}" has no description' if id_ is not None else "the capability has no description"
    return Flaw("capability-description", what, "say what it is about") if is_blank(description) else None


def no_operations(id_: str | None) -> Flaw:
    """A capability has operations; *id_* is `None` where it is computed."""
    what = f'the capability "{id_}" has no operations' if id_ is not None else "the capability has no operations"
    return Flaw("operations", what, "put @operation(steps=[...]) on a method, or below @capability on the function")


# Functions, and what stands on them


def no_function(word: str, shown: str) -> Flaw:
    """What *word* is put on is a function."""
    return Flaw("target", f"{word} belongs on a function, not on {shown}", "write a def")


def takes_no_attributes(shown: str) -> Flaw:
    """What a record is attached to can hold one."""
    what = f"{shown} cannot carry a declaration: it takes no attributes"
    return Flaw("target", what, "declare it with Tool.of(callable, name=...), or wrap it in a function")


def not_callable(shown: str) -> Flaw:
    """A tool can be called."""
    return Flaw("target", f"{shown} is not callable", "give a function")


def no_self(owner: str, function: str) -> Flaw:
    """An operation that is a method has a parameter for its object."""
    what = f'"{owner}.{function}" takes no self, so its first parameter is none of the operation\'s'
    return Flaw("target", what, "add self, or put @staticmethod below @operation")


def has_body(operation: str) -> Flaw:
    """An operation's body is no more than a docstring, `...` or `pass`."""
    what = f'the body of the operation "{operation}" would never run: its steps are all it does'
    return Flaw("body", what, "leave the docstring alone (or `...`), and put the code into a tool that a step names")


def lost(word: str, name: str, above: str = "") -> Flaw:
    """What carries *word* is what is called; *above* is the decorator that may wrap it, if its name is known."""
    shown, there = (f"@{above}", f"@{above}") if above else ("a decorator", "that decorator")
    what = f'"{name}" loses {word}: {shown} stands above it, and may wrap the function'
    return Flaw("lost-decorator", what, f"put {word} above {there}")


def perhaps_lost(word: str, name: str, above: str) -> Flaw:
    """As `lost`, where nothing says what the decorator gives back."""
    what = f'"{name}" may lose {word}: nothing says that @{above} gives back the function'
    return Flaw("lost-decorator", what, f"put {word} above @{above}")


def remade(name: str, above: str = "") -> Flaw:
    """The class that carries `@capability` is the one that is used; *above* as in `lost`."""
    shown, there = (f"@{above}", f"@{above}") if above else ("a decorator", "that decorator")
    what = f'@capability was lost: {shown} stands above it, and makes another class "{name}"'
    return Flaw("lost-decorator", what, f"put @capability above {there}")


def lost_to_property(word: str, name: str) -> Flaw:
    """A property is no method."""
    return Flaw("lost-decorator", f'"{name}" loses {word}: it is a property', "make it a method")


def declared_twice(name: str, word: str, other: str) -> Flaw:
    """A function is declared once: *word* and *other* are the decorators that stand on it."""
    both = f"{word} twice" if word == other else f"both {word} and {other}"
    return Flaw("lost-decorator", f'"{name}" has {both}: it is declared once', "remove one")


def overridden(owner: str, name: str) -> Flaw:
    """What overrides an operation is one, or takes it away."""
    what = f'"{owner}.{name}" overrides an operation and is none itself'
    return Flaw("lost-decorator", what, f"put @operation on it, or write `{name} = None` to take the operation away")


# Steps

STEP_KEYS: Final = ("tool", "from")


def steps_are_no_list(operation: str, shown: str) -> Flaw:
    """Steps are a list."""
    return Flaw("steps", f'the steps of "{operation}" are a list, not {shown}', "write steps=[...]")


def no_steps(operation: str) -> Flaw:
    """An operation has steps."""
    return Flaw("steps", f'the operation "{operation}" has no steps: it would do nothing', "name a tool")


def no_step(shown: str, *, is_list: bool) -> Flaw:
    """A step is a `Step`, or a mapping."""
    what = f"a step is a Step(...) or a mapping with tool and from, not {shown}"
    return Flaw("step-tool" if is_list else "step-shape", what, 'write Step(tool) or {"tool": "name", "from": "field"}')


def step_key(key: object) -> Flaw | None:
    """A step has two keys."""
    if key in STEP_KEYS:
        return None
    return Flaw("step-shape", f"a step has no key {quoted(key)}", did_you_mean(str(key), STEP_KEYS, "keys"))


def step_without_tool() -> Flaw:
    """A step names a tool."""
    return Flaw("step-tool", "a step names no tool", 'give it a "tool"')


def step_tool(name: object) -> Flaw | None:
    """The tool of a step has a tool's name."""
    fault = tool_name_fault(name)
    what = f"the tool of a step: {fault}"
    return Flaw("step-tool", what, "write the name that the tool is registered under") if fault else None


def step_from(name: object, *, plain: bool = False) -> Flaw | None:
    """What a step reads is a field, whose name is an identifier in *plain* data."""
    if not isinstance(name, str) or not name:
        what = f"a step's from must be the name of an input field, not {quoted(name)}"
        return Flaw("step-from", what, "name a field" if name is not None else "leave it out")
    fault = identifier_fault(name, "a step's from") if plain else None
    return Flaw("step-from", fault, "name a field of the operation's parameters") if fault else None


def no_tool(shown: str) -> Flaw:
    """A step that is given an object is given a tool; *shown* is its name in quotes, or what Python shows."""
    what = f"{shown} is no tool: it does not carry @tool"
    return Flaw("step-tool", what, "put @tool on the function, or write the tool's name")


def operation_as_tool(function: str, id_: str | None, operation: str) -> Flaw:
    """A step names the tool that an operation becomes, not its function; *id_* is `None` where it is not known."""
    what = f'"{function}" is an operation: what a host has is the tool that it becomes'
    name = generated_name(id_ if id_ is not None else "<id>", operation)
    return Flaw("step-tool", what, f'name that tool, as in Step("{name}")')


def capability_as_tool(shown: str, tools: Sequence[str]) -> Flaw:
    """A step names one of the tools that a capability becomes; *shown* as in `no_tool`."""
    what = f"{shown} is a capability: what a host has are the tools that it becomes"
    names = " or ".join(f'Step("{each}")' for each in tools)
    return Flaw("step-tool", what, f"name one of them, as in {names}")


def of_an_object(kind: str, method: str) -> Flaw:
    """The method of an object is not what its class declares."""
    name, fix = method.upper(), "give the class"
    if kind == "tool":
        fix = f'declare it, as in {name} = Tool.of(instance.{method}, name="{method}"), and give {name}'
    return Flaw("target", f'"{method}" is a method of an object, and its @{kind} is the class\'s', fix)


# Parameters


def star_args(function: str) -> Flaw:
    """Arguments have names."""
    what = f'"{function}" takes *args, and a tool\'s arguments have names'
    return Flaw("parameters", what, "name each parameter, or take one list")


def no_annotation(function: str, parameter: str) -> Flaw:
    """A parameter has a type."""
    return Flaw("parameters", f"{parameter_of(function, parameter)} has no annotation", "annotate it")


def second_context() -> Flaw:
    """A tool is given one context."""
    return Flaw("parameters", "there is one context, and it is given already", "remove it")


def context_of_operation(parameter: str) -> Flaw:
    """An operation has no use for a context."""
    what = f'the parameter "{parameter}" is a context, and an operation has no body that could use it'
    return Flaw("parameters", what, "remove it, and take it in a tool that a step names")


def field_twice(field: str) -> Flaw:
    """A field of the input is one parameter's."""
    return Flaw("parameters", f'two parameters give the input a field "{field}"', "rename one")


def not_defined(name: str) -> Flaw:
    """An annotation uses names that there are when the program runs."""
    what = f'the name "{name}" in its annotation is not defined at run time'
    return Flaw("annotation", what, f'move the import or pass types={{"{name}": ...}}')


# Defaults


def default_of_whole_input() -> Flaw:
    """A whole input is there, or its fields are absent."""
    return Flaw("default", "the whole input has no default", "give its fields defaults")


def default_not_finite() -> Flaw:
    """JSON has neither NaN nor infinity."""
    return Flaw("default", "NaN and infinity have no JSON form", "use None for no value")


def default_without_form(why: str) -> Flaw:
    """A default has a JSON form."""
    return Flaw("default", f"the default has no JSON form: {why}", "give one that has, or none")


def value_without_form(type_: str) -> str:
    """Say why a value of the type called *type_* has no JSON form."""
    return f"a value of type {type_} has no JSON form"


def default_misfit(value: object, shape: Shape) -> Flaw:
    """A default is a value of its type."""
    nullable = value is None and NULL not in arms_of(shape)
    fix = f"write {show(shape)} | None" if nullable else "change the default or the type"
    return Flaw("default", f"the default {value!r} is no value of {show(shape)}", fix)
