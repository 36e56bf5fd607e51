"""A function's parameters as what a tool takes, read from source."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

from capdeco.check.analyze.python.classes import json_default
from capdeco.check.analyze.python.module import Function, Scope
from capdeco.check.analyze.python.project import Defined, External, Thing
from capdeco.check.analyze.python.shapes import Shapes, plain
from capdeco.check.analyze.records import Dynamic
from capdeco.declare.faults import Refused
from capdeco.declare.shape import ANY, NO_DEFAULT, Field, Object, Shape, documented

Injected = Callable[[str], bool]
"""Tells by a type's full name whether a parameter of it is given by the framework, not by the model."""

_FIELDS: Final = ("pydantic.Field", "pydantic.fields.Field")


def is_method(target: Defined) -> bool:
    """Tell whether the first parameter is given by Python."""
    if target.scope.owner is None or isinstance(target.node, ast.ClassDef):
        return False
    return not any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in target.node.decorator_list)


def is_class_method(node: Function) -> bool:
    """Tell whether a method gets its class."""
    return any(isinstance(each, ast.Name) and each.id == "classmethod" for each in node.decorator_list)


def takes_of(shapes: Shapes, target: Defined, injected: Injected, skip_first: bool = False) -> Object:
    """Read what a function of some framework takes: leniently, since its rules are not ours.

    Args:
        shapes: the reader of types.
        target: the function.
        injected: which types are given by the framework.
        skip_first: whether the first parameter is the framework's, whatever its type.
    """
    assert isinstance(target.node, ast.FunctionDef | ast.AsyncFunctionDef)
    arguments, scope = target.node.args, target.scope
    positional = arguments.posonlyargs + arguments.args
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    pairs = list(zip(positional, defaults, strict=True))[1 if is_method(target) else 0 :]
    pairs = pairs[1 if skip_first else 0 :] + list(zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True))
    fields = {
        argument.arg: lenient_field(shapes, argument.annotation, default, scope)
        for argument, default in pairs
        if not is_injected(shapes, argument.annotation, default, scope, injected)
    }
    rest: Shape | None = None
    if arguments.kwarg is not None:
        annotation = arguments.kwarg.annotation
        rest = shapes.lenient(annotation, scope) if annotation is not None else ANY
    return Object(fields, rest=rest)


def is_injected(
    shapes: Shapes, annotation: ast.expr | None, default: ast.expr | None, scope: Scope, injected: Injected
) -> bool:
    """Tell by type, metadata or default whether the framework gives a parameter."""
    for node in (annotation, default):
        if node is None:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node is annotation:
            try:
                node = ast.parse(node.value, mode="eval").body
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue
        for part in _types_in(node):
            thing = shapes.project.resolve(part, scope)
            if isinstance(thing, External) and injected(thing.name):
                return True
            if isinstance(thing, Defined) and any(
                isinstance(base, External) and injected(base.name) for base in shapes.project.lineage(thing)
            ):
                return True
    return False


def _types_in(node: ast.expr) -> list[ast.expr]:
    """The types that an annotation names, and the calls in its metadata: not the arguments of generics."""
    match node:
        case ast.Subscript(value=value, slice=index):
            inner = index.elts if isinstance(index, ast.Tuple) else [index]
            wrapper = getattr(value, "attr", getattr(value, "id", ""))
            if wrapper in ("Optional", "Annotated", "Union"):
                return [each for part in inner for each in _types_in(part)]
            return [value]
        case ast.BinOp(left=left, right=right):
            return [*_types_in(left), *_types_in(right)]
        case ast.Call(func=function):
            return [function]
        case ast.Name() | ast.Attribute():
            return [node]
        case _:
            return []


def lenient_field(shapes: Shapes, annotation: ast.expr | None, default: ast.expr | None, scope: Scope) -> Field:
    """Read one parameter; `= Field(...)` is required, `= Field(default=...)` is not."""
    shape = shapes.lenient(annotation, scope)
    if isinstance(default, ast.Call) and is_field(shapes, default, scope):
        options = {each.arg: each.value for each in default.keywords if each.arg}
        shape = documented(shape, _text(shapes, options.get("description"), scope) or shape.doc)
        value = options.get("default", default.args[0] if default.args else None)
        if "default_factory" in options:
            return Field(shape, optional=True)
        default = None if isinstance(value, ast.Constant) and value.value is Ellipsis else value
    elif default is None and annotation is not None:
        default = _default_in(shapes, annotation, scope)
    if default is None:
        return Field(shape)
    try:
        return Field(shape, optional=True, default=json_default(default, shapes, scope))
    except Refused:
        return Field(shape, optional=True, default=NO_DEFAULT)


def _default_in(shapes: Shapes, annotation: ast.expr, scope: Scope) -> ast.expr | None:
    """`Annotated[int, Field(default=3)]` has a default too."""
    if not isinstance(annotation, ast.Subscript) or not isinstance(annotation.slice, ast.Tuple):
        return None
    if plain(shapes.project.resolve(annotation.value, scope)) != "typing.Annotated":
        return None
    for each in annotation.slice.elts[1:]:
        if isinstance(each, ast.Call) and is_field(shapes, each, scope):
            return next((option.value for option in each.keywords if option.arg == "default"), None)
    return None


def is_field(shapes: Shapes, call: ast.Call, scope: Scope) -> bool:
    """Tell whether *call* is pydantic's `Field(...)`."""
    return plain(shapes.project.resolve(call.func, scope)) in _FIELDS


def _text(shapes: Shapes, node: ast.expr | None, scope: Scope) -> str:
    value = shapes.project.value(node, scope) if node is not None else ""
    return "" if isinstance(value, Dynamic) or not isinstance(value, str) else value


def function_named(thing: Thing | None) -> Defined | None:
    """Give *thing* if it is a function of the folder."""
    if isinstance(thing, Defined) and isinstance(thing.node, ast.FunctionDef | ast.AsyncFunctionDef):
        return thing
    return None


__all__ = [
    "Injected",
    "function_named",
    "is_class_method",
    "is_field",
    "is_injected",
    "is_method",
    "lenient_field",
    "takes_of",
]
