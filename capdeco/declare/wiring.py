"""The wiring rules, one function each: shapes in, faults out. All three readers ask here for the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

import attrs

from capdeco.codes import FROM, MISSING, TOOL, TYPE, UNCHECKED, UNUSED, Code
from capdeco.declare.shape import (
    Field,
    Misfit,
    Object,
    Shape,
    Unknown,
    arms_of,
    compare,
    show,
)
from capdeco.errors import did_you_mean

At = Literal["step", "tool", "from", "parameter"]


@attrs.frozen
class Fault:
    """A broken rule, and which part of the declaration it is about; readers turn that part into a place."""

    code: Code
    what: str
    fix: str
    at: At
    step: int = 0
    """1-based; 0 when the fault is not about a step."""
    parameter: str = ""

    @property
    def rule(self) -> str:
        """The rule of its diagnostic."""
        return "unknown-step-tool" if self.code == TOOL else self.code.removeprefix("capdeco-")


@attrs.frozen
class Absent:
    """No tool of that name is known; `known` are the names to choose from."""

    known: tuple[str, ...] = ()
    place: str = "this scope"


Input: TypeAlias = Object | Unknown
"""What an operation or a tool takes: its fields, or `Unknown` with the reason why they cannot be read."""


@attrs.frozen
class StepFacts:
    """What a reader knows of one step."""

    tool: str | None
    """Its name; `None` if computed."""
    from_: str | None
    takes: Input | Absent
    from_computed: bool = False
    """True: there is a `from`, and its value is not known before the program runs."""


def check_wiring(operation: str, takes: Input, steps: Sequence[StepFacts]) -> list[Fault]:
    """Apply every rule to one operation.

    Args:
        operation: the tool name that the operation will have.
        takes: the operation's input.
        steps: its steps, in order.
    """
    faults: list[Fault] = []
    for number, step in enumerate(steps, start=1):
        found = list(_check_step(operation, takes, step))
        faults += [attrs.evolve(fault, step=number) for fault in found]
    # A step in error may receive anything once it is mended, so nothing is unused because of it.
    if not any(fault.code != UNCHECKED for fault in faults):
        faults += check_unused(takes, steps)
    return faults


def _check_step(operation: str, takes: Input, step: StepFacts) -> Iterator[Fault]:
    tool_faults = list(check_tool(operation, step))
    yield from tool_faults
    received = received_by(takes, step)
    if isinstance(received, Fault):
        yield received
        return
    if tool_faults or isinstance(step.takes, Absent):
        return
    if isinstance(step.takes, Unknown):
        yield _unchecked(f"{_called(step)} cannot be checked: {step.takes.reason}")
        return
    for each in received:
        if isinstance(each, Unknown):
            yield _unchecked(f"what {_called(step)} receives cannot be checked: {each.reason}")
        else:
            yield from check_missing(each, step, step.takes)
            yield from check_types(each, step, step.takes)


def check_tool(operation: str, step: StepFacts) -> Iterator[Fault]:
    """The step's tool is known, and is not the operation itself."""
    if step.tool == operation:
        yield Fault(
            TOOL,
            f'the operation becomes the tool "{operation}", which its own step names: it would run itself for ever',
            "name another tool, or rename the operation",
            at="tool",
        )
    elif isinstance(step.takes, Absent) and step.tool is not None:
        yield Fault(
            TOOL,
            f'there is no tool "{step.tool}" in {step.takes.place}',
            did_you_mean(step.tool, [name for name in step.takes.known if name != operation], "tools"),
            at="tool",
        )


def received_by(takes: Input, step: StepFacts) -> tuple[Input, ...] | Fault:
    """Give the objects that *step* may receive (one, or each member of a union), or what is wrong with its `from`."""
    if step.from_computed:
        return (Unknown("its from_ is computed"),)
    if step.from_ is None or isinstance(takes, Unknown):
        return (takes,)
    field = takes.fields.get(step.from_)
    if field is None:
        return Fault(
            FROM,
            f'there is no input field "{step.from_}" for {_called(step)} to read',
            did_you_mean(step.from_, takes.fields, "fields"),
            at="from",
        )
    return _objects_of(step.from_, field)


def _objects_of(name: str, field: Field) -> tuple[Input, ...] | Fault:
    arms = arms_of(field.shape)
    objects: list[Input] = []
    for arm in arms:
        if not isinstance(arm, Object | Unknown):
            kind = "it may be None" if show(arm) == "None" and len(arms) > 1 else f"it is {show(field.shape)}"
            return Fault(
                FROM,
                f'a step\'s from must be an object, and "{name}" is not surely one: {kind}',
                f'give "{name}" an object type, or drop from_ to pass the whole input',
                at="from",
            )
        objects.append(arm)
    if not field.provided:
        return Fault(
            FROM,
            f'the field "{name}" may be absent, and then the step has no input',
            f'make "{name}" required, or give it a default',
            at="from",
        )
    return tuple(objects)


