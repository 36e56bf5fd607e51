"""What decorators do to a function, as far as the source says: give it back, or make another of it."""

from __future__ import annotations

import ast
from collections.abc import Container
from typing import Final

from capdeco.check.analyze.python.module import Function, Scope
from capdeco.check.analyze.python.options import is_builtin
from capdeco.check.analyze.python.project import Defined, External, Project, Thing, parsed_annotation
from capdeco.check.analyze.python.shapes import plain
from capdeco.check.analyze.python.signature import function_named

_KEEP: Final = frozenset(
    {"abc.abstractmethod", "builtins.staticmethod", "builtins.classmethod"}
    | {f"{home}.{name}" for home in ("typing", "typing_extensions") for name in ("final", "override", "no_type_check")}
)
"""Decorators of others that give back what they were given, as far as a record is concerned."""
_WRAP: Final = ("builtins.", "functools.", "contextlib.", "typing_extensions.deprecated", "warnings.deprecated")
"""What the names of decorators begin with that make something else."""
_WRAPS: Final = "functools.wraps"


def keeps(project: Project, decorator: ast.expr, scope: Scope) -> bool | None:
    """Tell whether a decorator gives back the function that it is given; `None`: nothing says so, or the contrary."""
    written, where = project.decorator(decorator, scope)
    called = written.func if isinstance(written, ast.Call) else written
    thing = project.resolve(called, where)
    if isinstance(thing, External):
        if thing.name in _KEEP:
            return True
        return False if thing.name.startswith(_WRAP) and thing.name != _WRAPS else None
    if isinstance(thing, Defined) and isinstance(thing.node, ast.ClassDef):
        return None if isinstance(written, ast.Call) else False
    function = function_named(thing)
    return None if function is None else _keeps(project, function, is_maker=isinstance(written, ast.Call))


def _keeps(project: Project, function: Defined, *, is_maker: bool) -> bool | None:
    """Tell it of a function by its annotations: `(F) -> F` keeps, and so does what `-> Callable[[F], F]` makes."""
    node, scope = function.node, function.scope
    assert not isinstance(node, ast.ClassDef)
    if node.decorator_list or node.returns is None:
        return None
    if isinstance(node, ast.AsyncFunctionDef):
        return False
    own = frozenset(each.name for each in getattr(node, "type_params", ()))
    if is_maker:
        return _callable_keeps(project, *_written(project, node.returns, scope), own)
    arguments = node.args.posonlyargs + node.args.args
    first = arguments[1:] if function.bound else arguments
    return _gives_back(project, first[0].annotation if first else None, node.returns, scope, own)


def _callable_keeps(project: Project, annotation: ast.expr, scope: Scope, own: Container[str]) -> bool | None:
    if not isinstance(annotation, ast.Subscript) or not _is_callable(project.resolve(annotation.value, scope)):
        return None
    match annotation.slice:
        case ast.Tuple(elts=[ast.List(elts=[given, *_]), returned]):
            return _gives_back(project, given, returned, scope, own)
        case ast.Tuple(elts=[_, returned]):
            return _gives_back(project, None, returned, scope, own)
    return None


def _gives_back(
    project: Project, given: ast.expr | None, returned: ast.expr, scope: Scope, own: Container[str]
) -> bool | None:
    to, where = _written(project, returned, scope)
    taken = _written(project, given, scope)[0] if given is not None else None
    if isinstance(to, ast.Name) and to.id in own:  # as in `def keep[F](function: F) -> F`
        return isinstance(taken, ast.Name) and taken.id == to.id
    if isinstance(to, ast.Call):
        is_variable = plain(project.resolve(to.func, where)) == "typing.TypeVar"
        return taken is to if is_variable else None
    if isinstance(to, ast.BinOp) or (isinstance(to, ast.Constant) and to.value is None):
        return False
    thing = project.resolve(to.value if isinstance(to, ast.Subscript) else to, where)
    return False if _is_callable(thing) or is_builtin(thing) or isinstance(thing, Defined) else None


def _written(project: Project, annotation: ast.expr, scope: Scope) -> tuple[ast.expr, Scope]:
    """Give an annotation as it is defined: text is parsed, names are followed."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        annotation = parsed_annotation(annotation.value) or annotation
    return project.definition(annotation, scope) or (annotation, scope)


def _is_callable(thing: Thing | None) -> bool:
    return plain(thing) in ("typing.Callable", "collections.abc.Callable")


def wrapped_by(project: Project, node: Function, scope: Scope) -> Defined | bool:
    """Give the function whose signature and words `@functools.wraps(...)` gives to *node*.

    `False` without such a decorator, `True` if it is not known what it copies.
    """
    for decorator in node.decorator_list:
        written, where = project.decorator(decorator, scope)
        if not isinstance(written, ast.Call) or plain(project.resolve(written.func, where)) != _WRAPS:
            continue
        function = function_named(project.resolve(written.args[0], where)) if len(written.args) == 1 else None
        is_known = function is not None and not function.node.decorator_list and not written.keywords
        return function if function is not None and is_known else True
    return False
