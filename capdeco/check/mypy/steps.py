"""Steps as they are written, or as types carry them: what they say, and where to point."""

from __future__ import annotations

from collections.abc import Iterator

import attrs
from mypy.types import (  # first, as in internals
    CallableType,
    Instance,
    LiteralType,
    NoneType,
    ProperType,
    TupleType,
    Type,
    UninhabitedType,
    get_proper_type,
)

from mypy.checker import TypeChecker  # isort: skip
from mypy.nodes import (
    AssignmentExpr,
    CallExpr,
    Decorator,
    DictExpr,
    Expression,
    FuncDef,
    ListExpr,
    MemberExpr,
    OpExpr,
    OverloadedFuncDef,
    RefExpr,
    StarExpr,
    SymbolNode,
    TupleExpr,
    TypeInfo,
)

from capdeco.check.mypy.declarations import Problem
from capdeco.check.mypy.internals import fact_of, text_of, type_of, with_facts
from capdeco.check.mypy.names import STEP
from capdeco.check.mypy.tools import CAPABILITY, OPERATION, TOOL, Catalog, argument, capability_id, type_of_node
from capdeco.declare import faults
from capdeco.declare.shape import Unknown
from capdeco.declare.wiring import Absent, Input, StepFacts


@attrs.frozen
class ReadStep:
    """One step, and the expressions that its faults are about."""

    facts: StepFacts
    step: Expression
    tool: Expression
    from_: Expression
    refused: bool = False
    """It is wrong in itself, and that is reported: what follows from it is not."""


@attrs.define(eq=False)
class StepReader:
    """Reads the steps of one operation."""

    checker: TypeChecker
    catalog: Catalog
    problems: list[Problem] = attrs.field(factory=list)
    """What is wrong with how steps are written, whatever tools there are."""

    def read(self, steps: Expression) -> list[ReadStep]:
        """Read the value of `steps=`. What cannot be read is a step that may be anything."""
        return list(self._items(steps))

    def _items(self, steps: Expression) -> Iterator[ReadStep]:
        if isinstance(steps, ListExpr | TupleExpr):
            for item in steps.items:
                if isinstance(item, StarExpr):
                    yield from self._items(item.expr)
                else:
                    yield self._step(item)
        elif isinstance(steps, OpExpr) and steps.op == "+":
            yield from self._items(steps.left)
            yield from self._items(steps.right)
        else:
            type_ = type_of(self.checker, steps)
            if isinstance(type_, TupleType):
                for each in type_.items:
                    yield ReadStep(self._from_type(each), steps, steps, steps)
            else:
                yield _computed(steps, "the steps are computed")

    def _step(self, step: Expression) -> ReadStep:
        if isinstance(step, DictExpr):
            return self._mapping(step)
        if isinstance(step, AssignmentExpr):
            return self._step(step.value)
        type_ = type_of(self.checker, step)
        if is_refused(type_):
            return _refused(step)
        facts = self._from_type(type_)
        if isinstance(step, CallExpr) and isinstance(step.callee, RefExpr) and step.callee.fullname == STEP:
            positional = [each for each, name in zip(step.args, step.arg_names, strict=True) if name is None]
            tool = argument(step, "tool") or (positional[0] if positional else step)
            from_ = argument(step, "from_") or (positional[1] if len(positional) > 1 else step)
            return ReadStep(facts, step, tool, from_)
        return ReadStep(facts, step, step, step)

    def _mapping(self, step: DictExpr) -> ReadStep:
        """Read the seed's spelling, `{"tool": ..., "from": ...}`."""
        entries: dict[str, Expression] = {}
        refused = False
        for key, value in step.items:
            name = text_of(type_of(self.checker, key)) if key is not None else None
            if name is None:
                return _computed(step, "its keys are computed")
            entries[name] = value
            flaw = faults.step_key(name)
            if flaw:
                refused = True
                self.problems.append(Problem(flaw, key or step))
        if "tool" not in entries:
            self.problems.append(Problem(faults.step_without_tool(), step))
            return _refused(step)
        tool = entries.get("tool", step)
        name = text_of(type_of(self.checker, tool))
        flaw = faults.step_tool(name) if name is not None else None
        if flaw:
            self.problems.append(Problem(flaw, tool))
            return _refused(step)
        from_ = entries.get("from")
        given = type_of(self.checker, from_) if from_ is not None else None
        flaw = faults.step_from(None) if isinstance(given, NoneType) else None
        if flaw:
            refused = True
            self.problems.append(Problem(flaw, from_ or step))
        source = text_of(type_of(self.checker, from_)) if from_ is not None else None
        facts = StepFacts(name, source, self._named(name), from_computed=from_ is not None and source is None)
        return ReadStep(facts, step, tool, from_ or step, refused)

    def _from_type(self, type_: Type | None) -> StepFacts:
        proper = get_proper_type(type_)
        if not isinstance(proper, Instance) or proper.type.fullname != STEP or len(proper.args) != 3:
            return StepFacts(None, None, Unknown("it is computed"), from_computed=True)
        tool, from_, function = map(get_proper_type, proper.args)
        name = text_of(tool)
        takes: Input | Absent
        if isinstance(function, CallableType):
            takes = self.catalog.reader.signature(function).takes
        else:
            takes = self._named(name)
        return StepFacts(name, text_of(from_), takes, from_computed=not isinstance(from_, LiteralType | NoneType))

    def _named(self, name: str | None) -> Input | Absent:
        return Unknown("its name is computed") if name is None else self.catalog.takes(name)


