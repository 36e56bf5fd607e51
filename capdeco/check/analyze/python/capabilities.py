"""`@operation` and `@capability` in Python source, held to the rules that hold when they are imported."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Final

import attrs

from capdeco.check.analyze.declared import Declarations, ReadCapability, ReadOperation
from capdeco.check.analyze.python.marks import Marked, check_above, check_remade, marks_of, said_by, unseen
from capdeco.check.analyze.python.module import Function, docstring
from capdeco.check.analyze.python.parameters import ParameterReader, takes_self
from capdeco.check.analyze.python.project import Defined, External
from capdeco.check.analyze.python.shapes import Shapes, plain
from capdeco.check.analyze.python.signature import is_method
from capdeco.check.analyze.python.steps import StepReader
from capdeco.check.analyze.python.tools import COPIED
from capdeco.check.analyze.records import Dynamic
from capdeco.declare import faults
from capdeco.declare.names import is_blank
from capdeco.declare.shape import Unknown
from capdeco.declare.wiring import Input
from capdeco.errors import Place

_NO_OPERATIONS: Final = ("builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol")
"""Classes from elsewhere that have none to inherit."""


@attrs.frozen(eq=False)
class CapabilityReader:
    """Reads capdeco's operations and capabilities of one project into a collection."""

    shapes: Shapes
    """Strict ones."""
    into: Declarations

    # Operations

    def operation(self, target: Defined, mark: Marked) -> ReadOperation | None:
        """Read what carries `@operation`; `None` if not even its name is legal."""
        node, scope = target.node, target.scope
        place = Place(scope.module.path, node.lineno)
        if isinstance(node, ast.ClassDef):
            self.into.refuse(faults.no_function("@operation", f'"{node.name}"'), place)
            return None
        said = said_by(self.shapes.project, target)
        name = mark.text("name", self.shapes.project)
        name = name if name is not None else Dynamic() if said is None else said.node.name
        if isinstance(name, Dynamic):
            self.into.unchecked("its name is computed", place, node.name)
            return None
        before = self.into.refused
        self._check(target, mark, name)
        description = mark.text("description", self.shapes.project)
        if description is None:
            assert said is None or not isinstance(said.node, ast.ClassDef)
            description = Dynamic() if said is None else docstring(said.node) or ""
        if isinstance(description, str) and is_blank(description):
            self.into.refuse(faults.no_description("operation", name), mark.place("description", place))
        takes: Input = Unknown(COPIED)
        places: Mapping[str, Place] = {}
        if said is not None:
            reader = ParameterReader(self.shapes, self.into)
            takes, places = reader.takes(said, is_tool=False, names=unseen(mark, target))
        steps = StepReader(self.shapes, self.into).read(mark.option("steps"), name, place, mark.scope)
        return ReadOperation(
            name=name,
            description=description if isinstance(description, str) else "",
            takes=takes,
            steps=steps,
            place=place,
            places=places,
            broken=self.into.refused > before,
        )

    def _check(self, target: Defined, mark: Marked, name: str) -> None:
        """Hold the operation *name* to what needs no type."""
        node, scope = target.node, target.scope
        place = Place(scope.module.path, node.lineno)
        assert not isinstance(node, ast.ClassDef)
        flaw = faults.operation_name(name)
        if flaw:
            self.into.refuse(flaw, mark.place("name", place))
        body = _first_statement(node)
        if body is not None:
            self.into.refuse(faults.has_body(name), Place(scope.module.path, body.lineno))
        check_above(mark, target, "@operation", self.shapes.project, self.into)
        if scope.owner is not None and is_method(target) and not takes_self(target):
            self.into.refuse(faults.no_self(scope.owner.name, node.name), place)

    # Capabilities

    def capability(self, target: Defined, mark: Marked) -> None:
        """Read what carries `@capability`, with its operations."""
        place = Place(target.scope.module.path, target.node.lineno)
        written, description = mark.text("id", self.shapes.project), mark.text("description", self.shapes.project)
        id_ = written if isinstance(written, str) else None
        flaw = faults.capability_id(id_) if id_ is not None else None
        if flaw:
            self.into.refuse(flaw, mark.place("id", place))
        flaw = faults.capability_description(id_, description) if isinstance(description, str) else None
        if flaw:
            self.into.refuse(flaw, mark.place("description", place))
        operations = self._operations(target, mark, id_ or "")
        if operations is None:
            return
        if not operations:
            self.into.refuse(faults.no_operations(id_), mark.place("id", place))
            return
        self._joined(id_, operations)
        if id_ is None:
            self.into.unchecked("the id of this capability is computed", place)
            self.into.loose += operations
            return
        shown = description if isinstance(description, str) else ""
        found = ReadCapability(id=id_, description=shown, operations=tuple(operations), place=place)
        self.into.capabilities.append(found)

    def _operations(self, target: Defined, mark: Marked, subject: str) -> list[ReadOperation] | None:
        """Read the operations of a class or function; `None` if there may be others than can be read."""
        node, scope = target.node, target.scope
        if isinstance(node, ast.ClassDef):
            check_remade(mark, node, scope, self.shapes.project, self.into)
            operations = list(self._operations_of(target))
            if not operations and self._may_have_more(target):
                place = Place(scope.module.path, node.lineno)
                self.into.unchecked("its operations are computed", place, subject)
                return None
            return operations
        operation = marks_of(self.shapes.project, node, scope).get("operation")
        if operation is None or len(operation.above) < len(mark.above):
            return []  # there is none, or it comes too late
        read = self.operation(target, operation)
        return None if read is None else [read]

    def _may_have_more(self, target: Defined) -> bool:
        """Tell whether a class may have operations that its source does not show."""
        for each in self.shapes.project.lineage(target):
            if isinstance(each, External):
                if plain(each) not in _NO_OPERATIONS:
                    return True
                continue
            assert isinstance(each.node, ast.ClassDef)
            bases = [self.shapes.project.resolve(base, each.scope) for base in each.node.bases]
            if not all(isinstance(base, External | Defined) for base in bases):
                return True
            for statement in each.node.body:
                match statement:
                    case ast.FunctionDef(decorator_list=[]) | ast.AsyncFunctionDef(decorator_list=[]) | ast.ClassDef():
                        pass
                    case ast.Expr() | ast.Pass() | ast.Assign(value=ast.Constant()) | ast.AnnAssign(value=None):
                        pass
                    case _:
                        return True
        return False

    def _joined(self, id_: str | None, operations: list[ReadOperation]) -> None:
        seen: set[str] = set()
        for each in operations:
            if faults.operation_name(each.name):
                continue
            twice = faults.operations_of_one_name(id_, each.name) if each.name in seen else None
            is_legal = id_ is not None and not faults.capability_id(id_)
            flaw = twice or (faults.generated(id_, each.name) if id_ is not None and is_legal else None)
            if flaw:
                self.into.refuse(flaw, each.place, f"{id_}.{each.name}" if id_ is not None else each.name)
            seen.add(each.name)

    def _operations_of(self, target: Defined) -> Iterator[ReadOperation]:
        found: dict[str, tuple[Defined, Marked]] = {}
        lineage = [each for each in self.shapes.project.lineage(target) if isinstance(each, Defined)]
        for owner in reversed(lineage):
            scope = self.shapes.project.inside(owner)
            for statement in owner.node.body:
                match statement:
                    case ast.FunctionDef() | ast.AsyncFunctionDef():
                        mark = marks_of(self.shapes.project, statement, scope).get("operation")
                        place = Place(scope.module.path, statement.lineno)
                        if mark is not None:
                            if statement.name in found and found[statement.name][0].scope is scope:
                                self.into.refuse(faults.defined_twice(statement.name), place)
                            found[statement.name] = (Defined(statement, scope), mark)
                        elif statement.name in found:
                            self.into.refuse(faults.overridden(owner.node.name, statement.name), place)
                    case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=None)):
                        found.pop(name, None)
                    case _:
                        pass
        for defined, mark in found.values():
            read = self.operation(defined, mark)
            if read is not None:
                yield read


def _first_statement(node: Function) -> ast.stmt | None:
    """Give what makes a body more than a docstring and what compiles to nothing, such as `...` and `pass`."""
    for statement in node.body:
        match statement:
            case ast.Pass() | ast.Global() | ast.Expr(value=ast.Constant()) | ast.AnnAssign(value=None):
                continue
            case _:
                return statement
    return None
