"""A function's signature as shapes: its input fields, what it returns, and what it says about itself."""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Mapping
from typing import Any, Final, get_args, get_origin

import attrs

from capdeco.declare import faults as rules
from capdeco.declare.faults import Flaw, Refused
from capdeco.declare.functions import FunctionInput, is_method, place_of, underlying, written
from capdeco.declare.shape import Field, Object, Shape, Unknown, documented
from capdeco.declare.shape import resolve as resolve_shape
from capdeco.declare.wrappers import hidden_parameters, wrappers_of
from capdeco.docstring import read_docstring
from capdeco.errors import DeclarationError, Diagnostic, Place
from capdeco.host.protocol import Context
from capdeco.reading.annotations import Names, is_unpacked, names_of_function, resolve, signature_of
from capdeco.reading.foreign import Foreign
from capdeco.reading.forms import form_of
from capdeco.reading.records import Record
from capdeco.reading.shapes import ShapeReader
from capdeco.result import Content

EMPTY: Final = inspect.Parameter.empty
"""No annotation, or no default."""
_BY_NAME: Final = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


@attrs.frozen
class Parameter:
    """One parameter, its annotation looked up."""

    name: str
    annotation: Any
    default: Any = EMPTY


@attrs.frozen
class Signature:
    """A function's parameters, sorted by what they are to a caller from outside."""

    fields: tuple[Parameter, ...] = ()
    """One input field each."""
    whole: Parameter | None = None
    """Its own fields are the input fields."""
    spread: bool = False
    """They are passed one by one: `**input: Unpack[...]`."""
    rest: Any = EMPTY
    """The type of `**kwargs`."""
    context: Parameter | None = None
    positional: tuple[Parameter, ...] = ()
    """All that cannot be passed by name, in order."""
    returns: Any = EMPTY


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
        required = each.default is EMPTY
        default = None if required else _constant(each.default)
        doc = docstring.parameters.get(each.name, "")
        with reader.at(each.name):
            fields[each.name] = reader.field(each.annotation, default, required=required, doc=doc)
    rest = None
    if signature.whole is not None:
        whole = _whole(signature.whole, reader)
        for name, field in whole.fields.items():
            if name in fields:
                faults.add(rules.field_twice(name).within([name]))
            shape = documented(field.shape, field.shape.doc or docstring.parameters.get(name, ""))
            fields[name] = attrs.evolve(field, shape=shape)
        rest = whole.rest
    if signature.rest is not EMPTY:
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
        plain = written(takes.function)
        self.name: str = getattr(plain or takes.function, "__name__", repr(takes.function))
        self._place: Place | None = place_of(takes.function)
        self._found: list[Diagnostic] = []

    def add(self, *flaws: Flaw) -> None:
        for each in flaws:
            self._add(*rules.in_input(self.name, each))

    def add_result(self, *flaws: Flaw) -> None:
        for each in flaws:
            self._add(each, rules.result_of(self.name))

    def add_whole(self, flaw: Flaw) -> None:
        """Add what says itself whose it is."""
        self._add(flaw, "")

    def _add(self, flaw: Flaw, subject: str) -> None:
        self._found.append(flaw.diagnostic(self._place, subject))

    def check(self) -> None:
        if self._found:
            raise DeclarationError(*self._found)


def _docstring_of(target: Any) -> str:
    plain = underlying(target)
    return getattr(plain or target, "__doc__", None) or ""


def _signature(takes: FunctionInput, faults: _Faults) -> Signature:
    target: Any = takes.function
    drop_first = is_method(target)
    if isinstance(target, staticmethod | classmethod):
        target = target.__func__
    try:
        found = signature_of(target)
    except (ValueError, TypeError):
        faults.add(Flaw("parameters", "its signature cannot be read", "wrap it in a function of your own"))
        faults.check()
        return Signature()
    plain = written(target)
    names = names_of_function(plain, takes.types) if plain else Names({}, dict(takes.types))
    bound = target.keywords if isinstance(target, functools.partial) else {}
    hidden = hidden_parameters(underlying(target))
    said = list(found.parameters.values())[drop_first:]
    _check_wrapper(target, said, bound=drop_first or inspect.ismethod(target), hidden=hidden, faults=faults)
    parameters = [each for each in said if each.name not in bound and each.name not in hidden]
    return _sorted(parameters, found.return_annotation, names, takes.types, faults)


