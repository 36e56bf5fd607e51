"""capdeco's own declarations, gathered from any language and asked about in `declare/wiring.py`: the third reader."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import attrs

from capdeco.check.analyze.records import (
    Dynamic,
    FoundCapability,
    FoundOperation,
    FoundStep,
    FoundTool,
    Text,
)
from capdeco.codes import DECLARATION, UNCHECKED
from capdeco.declare import faults
from capdeco.declare.capabilities import Capability
from capdeco.declare.faults import Flaw, located
from capdeco.declare.mapping import read_capability
from capdeco.declare.names import generated_name
from capdeco.declare.operations import SchemaInput
from capdeco.declare.shape import Object, Unknown
from capdeco.declare.wiring import Absent, Fault, Input, StepFacts, check_wiring
from capdeco.errors import DeclarationError, Diagnostic, Place


@attrs.frozen
class ReadStep:
    """One step as it is written."""

    tool: Text
    from_: Text | None
    place: Place
    tool_place: Place | None = None
    from_place: Place | None = None
    """Where the parts of the step stand, if not where it begins."""
    takes: Input | None = None
    """What its tool takes, where the step was given the function; else the tool is known by name only."""


@attrs.frozen(kw_only=True)
class ReadOperation:
    """One operation as it is written."""

    name: str
    description: str
    takes: Input
    steps: tuple[ReadStep, ...]
    """Empty: they are computed."""
    place: Place
    places: Mapping[str, Place] = attrs.field(factory=dict)
    """Parameter -> where it stands."""
    broken: bool = False
    """The declaration itself is refused, so its wiring is not asked about."""


@attrs.frozen(kw_only=True)
class ReadCapability:
    """One capability as it is written."""

    id: str
    description: str
    operations: tuple[ReadOperation, ...]
    place: Place


@attrs.define
class Declarations:
    """What one run found declared with capdeco; verdicts come when every tool of the folder is known."""

    capabilities: list[ReadCapability] = attrs.field(factory=list)
    loose: list[ReadOperation] = attrs.field(factory=list)
    """Operations outside of a capability."""
    tools: dict[str, list[Place]] = attrs.field(factory=dict)
    """capdeco's own tools, by name."""
    tool_modules: Mapping[str, str | None] = attrs.field(factory=dict)
    """The modules that hold every tool which steps name by string, if that is settled; and their files."""
    read: set[str] = attrs.field(factory=set)
    """The files that were read whole."""
    perhaps: set[tuple[str, str]] = attrs.field(factory=set)
    """File and name of functions which a decorator that is not known may make tools of."""
    _diagnostics: list[Diagnostic] = attrs.field(factory=list)

    def refuse(self, flaw: Flaw, place: Place, subject: str = "") -> None:
        """Note a declaration that is wrong in itself."""
        self._diagnostics.append(flaw.diagnostic(place, subject))

    def refuse_as(self, others: Declarations, place: Place) -> None:
        """Note at *place* what was refused elsewhere."""
        self._diagnostics += [attrs.evolve(each, place=place) for each in others._diagnostics]

    @property
    def refused(self) -> int:
        """How many declarations were refused so far."""
        return sum(each.code == DECLARATION for each in self._diagnostics)

    def unchecked(self, what: str, place: Place, subject: str = "") -> None:
        """Note what could not be checked."""
        self._diagnostics.append(Diagnostic(UNCHECKED, what, place=place, subject=subject))

    def add_mapping(self, value: Mapping[str, object], place: Place) -> None:
        """Add a capability that is written as data, as in `capabilities.register({...})`."""
        subject = value["id"] if isinstance(value.get("id"), str) else ""
        if _is_computed(value):
            self.unchecked("parts of this capability are computed", place, str(subject))
            return
        try:
            found = read_capability(value)
        except DeclarationError as error:
            self._diagnostics += located(error, place=place).diagnostics
            return
        self.capabilities.append(_from_data(found, place))

    def found(self) -> tuple[FoundCapability, ...]:
        """Give the capabilities as the report shows them."""
        return tuple(_shown(each) for each in self.capabilities)

    def diagnostics(self, tools: Iterable[FoundTool]) -> tuple[Diagnostic, ...]:
        """Ask the wiring rules about every operation, knowing *tools*, and give all faults by place."""
        known = _Tools.of(tools, self)
        found = list(self._diagnostics)
        for capability in self.capabilities:
            found += self._duplicates(capability)
            for operation in capability.operations:
                name = generated_name(capability.id, operation.name)
                found += _verdict(operation, f"{capability.id}.{operation.name}", name, known)
        in_capabilities = {operation.place for capability in self.capabilities for operation in capability.operations}
        for operation in self.loose:
            if operation.place not in in_capabilities:
                found += _verdict(operation, operation.name, "", known)
        return _once(sorted(found, key=Diagnostic.sort_key))

    def _duplicates(self, capability: ReadCapability) -> Iterator[Diagnostic]:
        # Two plugins in one folder may use one name; in one file, or where tools are settled, it is a mistake.
        settled = set(self.tool_modules.values())
        for operation in capability.operations:
            name = generated_name(capability.id, operation.name)
            if any(step.tool == name for step in operation.steps):
                continue  # the rule about steps says it
            if any(place.file in {operation.place.file, *settled} for place in self.tools.get(name, ())):
                flaw = faults.name_taken(capability.id, operation.name)
                yield flaw.diagnostic(operation.place, f"{capability.id}.{operation.name}")
        twins = [
            each for each in self.capabilities if each.id == capability.id and each.place.file == capability.place.file
        ]
        if capability is not twins[0]:
            yield faults.id_taken(capability.id).diagnostic(capability.place, capability.id)