def _computed(place: Expression, why: str) -> ReadStep:
    return ReadStep(StepFacts(None, None, Unknown(why), from_computed=True), place, place, place)


def _refused(place: Expression) -> ReadStep:
    return attrs.evolve(_computed(place, "it is refused"), refused=True)


def is_refused(type_: Type | None) -> bool:
    """Tell whether `Step(...)` was refused where it was written."""
    proper = get_proper_type(type_)
    return isinstance(proper, Instance) and any(
        isinstance(each, UninhabitedType) for each in map(get_proper_type, proper.args)
    )


def tool_type(expression: Expression, type_: Type) -> ProperType:
    """Give the type that carries what `@tool` noted: an overloaded function's is that of its implementation."""
    if isinstance(expression, RefExpr) and isinstance(expression.node, OverloadedFuncDef):
        return type_of_node(expression.node) or get_proper_type(type_)
    return get_proper_type(type_)


def no_tool(place: Expression) -> Problem:
    """Say that a plain function stands where a tool is meant."""
    node = _node_of(place)
    return Problem(faults.no_tool(f'"{node.name if node else getattr(place, "name", "it")}"'), place)


def operation_as_tool(place: Expression, type_: ProperType) -> Problem:
    """Say that a step names an operation, whose type is *type_*, by its function."""
    node = _node_of(place)
    owner = node.func.info if isinstance(node, Decorator) else None
    id_ = capability_id(owner) if owner else text_of(fact_of(type_, CAPABILITY))
    function = node.name if isinstance(node, Decorator) else "<name>"
    name = text_of(fact_of(type_, OPERATION)) or function
    return Problem(faults.operation_as_tool(function, id_, name), place)


def bound_as_tool(place: Expression) -> Problem:
    """Say that a step names a method of an object."""
    return Problem(faults.of_an_object("tool", place.name if isinstance(place, MemberExpr) else "it"), place)


def is_unbound(place: Expression) -> bool:
    """Tell whether an expression is a method that is taken from its class, so that `self` is still to come."""
    node = _node_of(place)
    function = node.func if isinstance(node, Decorator) else node
    return isinstance(function, FuncDef) and bool(function.info) and not function.is_static and not function.is_class


def is_bound(checker: TypeChecker, place: Expression) -> bool:
    """Tell whether an expression is a method that is taken from an object."""
    if not isinstance(place, MemberExpr) or _node_of(place) is not None:
        return False
    owner, method = type_of(checker, place.expr), type_of(checker, place)
    return isinstance(owner, Instance) and isinstance(method, CallableType) and method.is_bound


def _node_of(place: Expression) -> SymbolNode | None:
    """Give what a name, or an attribute of a class, stands for."""
    if isinstance(place, MemberExpr) and isinstance(place.expr, RefExpr) and isinstance(place.expr.node, TypeInfo):
        symbol = place.expr.node.get(place.name)
        return symbol.node if symbol is not None else None
    return place.node if isinstance(place, RefExpr) else None


def note_called(module: str, function: Expression, value: Type) -> FuncDef | None:
    """Note on a function of *module* that `tool(...)` was called with it: a step may name it from then on.

    Another module's function is given back: that it is a tool is known where it is made one, and nowhere else.
    """
    node = function.node if isinstance(function, RefExpr) else None
    if not isinstance(node, FuncDef) or node.type is None:
        return None
    if node.fullname.rpartition(".")[0] != module:
        return node
    noted = with_facts(node.type, {TOOL: value})
    assert isinstance(noted, CallableType)
    node.type = noted
    return None


def carries_tool(type_: Type | None) -> bool:
    """Tell whether a function carries `@tool`."""
    return fact_of(type_, TOOL) is not None


def is_plain_function(expression: Expression) -> bool:
    """Tell whether an expression surely is a function without any decorator."""
    return isinstance(expression, RefExpr) and isinstance(expression.node, FuncDef)
