"""Annotations as types: the one place where names are looked up, however late.

Quoted annotations, `from __future__ import annotations` and PEP 649 differ only in what is left to look up here.
"""

from __future__ import annotations

import inspect
import sys
import typing
from collections.abc import Collection, Mapping
from types import FunctionType, SimpleNamespace
from typing import Any, get_args, get_origin

import attrs
import typing_extensions

from capdeco.declare.faults import Flaw, Refused, not_defined
from capdeco.declare.functions import classes_around


@attrs.frozen(eq=False)
class Names:
    """What an annotation may refer to: a module's names, and those that are nearer."""

    module: dict[str, Any]
    near: dict[str, Any]


def names_of_function(function: FunctionType, types: Mapping[str, object]) -> Names:
    """Give what the annotations of *function* see: its closure, classes around it, its module, and *types* last."""
    near: dict[str, Any] = {}
    for owner in classes_around(function):
        near |= _types_in(owner)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            near[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    return Names(_under(function.__globals__, types), near | _type_parameters(function))


def names_of_class(owner: type, types: Mapping[str, object]) -> Names:
    """Give what the annotations in the body of *owner* see."""
    near = {owner.__name__: owner, **_types_in(owner), **_type_parameters(owner)}
    return Names(_under(_module(owner.__module__), types), near)


def names_of_module(name: str | None, types: Mapping[str, object]) -> Names:
    """Give what an annotation at the top of module *name* sees."""
    return Names(_under(_module(name), types), {})


def _module(name: str | None) -> dict[str, Any]:
    module = sys.modules.get(name or "")
    return vars(module) if module else {}


def _under(module: dict[str, Any], types: Mapping[str, object]) -> dict[str, Any]:
    return {**types, **module} if types else module


def _types_in(owner: type) -> dict[str, Any]:
    # Only types: a field `date: date = None` or a method `list` does not hide the type of that name.
    return {name: each for name, each in vars(owner).items() if isinstance(each, type) or get_origin(each)}


def _type_parameters(owner: object) -> dict[str, Any]:
    return {each.__name__: each for each in getattr(owner, "__type_params__", ())}


def resolve(annotation: Any, names: Names) -> Any:
    """Look up every name in *annotation*, `Annotated` and qualifiers kept.

    Raises:
        Refused: a name is not defined at run time, or the text is no type.
    """
    if isinstance(annotation, type) and not get_args(annotation):
        return annotation
    try:
        if isinstance(annotation, str):
            # As in a class body: text may say ClassVar or Final, as an annotation that is no text may.
            annotation = typing.ForwardRef(annotation, is_argument=False, is_class=True)
        holder = SimpleNamespace(__annotations__={"it": annotation})
        return typing.get_type_hints(holder, names.module, names.near, include_extras=True)["it"]
    except NameError as error:
        raise Refused(not_defined(error.name or str(annotation))) from None
    except (SyntaxError, TypeError, AttributeError, KeyError, ValueError) as error:
        shown = annotation if isinstance(annotation, str) else getattr(annotation, "__forward_arg__", repr(annotation))
        flaw = Flaw("annotation", f"its annotation {shown} cannot be read: {error}", "write a type")
        raise Refused(flaw) from None


def is_unpacked(annotation: Any) -> bool:
    """Tell whether *annotation* is `Unpack[...]` or `*...`: what is in it stands for itself."""
    unpack = (typing.Unpack, typing_extensions.Unpack)
    return get_origin(annotation) in unpack or getattr(annotation, "__unpacked__", False) is True


def signature_of(target: Any) -> inspect.Signature:
    """Give the signature, annotations as they stand.

    Raises:
        ValueError: *target* has none that Python knows.
    """
    if sys.version_info >= (3, 14):
        import annotationlib  # noqa: PLC0415 - exists from 3.14 on

        return inspect.signature(target, annotation_format=annotationlib.Format.FORWARDREF)
    return inspect.signature(target)


@attrs.frozen
class Hint:
    """One annotated name of a class, and the class that said it last."""

    annotation: Any
    owner: type


def hints_of(annotation: Any, types: Mapping[str, object], fields: Collection[str] | None = None) -> dict[str, Hint]:
    """Give the annotated names of a class, or of a generic class with arguments, bases' first.

    Each name is looked up where it was written, and type variables are what the subclass made them.

    Args:
        annotation: the class.
        types: names that no module has.
        fields: which names to look up; what else is annotated, say as a ClassVar, need not be readable.

    Raises:
        Refused: an annotation cannot be read; it names the field.
    """
    cls: type = get_origin(annotation) or annotation
    bound: dict[type, dict[Any, Any]] = {}
    _bind(cls, get_args(annotation), bound)
    # A TypedDict forgets its bases in its MRO, and remembers them in __orig_bases__.
    owners = list(bound) if typing_extensions.is_typeddict(cls) else [each for each in cls.__mro__ if each in bound]
    found: dict[str, Hint] = {}
    for owner in reversed(owners):
        raw = _own_annotations(owner)
        names = names_of_class(owner, types) if raw else None
        for name, each in raw.items():
            if fields is not None and name not in fields:
                continue
            try:
                assert names is not None
                found[name] = Hint(substitute(resolve(each, names), bound[owner]), owner)
            except Refused as refused:
                raise Refused(refused.flaw.within([name])) from None
    return found


def _bind(cls: type, arguments: tuple[Any, ...], bound: dict[type, dict[Any, Any]]) -> None:
    if cls in bound:
        return
    bound[cls] = binding = dict(zip(getattr(cls, "__parameters__", ()), arguments, strict=False))
    for base in vars(cls).get("__orig_bases__", cls.__bases__):
        origin = get_origin(base) or base
        if isinstance(origin, type) and origin not in (object, typing.Generic):
            _bind(origin, tuple(substitute(each, binding) for each in get_args(base)), bound)


def substitute(annotation: Any, binding: Mapping[Any, Any]) -> Any:
    """Put in types for the type variables in *annotation*."""
    if not binding:
        return annotation
    if isinstance(annotation, typing.TypeVar):
        return binding.get(annotation, annotation)
    parameters = getattr(annotation, "__parameters__", ())
    if isinstance(annotation, type) and not get_args(annotation):
        return annotation  # a bare generic class: its variables are its own
    if not isinstance(parameters, tuple) or not any(each in binding for each in parameters):
        return annotation
    return annotation[tuple(binding.get(each, each) for each in parameters)]


def _own_annotations(owner: type) -> dict[str, Any]:
    own = _raw(owner)
    if not typing_extensions.is_typeddict(owner):
        return own
    # A TypedDict repeats what its bases say, before their type variables were put in.
    bases = [get_origin(base) or base for base in vars(owner).get("__orig_bases__", ())]
    inherited = [_raw(base) for base in bases if typing_extensions.is_typeddict(base)]
    return {
        name: each for name, each in own.items() if not any(name in base and base[name] == each for base in inherited)
    }


def _raw(owner: type) -> dict[str, Any]:
    if sys.version_info >= (3, 14):
        import annotationlib  # noqa: PLC0415 - exists from 3.14 on

        return annotationlib.get_annotations(owner, format=annotationlib.Format.FORWARDREF)
    return dict(vars(owner).get("__annotations__", {}))
