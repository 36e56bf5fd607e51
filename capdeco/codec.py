"""JSON arguments as Python objects, and results as JSON: prepared once per tool, from the same forms as its schema."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import attrs
import msgspec

from capdeco.declare.functions import FunctionInput, is_method, place_of
from capdeco.declare.shape import Array, Const, Object, Scalar, Shape, Unknown, admits, resolve
from capdeco.errors import DECLARATION, DeclarationError, Diagnostic, ToolError
from capdeco.host.protocol import Body, Context
from capdeco.reading import FunctionShape, NoJson, Parameter, ShapeReader, to_json
from capdeco.reading.annotations import owner_of
from capdeco.reading.foreign import Foreign
from capdeco.reading.forms import (
    Alias,
    Anything,
    Choice,
    Constants,
    Fixed,
    Keyed,
    Many,
    Noted,
    Plain,
    Text,
    form_of,
)
from capdeco.reading.functions import plain_function
from capdeco.reading.records import MISSING, Member, Record
from capdeco.result import Content

Convert: TypeAlias = Callable[[Any], Any]
"""A JSON value that its schema admits -> the Python object; raises `Problems`."""


class Problems(Exception):
    """What is wrong with a value: each problem with its path from there."""

    def __init__(self, *found: tuple[str, str]) -> None:
        super().__init__(*found)
        self.found = found

    def under(self, step: str) -> list[tuple[str, str]]:
        return [(_joined(step, path), why) for path, why in self.found]

    def __str__(self) -> str:
        return "; ".join(f"{path}: {why}" if path else why for path, why in self.found)


def _joined(step: str, path: str) -> str:
    return step + path if not path or path.startswith("[") else f"{step}.{path}"


def body_of(takes: FunctionInput, read: FunctionShape) -> Body:
    """Make what a host runs for a function: arguments that passed the rendered schema and a context -> JSON or `Content`.

    The body is a coroutine function exactly if the function is one. What is absent is left to Python.
    Arguments that are no value of their type after all raise `ToolError`, code INVALID_ARGS, with every problem.

    Raises:
        DeclarationError: the function is a method without an instance, or makes a generator.
    """
    function = _callable(takes)
    arguments = _arguments(takes, read)
    if _is_async(takes.function):

        async def run(given: dict[str, Any], context: Context) -> Any:
            positional, named = arguments(given, context)
            result = function(*positional, **named)
            return _result(await result if inspect.isawaitable(result) else result)

        return run

    def run_here(given: dict[str, Any], context: Context) -> Any:
        positional, named = arguments(given, context)
        return _result(function(*positional, **named))

    return run_here


def _result(value: Any) -> Any:
    try:
        if isinstance(value, Content):
            return attrs.evolve(value, value=to_json(value.value))
        return to_json(value)
    except NoJson as error:
        raise ToolError(f"the result is no JSON: {error}", code="INVALID_TOOL_OUTPUT") from None


# Which function is called


def _callable(takes: FunctionInput) -> Callable[..., Any]:
    target: Any = takes.function
    plain = plain_function(target)
    if plain is not None and (inspect.isgeneratorfunction(plain) or inspect.isasyncgenfunction(plain)):
        raise _refused(takes, "it makes a generator, and a tool gives one result", "return a list")
    if isinstance(target, staticmethod):
        return target.__func__
    if not is_method(target) or inspect.ismethod(target):
        return target  # type: ignore[no-any-return]
    # The class is complete by now: what stands under the function's name in it knows whether it needs an instance.
    owner = owner_of(plain) if plain is not None else None
    found = inspect.getattr_static(owner, plain.__name__, None) if owner and plain else None
    if isinstance(found, staticmethod | classmethod):
        return getattr(owner, plain.__name__)  # type: ignore[union-attr, no-any-return]
    if isinstance(target, classmethod):
        raise _refused(takes, "its class cannot be found", "declare it with Tool.of(TheClass.method)")
    raise _refused(
        takes,
        "it is a method, and there is no instance to call it on",
        "make it a static method, or declare the bound one with Tool.of(instance.method)",
    )


def _refused(takes: FunctionInput, what: str, fix: str) -> DeclarationError:
    name = getattr(plain_function(takes.function) or takes.function, "__name__", repr(takes.function))
    return DeclarationError(
        Diagnostic(DECLARATION, what, fix, place=place_of(takes.function), subject=f'"{name}"', rule="target")
    )


def _is_async(target: Any) -> bool:
    """A plain wrapper hands on the coroutine of the async function that it wraps."""
    plain = plain_function(target)
    return inspect.iscoroutinefunction(target) or (plain is not None and inspect.iscoroutinefunction(plain))


# Arguments

_Arguments: TypeAlias = Callable[[dict[str, Any], Context], tuple[list[Any], dict[str, Any]]]


def _arguments(takes: FunctionInput, read: FunctionShape) -> _Arguments:
    signature = read.signature
    converters = Converters(takes.types)
    steps: list[tuple[str, Convert]] = []
    for each in signature.fields:
        convert = converters.of(each.annotation)
        if convert is not None:
            steps.append((each.name, convert))
    whole = None if signature.whole is None else converters.whole(signature.whole.annotation)
    own = frozenset(each.name for each in signature.fields)
    rest = None if signature.rest is inspect.Parameter.empty else converters.of(signature.rest)
    positional = [each for each in signature.fields if each.positional]
    context = signature.context

    def arguments(given: dict[str, Any], current: Context) -> tuple[list[Any], dict[str, Any]]:
        problems: list[tuple[str, str]] = []
        for name, convert in steps:
            if name in given:
                try:
                    given[name] = convert(given[name])
                except Problems as found:
                    problems += found.under(name)
        ordered: list[Any] = []
        if rest is not None:
            for name in given.keys() - own:
                try:
                    given[name] = rest(given[name])
                except Problems as found:
                    problems += found.under(name)
        if signature.whole is not None:
            fields = {name: each for name, each in given.items() if name not in own}
            given = {name: each for name, each in given.items() if name in own}
            try:
                made = whole(fields) if whole is not None else fields
            except Problems as found:
                problems += found.found
            else:
                if signature.spread:
                    given |= made
                else:
                    ordered.append(made)
        if problems:
            raise ToolError(str(Problems(*problems)), code="INVALID_ARGS")
        if context is not None:
            given[context.name] = current
        if positional:
            ordered += _by_position(given, positional)
        return ordered, given

    if not steps and rest is None and signature.whole is None and context is None and not positional:
        return _as_they_are
    return arguments


def _as_they_are(given: dict[str, Any], _: Context) -> tuple[list[Any], dict[str, Any]]:
    return [], given


def _by_position(given: dict[str, Any], parameters: list[Parameter]) -> list[Any]:
    ordered: list[Any] = []
    for each in parameters:
        ordered.append(given.pop(each.name) if each.name in given else each.default)
    return ordered


_WORDS: Final = {
    "date": "is not a date, as in 2026-01-31",
    "date-time": "is not a date with a time, as in 2026-01-31T12:00:00Z",
    "time": "is not a time, as in 12:00:00",
    "duration": "is not a duration, as in PT1H30M",
    "uuid": "is not a UUID",
    "decimal": "is not a decimal number, as in 12.50",
    "path": "is not a path",
    "byte": "is not base64",
}


@attrs.define(eq=False)
class Converters:
    """Makes the converters of one tool; `None` stands for one that would change nothing."""

    names: Mapping[str, object]
    _running: dict[Any, list[Convert | None]] = attrs.field(factory=dict)

    def of(self, annotation: Any) -> Convert | None:  # noqa: PLR0911, C901 - one line per form
        """Make the converter for a type that was read before, so that its form is known to exist."""
        match form_of(annotation, self.names):
            case Anything():
                return None
            case Plain(type=kind):
                return None if kind in (type(None), bool, str) else _made(kind, "is not a number")
            case Text(format=name, type=kind):
                return _made(kind, _WORDS[name]) if name == "path" else _text(kind, _WORDS[name])
            case Constants(values=values, same=same):
                return None if same else _constants({_exact(wire): value for wire, value in values})
            case Many(item=item, make=make):
                return _many(self.of(item), make)
            case Fixed(items=items):
                return _fixed([self.of(item) or _same for item in items])
            case Keyed(key=key, value=value):
                return _keyed(self.of(key), self.of(value))
            case Choice(arms=arms):
                return self._choice(arms)
            case Noted(inner=inner, checks=checks):
                return _checked(self.of(inner), checks)
            case Alias(target=target):
                return self._named(annotation, lambda: self.of(target))
            case Record() as record:
                return self._named(annotation, lambda: self._record(record, array=record.array))
            case Foreign() as foreign:
                return _foreign(foreign)

    def whole(self, annotation: Any) -> Convert | None:
        """Like `of`, for a type whose fields are the input: an object, even if it travels as an array elsewhere."""
        form = form_of(annotation, self.names)
        while isinstance(form, Noted):
            form = form_of(form.inner, self.names)
        return self._record(form, array=False) if isinstance(form, Record) else self.of(annotation)

    def _named(self, key: Any, make: Callable[[], Convert | None]) -> Convert | None:
        """A type that contains itself is converted by what is still being made."""
        try:
            hash(key)
        except TypeError:
            key = id(key)
        if key in self._running:
            cell = self._running[key]

            def again(value: Any) -> Any:
                return cell[0](value) if cell[0] is not None else value

            return again
        cell = self._running[key] = [None]
        try:
            cell[0] = make()
        finally:
            del self._running[key]
        return cell[0]

    def _choice(self, arms: tuple[Any, ...]) -> Convert | None:
        reader = ShapeReader(self.names)
        found: list[tuple[Shape, Convert | None]] = []
        for arm in arms:
            form = form_of(arm, self.names)
            inner = form.arms if isinstance(form, Choice) else (arm,)
            found += [(reader.shape(each), self.of(each)) for each in inner]
        if all(convert is None for _, convert in found):
            return None
        found.sort(key=lambda each: _rank(each[0]))

        def choose(value: Any) -> Any:
            problems: list[tuple[str, str]] = []
            for shape, convert in found:
                if not admits(shape, value):
                    continue
                if convert is None:
                    return value
                try:
                    return convert(value)
                except Problems as error:
                    problems += [each for each in error.found if each not in problems]
            raise Problems(*problems or [("", "is none of the types that it may be")])

        return choose

    def _record(self, record: Record, *, array: bool) -> Convert | None:
        members = [(each, self.of(each.annotation)) for each in record.inputs]
        if array:
            return _array_record(record, members)
        rest = None if record.rest is MISSING else self.of(record.rest)
        if record.plain and rest is None and all(convert is None for _, convert in members):
            return None
        known = {each.wire: (each.name, convert) for each, convert in members}
        tag = record.tag[0] if record.tag is not None else None

        def make(value: Mapping[str, Any]) -> Any:
            fields: dict[str, Any] = {}
            problems: list[tuple[str, str]] = []
            for wire, each in value.items():
                if wire == tag:
                    continue
                name, convert = known.get(wire, (wire, rest))
                try:
                    fields[name] = each if convert is None else convert(each)
                except Problems as found:
                    problems += found.under(wire)
            if problems:
                raise Problems(*problems)
            return _call(record.make, fields)

        return make


def _same(value: Any) -> Any:
    return value


def _rank(shape: Shape) -> int:
    """Which arm is tried first: constants, then text of a format, then plain scalars, and base64 last, as it takes much."""
    match resolve(shape):
        case Const():
            return 0
        case Scalar(kind="string", format="byte"):
            return 4
        case Scalar(kind="string", format=None):
            return 3
        case Unknown():
            return 5
        case Array() | Object():
            return 2
        case _:
            return 1


def _made(kind: Callable[[Any], Any], words: str) -> Convert:
    def make(value: Any) -> Any:
        try:
            return kind(value)
        except (ValueError, TypeError, OverflowError):
            raise Problems(("", words)) from None

    return make


def _text(kind: Any, words: str) -> Convert:
    def make(value: Any) -> Any:
        try:
            return msgspec.convert(value, kind)
        except msgspec.ValidationError:
            raise Problems(("", words)) from None

    return make


def _exact(value: Any) -> tuple[bool, Any]:
    return isinstance(value, bool), value


def _constants(values: Mapping[tuple[bool, Any], Any]) -> Convert:
    def choose(value: Any) -> Any:
        return values[_exact(value)]

    return choose


def _many(item: Convert | None, make: Callable[[list[Any]], Any] | None) -> Convert | None:
    if item is None:
        return make and _made(make, "holds what this collection cannot")

    def convert(values: list[Any]) -> Any:
        found: list[Any] = []
        problems: list[tuple[str, str]] = []
        for place, each in enumerate(values):
            try:
                found.append(item(each))
            except Problems as error:
                problems += error.under(f"[{place}]")
        if problems:
            raise Problems(*problems)
        return found if make is None else make(found)

    return convert


def _fixed(items: list[Convert]) -> Convert:
    def convert(values: list[Any]) -> Any:
        if len(values) != len(items):
            raise Problems(("", f"has {len(values)} items, not {len(items)}"))
        return tuple(_each(values, items))

    return convert


def _each(values: list[Any], items: list[Convert]) -> list[Any]:
    found: list[Any] = []
    problems: list[tuple[str, str]] = []
    for place, (value, convert) in enumerate(zip(values, items, strict=False)):
        try:
            found.append(convert(value))
        except Problems as error:
            problems += error.under(f"[{place}]")
    if problems:
        raise Problems(*problems)
    return found


def _keyed(key: Convert | None, value: Convert | None) -> Convert | None:
    if key is None and value is None:
        return None
    convert_key, convert_value = key or _same, value or _same

    def convert(given: Mapping[str, Any]) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        problems: list[tuple[str, str]] = []
        for name, each in given.items():
            try:
                found[convert_key(name)] = convert_value(each)
            except Problems as error:
                problems += error.under(name)
        if problems:
            raise Problems(*problems)
        return found

    return convert


def _array_record(record: Record, members: list[tuple[Member, Convert | None]]) -> Convert:
    names = [each.name for each, _ in members]
    items = [convert or _same for _, convert in members]
    least = sum(each.required for each, _ in members)

    def make(values: list[Any]) -> Any:
        if not least <= len(values) <= len(items):
            raise Problems(("", f"has {len(values)} items, not {least if least == len(items) else f'{least} to {len(items)}'}"))
        return _call(record.make, dict(zip(names, _each(values, items), strict=False)))

    return make


def _checked(convert: Convert | None, checks: tuple[Callable[[Any], object], ...]) -> Convert | None:
    return convert


def _call(make: Callable[..., Any], fields: Mapping[str, Any]) -> Any:
    try:
        return make(**fields)
    except (ValueError, TypeError, AssertionError) as error:
        raise Problems(("", _words(error))) from None


def _words(error: Exception) -> str:
    """What a validator said, if it said it in words."""
    said = error.args[0] if error.args and isinstance(error.args[0], str) else ""
    return said or "is not valid"


def _foreign(foreign: Foreign) -> Convert:
    read = foreign.reader()

    def convert(value: Any) -> Any:
        try:
            return read(msgspec.json.encode(value))
        except ValueError as error:
            raise Problems(*_foreign_problems(error)) from None

    return convert


def _foreign_problems(error: Any) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for each in error.errors(include_url=False, include_input=False, include_context=False):
        path = ""
        for step in reversed(each["loc"]):
            path = _joined(f"[{step}]" if isinstance(step, int) else str(step), path)
        found.append((path, each["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ")))
    return found


__all__ = ["Converters", "Problems", "body_of", "to_json"]