def _check_wrapper(
    target: Any, said: list[inspect.Parameter], *, bound: bool, hidden: frozenset[str], faults: _Faults
) -> None:
    """Refuse a wrapper that cannot be called as `functools.wraps` makes it say: every call would fail."""
    wrapper = underlying(target)
    if wrapper is None or not wrappers_of(wrapper)[0] or isinstance(target, functools.partial):
        return
    own = list(inspect.signature(wrapper, follow_wrapped=False).parameters.values())[bound:]
    fix = "give the wrapper a __signature__ that says what it takes, or declare a function of your own"
    names = {each.name for each in own if each.kind in _BY_NAME}
    if not any(each.kind is inspect.Parameter.VAR_KEYWORD for each in own):
        for each in said:
            if each.kind in _BY_NAME and each.name not in names | hidden:
                what = "the wrapper that a decorator put around the function does not take it"
                faults.add(Flaw("parameters", what, fix, each.name))
    by_place = any(each.kind is inspect.Parameter.POSITIONAL_ONLY for each in said)
    for each in own:
        required = each.kind in _BY_NAME and each.default is EMPTY and not by_place
        if required and each.name not in {parameter.name for parameter in said} - hidden:
            what = f'the wrapper that a decorator put around the function requires "{each.name}" too'
            faults.add(Flaw("parameters", what, fix))


def _sorted(
    parameters: list[inspect.Parameter], returns: Any, names: Names, extra: Mapping[str, object], faults: _Faults
) -> Signature:
    """Look up annotations, and sort parameters by what they are."""
    found: list[tuple[inspect.Parameter, Parameter]] = []
    for each in parameters:
        if each.annotation is EMPTY:
            faults.add_whole(rules.no_annotation(faults.name, each.name))
            continue
        if each.kind is inspect.Parameter.VAR_POSITIONAL:
            faults.add_whole(rules.star_args(faults.name))
            continue
        try:
            annotation = resolve(each.annotation, names)
        except Refused as refused:
            faults.add(attrs.evolve(refused.flaw, path=each.name))
        else:
            found.append((each, Parameter(each.name, annotation, each.default)))
    positional = [parameter for each, parameter in found if each.kind is inspect.Parameter.POSITIONAL_ONLY]
    signature = Signature(positional=tuple(positional))
    fields: list[Parameter] = []
    for each, parameter in found:
        if is_context(parameter.annotation):
            if signature.context is not None:
                faults.add(rules.second_context().within([each.name]))
            signature = attrs.evolve(signature, context=parameter)
        elif each.kind is not inspect.Parameter.VAR_KEYWORD:
            fields.append(parameter)
        elif is_unpacked(parameter.annotation):
            inner = attrs.evolve(parameter, annotation=get_args(parameter.annotation)[0])
            signature = attrs.evolve(signature, whole=inner, spread=True)
        else:
            signature = attrs.evolve(signature, rest=parameter.annotation)
    alone = [each for each in fields if each in positional]
    if len(alone) == 1 and signature.whole is None and _is_object(alone[0].annotation, extra):
        fields.remove(alone[0])
        signature = attrs.evolve(signature, whole=alone[0])
        if alone[0].default is not EMPTY:
            faults.add(rules.default_of_whole_input().within([alone[0].name]))
    try:
        returns = returns if returns is EMPTY else resolve(returns, names)
    except Refused as refused:
        faults.add_result(refused.flaw)
        returns = EMPTY
    return attrs.evolve(signature, fields=tuple(fields), returns=returns)


def is_context(annotation: Any) -> bool:
    """Tell whether *annotation* is `capdeco.Context`, maybe optional or described."""
    if get_origin(annotation) in (typing.Annotated, typing.Union, types.UnionType):
        return Context in get_args(annotation)
    return annotation is Context


def _is_object(annotation: Any, names: Mapping[str, object]) -> bool:
    try:
        form = _bare_form(annotation, names)
    except Refused:
        return False
    if isinstance(form, Record):
        return not form.array or form.named_tuple
    return isinstance(form, Foreign) and form.members is not None


def _bare_form(annotation: Any, names: Mapping[str, object]) -> Any:
    while get_origin(annotation) is typing.Annotated:
        annotation = get_args(annotation)[0]
    return form_of(annotation, names)


def _whole(parameter: Parameter, reader: ShapeReader) -> Object:
    try:
        form = _bare_form(parameter.annotation, reader.names)
    except Refused as refused:
        reader.refuse(refused.flaw)
        return Object()
    if isinstance(form, Record):
        return reader.record(form)
    shape = resolve_shape(reader.shape(parameter.annotation))
    return shape if isinstance(shape, Object) else Object()


def _returns(annotation: Any, names: Mapping[str, object], faults: _Faults) -> Shape:
    if annotation is EMPTY:
        return Unknown("its result is not annotated")
    if annotation is Content or Content in get_args(annotation):
        return Unknown("its result is Content, which may hold any JSON")
    if annotation in (typing.NoReturn, typing.Never):
        return Unknown("it never returns")
    reader = ShapeReader(names, results=True)
    shape = reader.shape(annotation)
    faults.add_result(*reader.finish())
    return shape
