"""The members of enums, and the values that Python makes for them, read from source."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

import attrs

from capdeco.check.analyze.python.module import Scope
from capdeco.check.analyze.python.project import Defined, External, Project
from capdeco.check.analyze.records import Dynamic
from capdeco.declare.shape import JsonScalar


@attrs.frozen
class NoScalar:
    """A value that JSON does not have as one: a tuple, bytes, `None`."""


Value: TypeAlias = "JsonScalar | NoScalar"


def values_of(project: Project, enum: Defined) -> dict[str, Value] | None:
    """Give the value of each member of an enum; `None` where the source does not tell."""
    make = _maker_of(project, enum)
    scope = project.inside(enum)
    assert isinstance(enum.node, ast.ClassDef)
    if make is None or not all(map(_is_plain, enum.node.body)):
        return None
    counts = not any(_has(project, each, "_generate_next_value_") for each in _own(project, enum))
    is_text = any(each == External("enum.StrEnum") for each in project.lineage(enum))
    written: list[JsonScalar] = []
    found: dict[str, Value] = {}
    for name, node in _assigned(enum.node):
        if _is_auto(project, node, scope):
            raw: object = _next_value(name, written, is_text=is_text) if counts else Dynamic()
        else:
            raw = NoScalar() if _is_no_scalar(node) else project.value(node, scope)
        if raw is None or isinstance(raw, list | dict):
            raw = NoScalar()
        if make is _same and isinstance(raw, NoScalar):
            found[name] = raw
            counts = False  # what auto() makes after it depends on the version of Python
            continue
        made = make(raw) if isinstance(raw, bool | int | float | str) else None
        if made is None:
            return None
        assert isinstance(raw, bool | int | float | str)
        written.append(raw)
        found[name] = made
    # `A: int` alone is how a stub writes a member.
    is_stub = any(isinstance(each, ast.AnnAssign) for each in enum.node.body)
    return None if is_stub and not found else found


def _own(project: Project, enum: Defined) -> Iterator[Defined]:
    return (each for each in project.lineage(enum) if isinstance(each, Defined))


def _has(project: Project, defined: Defined, name: str) -> bool:
    return name in project.inside(defined).names


def _maker_of(project: Project, enum: Defined) -> Callable[[JsonScalar], JsonScalar | None] | None:
    """Give what makes a member's value of what stands in the body: its mixin, or nothing; `None` if who knows."""
    mixins: list[str] = []
    for each in project.lineage(enum):
        if isinstance(each, External):
            if each.name in _MIXINS:
                mixins.append(_MIXINS[each.name])
            elif each.name not in _PLAIN_BASES:
                return None
        elif not _leaves_values(project, each, is_enum=each.node is enum.node):
            return None
    if not mixins:
        return _same
    return _MAKERS[mixins[0]] if len(set(mixins)) == 1 else None


def _leaves_values(project: Project, defined: Defined, *, is_enum: bool) -> bool:
    """Tell whether a class of the folder, an enum or a base of one, surely does nothing to the values of members."""
    assert isinstance(defined.node, ast.ClassDef)
    if any(_has(project, defined, name) for name in ("__new__", "__init__", "_ignore_")):
        return False
    if defined.node.keywords or (defined.node.decorator_list and not is_enum):
        return False
    return all(project.resolve(base, defined.scope) for base in defined.node.bases)


def _is_plain(statement: ast.stmt) -> bool:
    """Tell whether a statement of a body makes no members, or makes them where they can be seen."""
    match statement:
        case ast.Assign(targets=[ast.Name()]) | ast.AnnAssign(target=ast.Name()):
            return True
        case ast.Expr(value=ast.Constant()) | ast.Pass() | ast.FunctionDef() | ast.AsyncFunctionDef():
            return True
        case _:
            return False


def _assigned(node: ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                pass
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                pass
            case _:
                continue
        if not name.startswith("__") and not (name.startswith("_") and name.endswith("_")):
            yield name, value


def _is_auto(project: Project, node: ast.expr, scope: Scope) -> bool:
    return isinstance(node, ast.Call) and project.resolve(node.func, scope) == External("enum.auto")


def _next_value(name: str, before: list[JsonScalar], *, is_text: bool) -> object:
    """Give what `auto()` makes; `Dynamic` where the version of Python decides."""
    if is_text:
        return name.lower()
    numbers = [each for each in before if type(each) is int]
    if len(numbers) < len(before) or numbers != sorted(numbers):
        return Dynamic()
    return max(numbers, default=0) + 1


def _is_no_scalar(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, bytes | complex)


def _same(value: JsonScalar) -> JsonScalar | None:
    return value


def _made_by(kind: type[int | float | str]) -> Callable[[JsonScalar], JsonScalar | None]:
    def make(value: JsonScalar) -> JsonScalar | None:
        try:
            return kind(value)
        except (TypeError, ValueError, OverflowError):
            return None

    return make


_MAKERS: Final = {"str": _made_by(str), "int": _made_by(int), "float": _made_by(float)}
_MIXINS: Final = {
    "builtins.str": "str",
    "builtins.int": "int",
    "builtins.float": "float",
    "enum.IntEnum": "int",
    "enum.StrEnum": "str",
}
_PLAIN_BASES: Final = ("enum.Enum", "enum.ReprEnum", "builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol")
