"""What the operations of a capability say together: that there are some, their names as tools, overrides."""

from __future__ import annotations

from collections.abc import Iterator

import attrs
from mypy.types import AnyType, ProperType  # first, as in internals

from mypy.nodes import ClassDef, Context, Decorator, FuncDef, OverloadedFuncDef, Statement  # isort: skip

from capdeco.check.mypy.declarations import Problem, twice_in
from capdeco.check.mypy.internals import fact_of, text_of, walk_names
from capdeco.check.mypy.tools import OPERATION, STEPS, Catalog, is_operation, type_of_node
from capdeco.declare import faults
from capdeco.declare.faults import Flaw
from capdeco.declare.names import generated_name
from capdeco.declare.shape import Unknown
from capdeco.declare.wiring import StepFacts, check_tool


@attrs.frozen
class _Found:
    """An operation of a class."""

    name: str | None
    """`None` if it is computed."""
    type: ProperType | None
    inherited: bool
    at: Context


def check_class(owner: ClassDef, id_: str | None, place: Context, catalog: Catalog) -> Iterator[Problem]:
    """Check the class *owner*, which is the capability *id_*; *place* is where that is said."""
    found: dict[str, _Found] = {}
    is_said = False
    for base in reversed(owner.info.mro[:-1]):  # the last is object
        here = base is owner.info
        for attribute, symbol in walk_names(base.names):
            type_ = type_of_node(symbol.node)
            fact = fact_of(type_, OPERATION)
            at = _place_in(owner, attribute) if here and (fact is not None or attribute in found) else place
            if fact is not None:
                found[attribute] = _Found(text_of(fact), type_, not here, at)
            elif found.pop(attribute, None):
                # `name = None` takes it away; what else a name may stand for, its type does not surely say.
                known = type_ is not None and not isinstance(type_, AnyType)
                if known and isinstance(symbol.node, FuncDef | Decorator | OverloadedFuncDef):
                    is_said = True
                    yield Problem(faults.overridden(base.name, attribute), at)
    for each in twice_in(owner):
        is_said = True
        yield each
    is_said = is_said or owner.info.fallback_to_any or any(map(_was_one, owner.defs.body))
    if not found and not is_said:
        yield Problem(faults.no_operations(id_), place)
    yield from _check_names(owner, list(found.values()), id_, catalog)


def _check_names(owner: ClassDef, operations: list[_Found], id_: str | None, catalog: Catalog) -> Iterator[Problem]:
    seen: set[str] = set()
    for each in operations:
        if each.name is None or id_ is None:
            continue
        if each.name in seen and not (each.at is owner and not each.inherited):  # else only one of them is there
            yield Problem(faults.operations_of_one_name(id_, each.name), each.at)
        seen.add(each.name)
        yield from check_generated(id_, each.name, each.type, each.at, catalog, inherited=each.inherited)


def check_generated(
    id_: str, name: str, type_: ProperType | None, place: Context, catalog: Catalog, *, inherited: bool = False
) -> Iterator[Problem]:
    """Check the name of the tool that the operation *name* of *type_* becomes."""
    generated = generated_name(id_, name)
    if generated in (text_of(fact_of(type_, STEPS)) or "").split(","):
        if inherited:  # else it is reported where its steps are
            for fault in check_tool(generated, StepFacts(generated, None, Unknown())):
                yield Problem(Flaw(fault.rule, fault.what, fault.fix), place, code=fault.code)
    elif catalog.has_tool(generated):
        yield Problem(faults.name_taken(id_, name), place)
    flaw = faults.generated(id_, name)
    if flaw:
        yield Problem(flaw, place)


def _was_one(statement: Statement) -> bool:
    """Tell whether a function is an operation below a decorator that loses it, which is reported there."""
    function = statement.impl if isinstance(statement, OverloadedFuncDef) else statement
    return isinstance(function, Decorator) and any(map(is_operation, function.decorators))


def _place_in(owner: ClassDef, attribute: str) -> Context:
    for statement in owner.defs.body:
        function = statement.func if isinstance(statement, Decorator) else statement
        if isinstance(function, FuncDef) and function.name == attribute:
            return function
    return owner
