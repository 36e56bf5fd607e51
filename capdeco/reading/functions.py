"""A function's signature as shapes: its input fields, what it returns, and what it says about itself."""

from __future__ import annotations

import inspect
import sys
import typing
from collections.abc import Mapping
from types import FunctionType
from typing import Any, Final, get_args, get_origin

import attrs
import typing_extensions

from capdeco.declare.functions import FunctionInput, is_method, place_of, underlying
from capdeco.declare.shape import Field, Object, Shape, Unknown, documented
from capdeco.docstring import read_docstring
from capdeco.errors import DECLARATION, DeclarationError, Diagnostic, Place
from capdeco.reading.annotations import Names, names_of_function, resolve, signature_of
from capdeco.reading.foreign import Foreign
from capdeco.reading.forms import form_of
from capdeco.reading.records import Record
from capdeco.reading.refusal import Refusal
from capdeco.reading.shapes import ShapeReader
from capdeco.result import Content

_EMPTY: Final = inspect.Parameter.empty
_UNPACK: Final = (typing.Unpack, typing_extensions.Unpack)


@attrs.frozen
class Parameter:
    """One parameter, its annotation looked up."""

    name: str
    annotation: Any
    default: Any = _EMPTY
    positional: bool = False
    """It cannot be passed by name."""


@attrs.frozen
class Signature:
    """A function's parameters, sorted by what they are to a caller from outside."""

    fields: tuple[Parameter, ...] = ()
    """One input field each."""
    whole: Parameter | None = None
    """Its own fields are the input fields; passed by position, or spread if `spread`."""
    spread: bool = False
    rest: Any = _EMPTY
    """The type of `**kwargs`."""
    context: Parameter | None = None
    returns: Any = _EMPTY


@attrs.frozen
class FunctionShape:
    """What a function takes and gives back, as shapes."""

    takes: Object
    """Input fields by wire name; closed, but for `**kwargs`."""
    returns: Shape
    description: str
    """The docstring without its parameter section."""
    context: str | None = None
    """The parameter that the host's context is passed as."""
    whole: str | None = None
    """The parameter whose own fields are the input fields."""
    signature: Signature = attrs.field(factory=Signature, eq=False, repr=False)


def read_function(takes: FunctionInput) -> FunctionShape:
    """Read the types, defaults and docstring of a function.

    Raises:
        DeclarationError: a parameter or the result has no JSON form, or an annotation cannot be looked up; all of them.
    """
    faults = _Faults(takes)
    signature = _signature(takes, faults)
    docstring = read_docstring(_docstring_of(takes.function))
    reader = ShapeReader(takes.types)
    fields: dict[str, Field] = {}
    for each in signature.fields:
        required = each.default is _EMPTY
        default = None if required else _constant(each.default)
        doc = docstring.parameters.get(each.name, "")
        with reader.at(each.name):
            fields[each.name] = reader.field(each.annotation, default, required=required, doc=doc)
    rest = None
    if signature.whole is not None:
        whole = _whole(signature.whole, reader, takes.types)
        for name, field in whole.fields.items():
            if name in fields:
                faults.add(Refusal("parameters", f'two parameters give the input a field "{name}"', "rename one", name))
            shape = documented(field.shape, field.shape.doc or docstring.parameters.get(name, ""))
            fields[name] = attrs.evolve(field, shape=shape)
        rest = whole.rest
    if signature.rest is not _EMPTY:
        with reader.at("**"):
            rest = reader.shape(signature.rest)
    faults.add(*reader.finish())
    returns = _returns(signature.returns, takes.types, faults)
    faults.check()
    return FunctionShape(
        takes=Object(fields, rest),
        returns=returns,
        description=docstring.description,
        context=signature.context.name if signature.context else None,
        whole=signature.whole.name if signature.whole else None,
        signature=signature,
    )


def _constant(value: Any) -> Any:
    return lambda: value


class _Faults:
    """Everything that is wrong with one function, as diagnostics at its line."""

    def __init__(self, takes: FunctionInput) -> None:
        plain = plain_function(takes.function)
        self._name = getattr(plain or takes.function, "__name__", repr(takes.function))
        self._place: Place | None = place_of(takes.function)
        self._found: list[Diagnostic] = []

    def add(self, *refusals: Refusal) -> None:
        for each in refusals:
            # Of a path, the first part is the parameter, and the rest where in its type.
            parameter, _, inside = each.path.replace("[", ".[", 1).partition(".")
            subject = f'the parameter "{parameter}" of "{self._name}"' if parameter else f'"{self._name}"'
            self._add(each, subject, inside)

    def add_result(self, *refusals: Refusal) -> None:
        for each in refusals:
            self._add(each, f'the result of "{self._name}"', each.path)

    def _add(self, refusal: Refusal, subject: str, inside: str) -> None:
        what = f"{inside}: {refusal.what}" if inside else refusal.what
        self._found.append(
            Diagnostic(DECLARATION, what, refusal.fix, place=self._place, subject=subject, rule=refusal.rule)
        )

    def check(self) -> None:
        if self._found:
            raise DeclarationError(*self._found)


