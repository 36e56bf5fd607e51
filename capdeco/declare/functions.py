"""What a function says without its types being read: its place, its parameters' names, and that its body is none."""

from __future__ import annotations

import dis
import functools
import inspect
import linecache
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any, Final

import attrs

from capdeco.declare import faults
from capdeco.declare.wrappers import hidden_parameters, wrappers_of
from capdeco.errors import Place


@attrs.frozen(eq=False)
class FunctionInput:
    """A signature, to be read when bound: late, so that forward references work."""

    function: Callable[..., Any]
    types: Mapping[str, object] = attrs.field(factory=dict)
    """Names that annotations may use beside those that the function itself sees."""


def underlying(target: object) -> FunctionType | None:
    """Find the Python function behind a static or class method, bound method or partial; `None` if there is none."""
    while True:
        if isinstance(target, staticmethod | classmethod):
            target = target.__func__
        elif isinstance(target, functools.partial):
            target = target.func
        elif inspect.ismethod(target):
            target = target.__func__
        else:
            break
    return target if isinstance(target, FunctionType) else None


def written(target: object) -> FunctionType | None:
    """Find the function whose signature and annotations *target* goes by: below wrappers, in a class or an object."""
    function = underlying(target)
    if function is None and isinstance(target, type):
        function = underlying(inspect.getattr_static(target, "__init__"))
    elif function is None and callable(target):
        inner = inspect.unwrap(target)
        function = underlying(inner) or underlying(inspect.getattr_static(type(inner), "__call__", None))
    return underlying(inspect.unwrap(function)) if function is not None else None


_DEF: Final = re.compile(r"\s*(async\s+)?def\b")


def place_of(target: object) -> Place | None:
    """Say where *target* was declared: at its `def` where the source can be read, else where its decorators begin."""
    function = written(target)
    if function is None:
        return None
    code = function.__code__
    for line in range(code.co_firstlineno, code.co_firstlineno + 100):
        text = linecache.getline(code.co_filename, line, function.__globals__)
        if not text:
            break
        if _DEF.match(text):
            return Place(code.co_filename, line)
    return Place(code.co_filename, code.co_firstlineno)


_INERT: Final = frozenset(
    {"RESUME", "NOP", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST", "RETURN_GENERATOR", "POP_TOP", "NOT_TAKEN"}
    | {"CALL_INTRINSIC_1", "RERAISE", "COPY_FREE_VARS"}  # what 3.12 and newer add to every coroutine or closure
)
_RETURN: Final = re.compile(r"(^|[:;])\s*return\b")


def has_body(function: FunctionType) -> bool:
    """Tell whether *function* would do anything, or say so by a bare `return`, beyond docstring, `...` and `pass`."""
    code = function.__code__
    for instruction in dis.get_instructions(code):
        if instruction.opname not in _INERT:
            return True
        if instruction.opname in ("LOAD_CONST", "RETURN_CONST") and instruction.argval is not None:
            return True
    return _returns_in_words(code, function.__globals__)


def _returns_in_words(code: CodeType, module: dict[str, Any]) -> bool:
    # `return` and `pass` compile alike: only the source tells them apart.
    for _, line, _, column in _positions(code):
        if _RETURN.search(linecache.getline(code.co_filename, line, module)[:column]):
            return True
    return False


def _positions(code: CodeType) -> Iterator[tuple[int, int, int, int]]:
    """Positions that stand for source: (line, end line, column, end column), columns from 0."""
    for line, end_line, column, end_column in code.co_positions():
        if line is not None and end_line is not None and column is not None and end_column:
            yield line, end_line, column, end_column


def check_parameters(target: object, *, place: Place | None) -> None:
    """Refuse what no schema can say, as far as names alone tell.

    Raises:
        DeclarationError: `*args`, or a parameter without annotation.
    """
    function = written(target)
    if function is None or isinstance(target, type) or hasattr(wrappers_of(underlying(target))[1], "__signature__"):
        return
    code = function.__code__
    if code.co_flags & inspect.CO_VARARGS:
        raise faults.star_args(function.__name__).error(place)
    annotated = raw_annotations(function)
    for name in _parameter_names(target, code):
        if name not in annotated:
            raise faults.no_annotation(function.__name__, name).error(place)


def _parameter_names(target: object, code: CodeType) -> tuple[str, ...]:
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if code.co_flags & inspect.CO_VARKEYWORDS:
        names += (code.co_varnames[len(names)],)
    if names and (is_method(target) or _is_bound(target)):
        names = names[1:]
    if isinstance(target, functools.partial):
        names = tuple(name for name in names[len(target.args) :] if name not in target.keywords)
    hidden = hidden_parameters(underlying(target))
    return tuple(name for name in names if name not in hidden)


def classes_around(function: FunctionType) -> Iterator[type]:
    """Classes that *function* is defined in, outermost first, where its qualified name leads to them."""
    owner: object = sys.modules.get(function.__module__)
    for part in function.__qualname__.split(".")[:-1]:
        owner = getattr(owner, part, None)
        if not isinstance(owner, type):
            return
        yield owner


def owner_of(function: FunctionType) -> type | None:
    """Find the class that *function* is a method of; `None` if there is none, or a function hides it."""
    around = list(classes_around(function))
    return around[-1] if around and len(around) == function.__qualname__.count(".") else None


def is_method(target: object) -> bool:
    """Tell whether the first parameter is somebody's `self` or `cls`, still to be given by Python.

    A decorator between `@staticmethod` and the function cannot see the former, so it is the parameter that tells:
    that of a method is called `self` or `cls`, or has no annotation, which no field of an input may lack.
    """
    while isinstance(target, functools.partial):
        target = target.func
    if isinstance(target, staticmethod) or _is_bound(target):
        return False
    if isinstance(target, classmethod):
        return True
    function = written(target)
    if function is None:
        return False
    # A function in a class body is known by its qualified name, in a function's locals by `<locals>`.
    owner = function.__qualname__.rpartition(".")[0]
    if not owner or owner.endswith("<locals>") or not function.__code__.co_argcount:
        return False
    first = function.__code__.co_varnames[0]
    return first in ("self", "cls") or first not in raw_annotations(function)


def _is_bound(target: object) -> bool:
    """Python has given the first parameter already: in a bound method, a class that is called, an object."""
    while isinstance(target, functools.partial):
        target = target.func
    wrapper = isinstance(target, FunctionType | staticmethod | classmethod) or hasattr(target, "__wrapped__")
    return inspect.ismethod(target) or not wrapper


def raw_annotations(function: FunctionType) -> dict[str, Any]:
    """Give annotations as they stand, names that do not resolve yet left unresolved (PEP 649 on 3.14 and newer)."""
    if sys.version_info >= (3, 14):
        import annotationlib  # noqa: PLC0415 - exists from 3.14 on

        return annotationlib.get_annotations(function, format=annotationlib.Format.FORWARDREF)
    return dict(function.__annotations__)