def check_missing(received: Object, step: StepFacts, wanted: Object) -> Iterator[Fault]:
    """Each required parameter of the tool is surely provided."""
    for name, parameter in wanted.fields.items():
        if parameter.optional:
            continue
        field = received.fields.get(name)
        source = f'"{step.from_}"' if step.from_ is not None else "the operation's input"
        if field is None and received.rest is not None and step.from_ is not None:
            yield _unchecked(f'{_called(step)} requires "{name}", which the open {source} may or may not hold')
        elif field is None:
            close = did_you_mean(name, received.fields, "fields") if received.fields else ""
            yield Fault(
                MISSING,
                f'{_called(step)} requires "{name}" ({show(parameter.shape)}), which {source} does not have',
                f'add "{name}" to {source}' + (f" ({close})" if close.startswith("did you mean") else ""),
                at="step",
            )
        elif not field.provided:
            yield Fault(
                MISSING,
                f'{_called(step)} requires "{name}", which may be absent from {source}',
                f'make "{name}" required in {source}, or give it a default',
                at="step",
            )


def check_types(received: Object, step: StepFacts, wanted: Object) -> Iterator[Fault]:
    """Each field that reaches a parameter fits it."""
    for name, shape in _reaching(received, wanted):
        accepted = wanted.fields[name].shape if name in wanted.fields else wanted.rest
        misfit = compare(shape, accepted) if accepted is not None else None
        if misfit is None:
            continue
        path = misfit.under(name if step.from_ is None else f"{step.from_}.{name}").path
        if misfit.proved:
            yield Fault(
                TYPE,
                f'"{path}" does not fit the parameter "{name}" of {_called(step)}: {misfit.why}',
                f"declare it as {show(accepted)}"
                if accepted is not None and not misfit.path
                else "make the types agree",
                at="step",
                parameter=path.split(".")[0],
            )
        else:
            yield _unchecked(
                f'"{path}" cannot be compared with the parameter "{name}" of {_called(step)}: {misfit.why}'
            )
    if received.rest is not None:
        yield from _open_into(received.rest, step, wanted)


def _reaching(received: Object, wanted: Object) -> Iterable[tuple[str, Shape]]:
    """Fields that the tool declares, and all of them if it is open: the host drops the others."""
    return [
        (name, field.shape)
        for name, field in received.fields.items()
        if name in wanted.fields or wanted.rest is not None
    ]


def _open_into(rest: Shape, step: StepFacts, wanted: Object) -> Iterator[Fault]:
    targets: Mapping[str, Shape] = {name: field.shape for name, field in wanted.fields.items() if field.optional}
    if wanted.rest is not None:
        targets = {**targets, "*": wanted.rest}
    for name, shape in targets.items():
        misfit = compare(rest, shape)
        if misfit is not None:
            yield _unchecked(f'undeclared fields may reach "{name}" of {_called(step)}: {misfit.why}')


def check_unused(takes: Input, steps: Sequence[StepFacts]) -> Iterator[Fault]:
    """Each parameter of the operation reaches a step: as its `from`, or as a parameter that its tool names."""
    if isinstance(takes, Unknown) or any(step.from_computed for step in steps):
        return
    sources = {step.from_ for step in steps}
    whole = [step for step in steps if step.from_ is None]
    named: set[str] = set()
    for step in whole:
        if isinstance(step.takes, Absent | Unknown) or step.takes.rest is not None:
            return  # it may take every field
        named.update(step.takes.fields)
    for name in takes.fields:
        if name not in named and name not in sources:
            yield Fault(
                UNUSED,
                f'the parameter "{name}" reaches no step: the model would set it, and nothing would change',
                _use(name, takes.fields[name], whole, named),
                at="parameter",
                parameter=name,
            )


def _use(name: str, field: Field, whole: Sequence[StepFacts], named: Iterable[str]) -> str:
    close = did_you_mean(name, named, "parameters") if named else ""
    if close.startswith("did you mean"):
        return f"{close} The tools {' and '.join(sorted({step.tool or '?' for step in whole}))} would read that"
    read = f', read it with from_="{name}"' if all(isinstance(arm, Object) for arm in arms_of(field.shape)) else ""
    return f"remove it{read}, or let a step's tool declare it"


def _called(step: StepFacts) -> str:
    return f'"{step.tool}"' if step.tool is not None else "the step's tool"


def _unchecked(why: str) -> Fault:
    return Fault(UNCHECKED, why, "", at="step")


__all__ = [
    "Absent",
    "Fault",
    "Input",
    "Misfit",
    "StepFacts",
    "check_missing",
    "check_tool",
    "check_types",
    "check_unused",
    "check_wiring",
    "received_by",
]