def plain_function(target: Any) -> FunctionType | None:
    """Find the function whose annotations *target* goes by: below `functools.wraps`, or an object's `__call__`."""
    function = underlying(target)
    if function is None and isinstance(target, type):
        function = underlying(target.__init__)
    if function is None and callable(target):
        function = underlying(inspect.unwrap(target)) or underlying(getattr(type(target), "__call__", None))
    return underlying(inspect.unwrap(function)) if function else None


def _docstring_of(target: Any) -> str:
    plain = underlying(target)
    return getattr(plain or target, "__doc__", None) or ""


def _signature(takes: FunctionInput, faults: _Faults) -> Signature:
    target: Any = takes.function
    drop_first = is_method(target) and not inspect.ismethod(target)
    if isinstance(target, staticmethod | classmethod):
        target = target.__func__
    try:
        found = signature_of(target)
    except (ValueError, TypeError):
        faults.add(Refusal("parameters", "its signature cannot be read", "wrap it in a function of your own"))
        faults.check()
        return Signature()
    plain = plain_function(target)
    names = names_of_function(plain, takes.types) if plain else Names({}, dict(takes.types))
    bound = getattr(target, "keywords", {})
    parameters = [each for each in list(found.parameters.values())[drop_first:] if each.name not in bound]
    return _sorted(parameters, found.return_annotation, names, takes.types, faults)


def _sorted(
    parameters: list[inspect.Parameter],
    returns: Any,
    names: Names,
    types: Mapping[str, object],
    faults: _Faults,
) -> Signature:
    fields: list[Parameter] = []
    signature = Signature()
    for each in parameters:
        if each.annotation is _EMPTY:
            faults.add(Refusal("parameters", "it has no annotation", "annotate it", each.name))
            continue
        if each.kind is inspect.Parameter.VAR_POSITIONAL:
            faults.add(
                Refusal("parameters", "*args have no names, and a tool's arguments have", "take one list", each.name)
            )
            continue
        try:
            annotation = resolve(each.annotation, names)
        except Refusal as refusal:
            faults.add(attrs.evolve(refusal, path=each.name))
            continue
        positional = each.kind is inspect.Parameter.POSITIONAL_ONLY
        parameter = Parameter(each.name, annotation, each.default, positional)
        if is_context(annotation):
            signature = attrs.evolve(signature, context=parameter)
        elif each.kind is inspect.Parameter.VAR_KEYWORD and get_origin(annotation) in _UNPACK:
            inner = attrs.evolve(parameter, annotation=get_args(annotation)[0])
            signature = attrs.evolve(signature, whole=inner, spread=True)
        elif each.kind is inspect.Parameter.VAR_KEYWORD:
            signature = attrs.evolve(signature, rest=annotation)
        else:
            fields.append(parameter)
    alone = [each for each in fields if each.positional]
    if len(alone) == 1 and signature.whole is None and _is_object(alone[0].annotation, types):
        fields.remove(alone[0])
        signature = attrs.evolve(signature, whole=alone[0])
        if alone[0].default is not _EMPTY:
            faults.add(
                Refusal("default", "the whole input has no default", "give its fields defaults", alone[0].name)
            )
    try:
        returned = returns if returns is _EMPTY else resolve(returns, names)
    except Refusal as refusal:
        faults.add_result(refusal)
        returned = _EMPTY
    return attrs.evolve(signature, fields=tuple(fields), returns=returned)


def is_context(annotation: Any) -> bool:
    """Tell whether *annotation* is `capdeco.Context`, maybe optional; who wrote it has imported it."""
    module = sys.modules.get("capdeco.host.protocol")
    wanted = getattr(module, "Context", None)
    if wanted is None:
        return False
    return annotation is wanted or any(each is wanted for each in get_args(annotation))


def _is_object(annotation: Any, types: Mapping[str, object]) -> bool:
    try:
        form = _bare_form(annotation, types)
    except Refusal:
        return False
    if isinstance(form, Record):
        return not form.array or form.named_tuple
    return isinstance(form, Foreign) and form.members is not None


def _bare_form(annotation: Any, types: Mapping[str, object]) -> Any:
    while get_origin(annotation) is typing.Annotated:
        annotation = get_args(annotation)[0]
    return form_of(annotation, types)


def _whole(parameter: Parameter, reader: ShapeReader, types: Mapping[str, object]) -> Object:
    try:
        form = _bare_form(parameter.annotation, types)
    except Refusal as refusal:
        reader.refusals.append(refusal)
        return Object()
    if isinstance(form, Record):
        return reader.record(form)
    shape = reader.shape(parameter.annotation)
    return shape if isinstance(shape, Object) else Object()


def _returns(annotation: Any, types: Mapping[str, object], faults: _Faults) -> Shape:
    if annotation is _EMPTY:
        return Unknown("its result is not annotated")
    if annotation is Content or Content in get_args(annotation):
        return Unknown("its result is Content, which may hold any JSON")
    if annotation in (typing.NoReturn, typing.Never):
        return Unknown("it never returns")
    reader = ShapeReader(types, results=True)
    shape = reader.shape(annotation)
    faults.add_result(*reader.finish())
    return shape