def looks_like_capability(value: object) -> bool:
    """Tell whether a mapping is meant as a capability: an id, and operations with steps."""
    if not isinstance(value, Mapping) or "id" not in value or not isinstance(value.get("operations"), list | tuple):
        return False
    operations = value["operations"]
    assert isinstance(operations, list | tuple)
    return any(isinstance(each, Mapping) and "steps" in each for each in operations)


@attrs.frozen(eq=False)
class _Tools:
    """What steps may name by string: a tool of their own file, of the tool modules, of the folder, or an operation."""

    tools: Mapping[str, Sequence[FoundTool]]
    operations: Mapping[str, ReadOperation]
    """By the names of the tools that they become."""
    computed: Collection[str]
    """Files that have tools with computed names."""
    of_run: Declarations

    @classmethod
    def of(cls, tools: Iterable[FoundTool], run: Declarations) -> _Tools:
        by_name: dict[str, list[FoundTool]] = {}
        computed: set[str] = set()
        for tool in tools:
            if isinstance(tool.name, str):
                by_name.setdefault(tool.name, []).append(tool)
            else:
                computed.add(tool.place.file)
        operations = {
            generated_name(capability.id, each.name): each
            for capability in run.capabilities
            for each in capability.operations
        }
        return cls(by_name, operations, computed, run)

    def takes(self, name: str, file: str) -> Input | Absent:
        """Say what the tool *name* takes that a step in *file* means."""
        everywhere = self.tools.get(name, ())
        modules = set(self.of_run.tool_modules.values())
        found = (
            [each for each in everywhere if each.place.file == file]
            or [each for each in everywhere if each.place.file in modules]
            or everywhere
        )
        if len({repr(each.takes) for each in found}) > 1:
            return Unknown(f'the folder has {len(found)} tools "{name}", which take different things')
        if found:
            return found[0].takes
        if name in self.operations:
            return self.operations[name].takes
        doubt = self._doubt(name, file)
        if doubt:
            return Unknown(doubt)
        here = {file, *modules}
        known = {each for each, found in self.tools.items() if any(tool.place.file in here for tool in found)}
        known |= {each for each, operation in self.operations.items() if operation.place.file in here}
        return Absent(tuple(sorted(known)), f"the tool modules {', '.join(self.of_run.tool_modules)} or in this module")

    def _doubt(self, name: str, file: str) -> str:
        """Why a name that is not found may be a tool all the same."""
        run = self.of_run
        if not run.tool_modules:
            return f'the folder has no tool "{name}"'
        for module, path in run.tool_modules.items():
            if path not in run.read:
                return f"the tool module {module} was not read"
        here = {file, *run.tool_modules.values()}
        if here & set(self.computed) or any((each, name) in run.perhaps for each in here):
            return f'there may be a tool "{name}" whose name or decorator is computed'
        return ""


def _verdict(operation: ReadOperation, subject: str, name: str, known: _Tools) -> list[Diagnostic]:
    if operation.broken:
        return []
    if not operation.steps:
        return [Diagnostic(UNCHECKED, "its steps are computed", place=operation.place, subject=subject)]
    facts = [
        StepFacts(
            tool=step.tool if isinstance(step.tool, str) else None,
            from_=step.from_ if isinstance(step.from_, str) else None,
            takes=_takes(step, operation.place.file, known),
            from_computed=isinstance(step.from_, Dynamic),
        )
        for step in operation.steps
    ]
    return [_diagnostic(fault, operation, subject) for fault in check_wiring(name, operation.takes, facts)]


def _takes(step: ReadStep, file: str, known: _Tools) -> Input | Absent:
    if step.takes is not None:
        return step.takes
    return Unknown("its name is computed") if isinstance(step.tool, Dynamic) else known.takes(step.tool, file)


def _diagnostic(fault: Fault, operation: ReadOperation, subject: str) -> Diagnostic:
    place = operation.place
    if fault.at == "parameter":
        place = operation.places.get(fault.parameter, place)
    elif fault.step:
        step = operation.steps[fault.step - 1]
        place = {"from": step.from_place, "tool": step.tool_place}.get(fault.at) or step.place
        subject = f"step {fault.step} of {subject}"
    return Diagnostic(fault.code, fault.what, fault.fix, place=place, subject=subject, rule=fault.rule)


def _from_data(found: Capability, place: Place) -> ReadCapability:
    def takes(each: SchemaInput) -> Input:
        shape = each.shape()
        return shape if isinstance(shape, Object | Unknown) else Unknown("its parameters are no object")

    return ReadCapability(
        id=found.id,
        description=found.description,
        place=place,
        operations=tuple(
            ReadOperation(
                name=each.name,
                description=each.description or "",
                takes=takes(each.takes)
                if isinstance(each.takes, SchemaInput)
                else Unknown("its parameters are no data"),
                steps=tuple(ReadStep(step.tool, step.from_, place) for step in each.steps),
                place=place,
            )
            for each in found.operations
        ),
    )


def _shown(capability: ReadCapability) -> FoundCapability:
    return FoundCapability(
        id=capability.id,
        description=capability.description,
        place=capability.place,
        operations=tuple(
            FoundOperation(
                name=each.name,
                description=each.description,
                steps=tuple(FoundStep(step.tool, step.from_) for step in each.steps),
                place=each.place,
            )
            for each in capability.operations
        ),
    )


def _is_computed(value: object) -> bool:
    if isinstance(value, Mapping):
        return any(map(_is_computed, value.values()))
    if isinstance(value, list | tuple):
        return any(map(_is_computed, value))
    return isinstance(value, Dynamic)


def _once(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    # An operation that two capabilities inherit is one mistake.
    return tuple(dict.fromkeys(diagnostics))
