"""capdeco's own decorators on a function or class: what they are told, and what above them loses them."""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import Final

import attrs

from capdeco.check.analyze.declared import Declarations
from capdeco.check.analyze.python.above import keeps, wrapped_by
from capdeco.check.analyze.python.module import Function, Scope, clipped, docstring
from capdeco.check.analyze.python.project import Defined, External, Project
from capdeco.check.analyze.python.shapes import plain
from capdeco.check.analyze.python.typing_only import typing_only
from capdeco.check.analyze.records import Text
from capdeco.declare import faults
from capdeco.errors import Place

_SLOTTED: Final = frozenset(f"{home}.{name}" for home in ("attr", "attrs") for name in ("define", "frozen", "mutable"))
"""Decorators that make another class unless they are told `slots=False`."""
_PROPERTIES: Final = ("builtins.property", "functools.cached_property")


def ours(name: str, *words: str) -> bool:
    """Tell whether a full name is one of capdeco's own words."""
    return name.startswith("capdeco.") and name.rsplit(".", 1)[-1] in words


@attrs.frozen(eq=False)
class Marked:
    """A decorator of ours on a function or class: its options, and what stands above it."""

    word: str
    call: ast.Call | None
    scope: Scope
    """Where the decorator is written."""
    above: tuple[ast.expr, ...] = ()

    def option(self, name: str) -> ast.expr | None:
        """Give the keyword argument *name* of the decorator."""
        return next((each.value for each in self.call.keywords if each.arg == name), None) if self.call else None

    def place(self, name: str, place: Place) -> Place:
        """Give the place of the keyword argument *name*; *place* where there is none."""
        written = self.option(name)
        return place if written is None else Place(self.scope.module.path, written.lineno)

    def text(self, name: str, project: Project) -> Text | None:
        """Give the text of the keyword argument *name*, as far as the source tells it."""
        return project.text(self.option(name), self.scope)

    def description(self, node: Function, project: Project) -> Text | None:
        """Give the description of what is declared: the one given, or else the docstring of *node*."""
        given = self.text("description", project)
        return docstring(node) if given is None else given


def marks_of(project: Project, node: ast.ClassDef | Function, scope: Scope) -> dict[str, Marked]:
    """Give our decorators on *node*, by their word."""
    found: dict[str, Marked] = {}
    for number, decorator in enumerate(node.decorator_list):
        written, where = project.decorator(decorator, scope)
        call = written if isinstance(written, ast.Call) else None
        thing = project.resolve(call.func if call else written, where)
        if isinstance(thing, External) and ours(thing.name, "tool", "operation", "capability"):
            word = thing.name.rsplit(".", 1)[-1]
            if word not in found or word != "capability":  # the one nearest to the function comes first
                found[word] = Marked(word, call, where, tuple(node.decorator_list[:number]))
    return found


def unseen(mark: Marked, target: Defined) -> Collection[str]:
    """Give the names that an annotation may not use, where they are surely looked up in the module."""
    told = {each.arg for each in mark.call.keywords} & {"types", None} if mark.call else ()
    below = len(target.node.decorator_list) - len(mark.above) - 1
    return () if told or below else typing_only(target.scope.module)


def said_by(project: Project, target: Defined) -> Defined | None:
    """Give the function whose name, words and signature a declared one goes by: another's, by `functools.wraps`.

    `None`: it is not known which.
    """
    assert not isinstance(target.node, ast.ClassDef)
    copied = wrapped_by(project, target.node, target.scope)
    if isinstance(copied, Defined) and target.scope.owner is None and copied.scope.owner is None:
        return copied
    return None if copied else target


def check_above(mark: Marked, target: Defined, word: str, project: Project, into: Declarations) -> None:
    """Refuse what stands above a mark and loses it; what may lose it is noted as unchecked."""
    name = target.node.name
    for decorator in mark.above:
        written, where = project.decorator(decorator, target.scope)
        thing = project.resolve(written.func if isinstance(written, ast.Call) else written, where)
        full = thing.name if isinstance(thing, External) else ""
        kept = ours(full, "capability") or keeps(project, decorator, target.scope)
        if kept:
            continue
        shown = clipped(decorator.func if isinstance(decorator, ast.Call) else decorator)
        place = Place(target.scope.module.path, decorator.lineno)
        if ours(full, "tool", "operation"):
            other = "@" + full.rsplit(".", 1)[-1]
            into.refuse(faults.declared_twice(name, other, word), place)
        elif full in _PROPERTIES:
            into.refuse(faults.lost_to_property(word, name), Place(target.scope.module.path, target.node.lineno))
        elif kept is None:
            into.unchecked(faults.perhaps_lost(word, name, shown).what, place)
        else:
            into.refuse(faults.lost(word, name, shown), place)


def check_remade(mark: Marked, owner: ast.ClassDef, scope: Scope, project: Project, into: Declarations) -> None:
    """Refuse what stands above `@capability` and makes another class."""
    for decorator in mark.above:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        slots = _told_slots(decorator)
        if slots is True or (slots is None and plain(project.resolve(called, scope)) in _SLOTTED):
            into.refuse(faults.remade(owner.name, clipped(called)), Place(scope.module.path, decorator.lineno))


def _told_slots(decorator: ast.expr) -> object:
    """Give what a decorator is told about slots: `None` for nothing; what is computed is neither true nor false."""
    if not isinstance(decorator, ast.Call):
        return None
    told = next((each.value for each in decorator.keywords if each.arg in ("slots", None)), None)
    return bool(told.value) if isinstance(told, ast.Constant) else told
