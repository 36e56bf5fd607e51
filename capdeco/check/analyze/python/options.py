"""The options of `tool(...)` and `Tool.of(...)` that are written out: what is refused at import is found before."""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Iterator
from typing import Final

import attrs

from capdeco.check.analyze.python.module import Scope, clipped
from capdeco.check.analyze.python.project import Defined, Expression, External, Project, Thing
from capdeco.check.analyze.python.shapes import plain
from capdeco.check.analyze.python.signature import function_named
from capdeco.declare import faults
from capdeco.declare.faults import Flaw
from capdeco.declare.options import hint_fault, hint_value_fault, timeout_fault


@attrs.frozen
class OptionFault:
    """What is wrong with one option, and where it is written."""

    flaw: Flaw
    at: ast.expr


def makes_tool(name: str) -> bool:
    """Tell whether a full name is that of `Tool.of`."""
    return name.startswith("capdeco.") and name.endswith(".Tool.of")


def is_builtin(thing: Thing | None) -> bool:
    """Tell whether something is a function or class of Python's own."""
    if not isinstance(thing, External) or not thing.name.startswith("builtins."):
        return False
    return callable(getattr(builtins, thing.name.removeprefix("builtins."), None))


def makes_tool_of(project: Project, call: ast.Call, scope: Scope) -> list[ast.keyword] | None:
    """Give the options of `Tool.of(function, ...)`, `tool(function)` or `tool(...)(function)`."""
    called = project.resolve(call.func, scope)
    if isinstance(called, External) and makes_tool(called.name):
        return call.keywords
    return _tags(project, call, scope)


def _tags(project: Project, call: ast.Call, scope: Scope) -> list[ast.keyword] | None:
    """Give the options of `tool(function)` or `tool(...)(function)`, after which the function itself is a tool."""
    maker = call.func if isinstance(call.func, ast.Call) else call
    called = project.resolve(maker.func, scope)
    return maker.keywords if isinstance(called, External) and _is_tool(called.name) else None


def _is_tool(name: str) -> bool:
    return name.startswith("capdeco.") and name.endswith(".tool")


def tagged_by(project: Project, function: Defined) -> tuple[ast.Call, list[ast.keyword]] | None:
    """Find the `tool(function)` or `tool(...)(function)` in the module of *function*: the call, and its options."""
    scope = function.scope
    for call in scope.calls_on.get(function.node.name, ()):
        found = function_named(project.resolve(call.args[0], scope))
        options = _tags(project, call, scope) if found is not None and found.node is function.node else None
        if options is not None:
            return call, options
    return None


def option_faults(project: Project, call: ast.Call, scope: Scope) -> Iterator[OptionFault]:
    """Check what a tool is declared with, as far as the source tells; of what is computed nothing is said."""
    for option in call.keywords:
        match option.arg:
            case "timeout":
                yield from _timeout(project, option.value, scope)
            case "annotations":
                yield from _hints(project, option.value, scope)
            case "uses":
                yield from _uses(project, option.value, scope)


def _timeout(project: Project, written: ast.expr, scope: Scope) -> Iterator[OptionFault]:
    is_infinite = plain(project.resolve(written, scope)) == "math.inf"
    seconds = math.inf if is_infinite else project.value(written, scope)
    flaw = timeout_fault(seconds) if isinstance(seconds, _KNOWN) else None
    if flaw:
        yield OptionFault(flaw, written)


def _hints(project: Project, written: ast.expr, scope: Scope) -> Iterator[OptionFault]:
    hints = project.value(written, scope)
    for key, value in hints.items() if isinstance(hints, dict) else ():
        known = value is None or isinstance(value, _KNOWN)
        flaw = hint_fault(key) or (hint_value_fault(key, value) if known else None)
        if flaw:
            yield OptionFault(flaw, written)


def _uses(project: Project, written: ast.expr, scope: Scope) -> Iterator[OptionFault]:
    thing = project.resolve(written, scope)
    if not isinstance(thing, Expression) or not isinstance(thing.node, ast.List | ast.Tuple | ast.Set):
        return
    for each in thing.node.elts:
        function = function_named(project.resolve(each, thing.scope))
        # A decorator of somebody's own may be made of ours; and in a class a name may mean another thing before.
        is_plain = function is not None and function.scope.owner is None and not function.node.decorator_list
        is_plain = is_plain and function is not None and tagged_by(project, function) is None
        if is_plain or is_builtin(project.resolve(each, thing.scope)):
            name = function.node.name if function is not None else clipped(each)
            yield OptionFault(faults.no_tool(f'"{name}"'), written)


_KNOWN: Final = (bool, int, float, str)
"""What a value is that the source tells whole; `None` stands for an option that is not given."""
