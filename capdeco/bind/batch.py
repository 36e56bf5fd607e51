"""Declarations that are registered together: checked against what their steps see, then made into tools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

import attrs

from capdeco.bind.tooling import operation_spec, read_operation, tool_spec
from capdeco.codes import TOOL, UNCHECKED
from capdeco.declare.capabilities import Capability
from capdeco.declare.json_schema import parse_schema
from capdeco.declare.operations import Operation
from capdeco.declare.shape import Object, Shape, Unknown
from capdeco.declare.tools import Tool
from capdeco.declare.wiring import Absent, Fault, Input, StepFacts, check_wiring
from capdeco.errors import Diagnostic, WiringError
from capdeco.host.protocol import Host, Scope, ToolSpec


@attrs.define(eq=False)
class BoundOperation:
    """An operation that was registered, and what was last said about it."""

    capability: Capability
    operation: Operation
    takes: Object
    scope: Scope | None
    reported: tuple[Diagnostic, ...] = ()

    @property
    def name(self) -> str:
        """That of its tool."""
        return self.capability.tool_name(self.operation)


@attrs.define(eq=False)
class Batch:
    """Declarations that are registered together, and what their steps see: each other, then the host."""

    host: Host
    scope: Scope | None
    wiring: bool
    tools: dict[str, ToolSpec] = attrs.field(factory=dict)
    shapes: dict[str, Input | Absent] = attrs.field(factory=dict)
    bound: list[BoundOperation] = attrs.field(factory=list)

    def specs(self, tools: Iterable[Tool], capabilities: Iterable[Capability]) -> list[ToolSpec]:
        """Make everything that the host is to register, tools first.

        Raises:
            DeclarationError: a type or default of a declaration is not as it must be.
            WiringError: a step does not fit its tool, or operations run each other in a circle.
        """
        found = [tool_spec(tool) for tool in tools]
        self.tools = {spec.name: spec for spec in found}
        read = {
            BoundOperation(capability, operation, ready.takes, self.scope): ready
            for capability in capabilities
            for operation in capability.operations
            for ready in [read_operation(operation)]
        }
        self.bound = list(read)
        by_name = {bound.name: bound for bound in self.bound}
        self.shapes |= {name: bound.takes for name, bound in by_name.items()}
        diagnostics = [found for bound in self.bound for found in self.faults(bound)]
        if diagnostics:
            raise WiringError(*diagnostics)
        made: dict[str, ToolSpec] = {}
        for name in _inner_first({name: [step.tool for step in by_name[name].operation.steps] for name in by_name}):
            bound = by_name[name]
            seen = {step.tool: self._find(step.tool, made) for step in bound.operation.steps}
            known = {tool: spec for tool, spec in seen.items() if spec is not None}
            made[name] = operation_spec(bound.capability, bound.operation, read[bound], known, self.host.lookup)
        return found + [made[bound.name] for bound in self.bound]

    def _find(self, name: str, made: Mapping[str, ToolSpec]) -> ToolSpec | None:
        return self.tools.get(name) or made.get(name) or self.host.lookup(name, self.scope)

    def faults(self, bound: BoundOperation) -> Iterator[Diagnostic]:
        """Apply the wiring rules to one operation, in the view of this batch."""
        steps = [StepFacts(step.tool, step.from_, self._input_of(step.tool)) for step in bound.operation.steps]
        for fault in check_wiring(bound.name, bound.takes, steps):
            if fault.code == TOOL or (self.wiring and fault.code != UNCHECKED):
                yield _diagnostic(fault, bound.capability, bound.operation)

    def _input_of(self, name: str) -> Input | Absent:
        if name not in self.shapes:
            spec = self.tools.get(name) or self.host.lookup(name, self.scope)
            if spec is None:
                names = {*self.tools, *self.shapes, *self.host.catalog(self.scope)}
                view = f'the view of "{self.scope.name}"' if self.scope else "this host"
                return Absent(tuple(sorted(names)), view)
            self.shapes[name] = _as_input(parse_schema(spec.input_schema))
        return self.shapes[name]


def _as_input(shape: Shape) -> Input:
    return shape if isinstance(shape, Object | Unknown) else Unknown("its input schema is not plainly an object")


def _diagnostic(fault: Fault, capability: Capability, operation: Operation) -> Diagnostic:
    owner = f"{capability.id}.{operation.name}"
    return Diagnostic(
        fault.code,
        fault.what,
        fault.fix,
        place=operation.place or capability.place,
        subject=f"step {fault.step} of {owner}" if fault.step else owner,
        rule=fault.rule,
    )


def _inner_first(steps: Mapping[str, Sequence[str]]) -> list[str]:
    """Sort the operations of a batch, with what each runs: they may name each other, but not in a circle."""
    inner = {name: [tool for tool in tools if tool in steps] for name, tools in steps.items()}
    try:
        return list(TopologicalSorter(inner).static_order())
    except CycleError as error:
        circle = " → ".join(reversed(error.args[1]))
        raise WiringError(
            Diagnostic(
                TOOL,
                f"operations that run each other would run for ever: {circle}",
                "let one of them name tools only",
                rule="recursive-operation",
            )
        ) from None
