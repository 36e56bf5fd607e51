"""The binder: declarations join a host, all or nothing, and leave it exactly as it was."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.metadata import EntryPoint
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

import attrs

from capdeco.declare.capabilities import Capability, capability_carried_by
from capdeco.declare.functions import place_of
from capdeco.declare.json_schema import parse_schema
from capdeco.declare.mapping import read_capability
from capdeco.declare.operations import Operation, operation_carried_by
from capdeco.declare.shape import Object, Shape, Unknown
from capdeco.declare.tools import Tool, tool_carried_by
from capdeco.declare.wiring import Absent, Fault, Input, StepFacts, check_wiring
from capdeco.errors import (
    DECLARATION,
    HOST,
    TOOL,
    UNCHECKED,
    BindError,
    CapdecoError,
    DeclarationError,
    Diagnostic,
    WiringError,
)
from capdeco.host.protocol import Changing, Host, Registration, Scope, ToolSpec
from capdeco.loading import declared_in, import_plugin, plugin_error
from capdeco.profile import Wanted, choose, find_profile, installed_plugins, read_profile
from capdeco.tooling import operation_spec, read_operation, tool_spec
from capdeco.watching import ImportWatch

Declaration: TypeAlias = type | Callable[..., Any] | Tool | Capability | Mapping[str, Any]
"""A capability class or function, a `@tool` function, their records, or a capability as a mapping."""


@attrs.frozen
class Bound:
    """One row of `Binder.list()`."""

    id: str
    description: str
    tools: tuple[str, ...]


@attrs.define(eq=False)
class BinderRegistration:
    """What one `register` or `load` added; closing it takes away exactly that."""

    _binder: Binder
    _inner: Registration
    capabilities: tuple[Capability, ...]
    tools: tuple[str, ...]
    scope: Scope | None
    bound: tuple[_BoundOperation, ...] = attrs.field(repr=False)

    @property
    def closed(self) -> bool:
        """Whether it was closed, or its scope has ended."""
        return self._inner.closed

    def close(self) -> None:
        """Withdraw it; twice is fine."""
        self._binder._forget(self)
        self._inner.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@attrs.define(eq=False)
class ImportRegistration:
    """What watches imports; closing it stops that, and takes away what was bound by it."""

    _watch: ImportWatch
    _loaded: list[BinderRegistration]
    closed: bool = attrs.field(default=False, init=False)

    def close(self) -> None:
        """Stop watching and withdraw; twice is fine."""
        self.closed = True
        self._watch.stop()
        for registration in self._loaded:
            registration.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@attrs.frozen(eq=False)
class Plugin:
    """How one installed plugin was loaded: its registrations, or the error for which it was withdrawn."""

    name: str
    version: str
    registrations: tuple[BinderRegistration, ...]
    error: BindError | None

    def close(self) -> None:
        """Unload it from the running host; twice is fine."""
        for registration in reversed(self.registrations):
            registration.close()


@attrs.frozen(eq=False)
class Plugins:
    """What `load_installed` did: the plugins of the profile in its order, and all names that are installed."""

    loaded: tuple[Plugin, ...]
    installed: tuple[str, ...]

    def close(self) -> None:
        """Unload them all, last one first; twice is fine."""
        for plugin in reversed(self.loaded):
            plugin.close()


class Binder:
    """Registers declarations with one host.

    The proof is about the tools known when an operation is registered. Where the host tells of changes, operations
    are checked again when a tool that they name comes, goes or is shadowed; what no longer fits is reported.

    Args:
        host: where tools are registered and dispatched.
        check_wiring: False registers what cannot be proved to fit; steps must still name tools that exist.
        on_fault: hears of operations that no longer fit; by default they are logged as warnings.
    """

    def __init__(
        self,
        host: Host,
        *,
        check_wiring: bool = True,
        on_fault: Callable[[Diagnostic], object] | None = None,
    ) -> None:
        if not isinstance(host, Host):
            raise BindError(
                Diagnostic(HOST, f"{host!r} is no host", "give an object with register, lookup, catalog and invoke")
            )
        self._host = host
        self._check_wiring = check_wiring
        self._registrations: dict[BinderRegistration, None] = {}
        self._holders: dict[tuple[Scope | None, str], BinderRegistration] = {}
        self._watches: list[ImportRegistration] = []
        self._on_fault = on_fault or _log
        self._naming: dict[str, dict[_BoundOperation, None]] = {}
        self._changes: Registration | None = None
        if check_wiring and isinstance(host, Changing):
            self._changes = host.on_change(self._recheck)
        self._closed = False

    def register(self, *declarations: Declaration, scope: Scope | None = None) -> BinderRegistration:
        """Register *declarations* as one batch in the global layer or in *scope*'s: all of them or none.

        Steps may name tools that the scope sees, and tools of the same batch in any order.

        Raises:
            DeclarationError: a declaration is wrong in itself.
            WiringError: a step does not fit its tool.
            BindError: an id is taken, a declaration is none, the binder is closed.
            HostError: the host refused a tool.
        """
        if self._closed:
            raise BindError(Diagnostic(HOST, "this binder is closed", "register through an open one", rule="closed"))
        tools, capabilities = _sorted_out(declarations)
        batch = _Batch(self._host, scope, self._check_wiring)
        specs = batch.specs(tools, capabilities)
        self._check_ids(capabilities, scope)
        inner = self._host.register(*specs, scope=scope)
        names = tuple(spec.name for spec in specs)
        registration = BinderRegistration(self, inner, tuple(capabilities), names, scope, tuple(batch.bound))
        self._registrations[registration] = None
        self._holders |= {(scope, each.id): registration for each in capabilities}
        for bound in batch.bound:
            for step in bound.operation.steps:
                self._naming.setdefault(step.tool, {})[bound] = None
        return registration

    def load(self, plugin: str, *, scope: Scope | None = None) -> BinderRegistration:
        """Import the module or package *plugin* and register what it defines: tools first, in order of definition.

        The same set whether or not it was imported before. Closing the registration unloads exactly that.

        Raises:
            BindError: it cannot be imported.
            CapdecoError: as `register`; nothing of the plugin is registered then.
        """
        tools, capabilities = declared_in(import_plugin(plugin), plugin)
        return self.register(*tools, *capabilities, scope=scope)

    def watch_imports(self, *packages: str, scope: Scope | None = None) -> ImportRegistration:
        """Do what `load` does whenever one of *packages* is imported, by anybody, until it is closed.

        One that has been imported already is loaded at once. Where a declaration is refused, the import fails.

        Raises:
            CapdecoError: as `load`, for what has been imported already.
        """
        loaded: list[BinderRegistration] = []
        watch = ImportWatch(packages, lambda name: loaded.append(self.load(name, scope=scope)))
        registration = ImportRegistration(watch, loaded)
        try:
            for name in packages:
                if name in sys.modules:
                    watch.announce(name)
        except CapdecoError:
            registration.close()
            raise
        watch.start()
        self._watches.append(registration)
        return registration

    def load_installed(self, profile: str | Path | None = None, *, strict: bool = False) -> Plugins:
        """Load the installed plugins that a profile names, in its order; without a profile, list what there is.

        A plugin that fails is withdrawn whole and reported; the others stay up.

        Args:
            profile: a `capdeco.toml` or `pyproject.toml`; by default the one in the working directory.
            strict: stop at the first failure, with nothing of this call left.

        Raises:
            BindError: the profile is wrong or names a plugin that is not installed; with *strict*, a plugin failed.
        """
        found = read_profile(Path(profile) if profile is not None else find_profile(Path.cwd()))
        installed = installed_plugins()
        rows: list[Plugin] = []
        for wanted, entry in choose(found, installed):
            row = self._load_plugin(wanted, entry)
            rows.append(row)
            if strict and row.error is not None:
                for each in rows:
                    each.close()
                raise BindError(*row.error.diagnostics) from row.error
        return Plugins(tuple(rows), tuple(installed))

    def _load_plugin(self, wanted: Wanted, entry: EntryPoint) -> Plugin:
        before = len(self._registrations)
        version = entry.dist.version if entry.dist else ""
        try:
            if entry.attr:
                setup = entry.load()
                setup(self, dict(wanted.options))
            else:
                self.load(entry.module)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin may raise anything, the others stay up
            for registration in reversed(list(self._registrations)[before:]):
                registration.close()
            return Plugin(wanted.name, version, (), plugin_error(wanted.name, error))
        return Plugin(wanted.name, version, tuple(list(self._registrations)[before:]), None)

    def list(self) -> tuple[Bound, ...]:
        """Give what is bound, in order of registration: for diagnostics, never for the model."""
        return tuple(
            Bound(each.id, each.description, tuple(map(each.tool_name, each.operations)))
            for registration in self._live()
            for each in registration.capabilities
        )

    def close(self) -> None:
        """Withdraw everything that this binder registered, in every scope; nothing can be registered after."""
        self._closed = True
        if self._changes is not None:
            self._changes.close()
        for watch in self._watches:
            watch.close()
        for registration in reversed(list(self._registrations)):
            registration.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _live(self) -> Iterator[BinderRegistration]:
        # A scope that ended took its registrations with it.
        return (each for each in self._registrations if not each.closed)

    def _forget(self, registration: BinderRegistration) -> None:
        if self._registrations.pop(registration, self) is self:
            return
        for each in registration.capabilities:
            if self._holders.get((registration.scope, each.id)) is registration:
                del self._holders[registration.scope, each.id]
        for bound in registration.bound:
            for step in bound.operation.steps:
                naming = self._naming.get(step.tool, {})
                naming.pop(bound, None)
                if not naming:
                    self._naming.pop(step.tool, None)

    def _recheck(self, change: Any) -> None:
        """Check again what names the tool that came or went; the host calls this at each change."""
        for bound in tuple(self._naming.get(change.name, ())):
            scope = bound.scope
            if scope is not None and getattr(scope, "closed", False):
                continue  # it is ending, and takes the operation with it
            found = tuple(_Batch(self._host, scope, wiring=True).faults(bound))
            for diagnostic in found:
                if diagnostic not in bound.reported:
                    self._on_fault(diagnostic)
            bound.reported = found

    def _check_ids(self, capabilities: Iterable[Capability], scope: Scope | None) -> None:
        seen: set[str] = set()
        for each in capabilities:
            holder = self._holders.get((scope, each.id))
            if each.id in seen or (holder is not None and not holder.closed):
                raise BindError(
                    Diagnostic(
                        DECLARATION,
                        f'the capability id "{each.id}" is already taken',
                        "choose another id, or close the registration that holds it",
                        place=each.place,
                        subject=each.id,
                        rule="duplicate-capability",
                    )
                )
            seen.add(each.id)


def _sorted_out(declarations: Iterable[Declaration]) -> tuple[list[Tool], list[Capability]]:
    tools: list[Tool] = []
    capabilities: list[Capability] = []
    for each in declarations:
        if isinstance(each, Tool):
            tools.append(each)
        elif isinstance(each, Capability):
            capabilities.append(each)
        elif isinstance(each, Mapping):
            capabilities.append(read_capability(each))
        else:
            capability, tool = capability_carried_by(each), tool_carried_by(each)
            if capability is None and tool is None:
                raise _not_declared(each)
            tools += [tool] if tool else []
            capabilities += [capability] if capability else []
    return tools, capabilities


def _not_declared(target: object) -> CapdecoError:
    if not isinstance(target, type) and not callable(target):
        return DeclarationError(
            Diagnostic(
                DECLARATION,
                f"a capability is a mapping, a decorated class or a decorated function, not {target!r}",
                "decorate it, or give a mapping with id, description and operations",
                rule="capability-shape",
            )
        )
    if operation_carried_by(target) is not None:
        what, fix = "carries @operation alone", 'put @capability(id="...", description="...") above it'
    elif isinstance(target, type) and any(capability_carried_by(base) for base in target.__mro__[1:]):
        what, fix = "inherits from a capability and is none itself", "put @capability on it too"
    else:
        what, fix = "carries neither @capability nor @tool", "decorate it"
    name = getattr(target, "__qualname__", repr(target))
    return DeclarationError(
        Diagnostic(DECLARATION, f'"{name}" {what}', fix, place=place_of(target), rule="capability-shape")
    )


@attrs.define(eq=False)
class _BoundOperation:
    """An operation that was registered, and what was last said about it."""

    capability: Capability
    operation: Operation
    takes: Object
    scope: Scope | None
    reported: tuple[Diagnostic, ...] = ()


def _log(diagnostic: Diagnostic) -> None:
    logging.getLogger("capdeco").warning("%s", diagnostic)


@attrs.define(eq=False)
class _Batch:
    """Declarations that are registered together, and what their steps see: each other, then the host."""

    host: Host
    scope: Scope | None
    wiring: bool
    tools: dict[str, ToolSpec] = attrs.field(factory=dict)
    shapes: dict[str, Input | Absent] = attrs.field(factory=dict)
    bound: list[_BoundOperation] = attrs.field(factory=list)

    def specs(self, tools: Iterable[Tool], capabilities: Iterable[Capability]) -> list[ToolSpec]:
        found = [tool_spec(tool) for tool in tools]
        self.tools = {spec.name: spec for spec in found}
        read = [
            (capability, operation, read_operation(operation))
            for capability in capabilities
            for operation in capability.operations
        ]
        operations = {
            capability.tool_name(operation): (operation, ready.takes) for capability, operation, ready in read
        }
        for name, (_, takes) in operations.items():
            self.shapes.setdefault(name, takes)
        self.bound = [
            _BoundOperation(capability, operation, ready.takes, self.scope) for capability, operation, ready in read
        ]
        diagnostics = [found for bound in self.bound for found in self.faults(bound)]
        if diagnostics:
            raise WiringError(*diagnostics)
        _check_cycles({name: [step.tool for step in operation.steps] for name, (operation, _) in operations.items()})
        # Inner operations first: an outer one's report describes their reports.
        made: dict[str, ToolSpec] = {}
        for capability, operation, ready in sorted(read, key=lambda each: _depth(each[1], operations)):
            seen = {step.tool: self._find(step.tool, made) for step in operation.steps}
            known = {name: spec for name, spec in seen.items() if spec is not None}
            spec = operation_spec(capability, operation, ready, known, self.host.lookup)
            made[spec.name] = spec
        return found + [made[capability.tool_name(operation)] for capability, operation, _ in read]

    def _find(self, name: str, made: Mapping[str, ToolSpec]) -> ToolSpec | None:
        return self.tools.get(name) or made.get(name) or self.host.lookup(name, self.scope)

    def faults(self, bound: _BoundOperation) -> Iterator[Diagnostic]:
        """Apply the wiring rules to one operation, in the view of this batch."""
        steps = [StepFacts(step.tool, step.from_, self._input_of(step.tool)) for step in bound.operation.steps]
        for fault in check_wiring(bound.capability.tool_name(bound.operation), bound.takes, steps):
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
        rule="unknown-step-tool" if fault.code == TOOL else fault.code.removeprefix("capdeco-"),
    )


def _depth(operation: Operation, operations: Mapping[str, tuple[Operation, Object]]) -> int:
    inner = [operations[step.tool][0] for step in operation.steps if step.tool in operations]
    return 1 + max((_depth(each, operations) for each in inner), default=0)


def _check_cycles(steps: Mapping[str, list[str]]) -> None:
    """Operations of one batch may name each other, but not in a circle."""

    def visit(name: str, path: tuple[str, ...]) -> None:
        if name in path:
            circle = " → ".join((*path[path.index(name) :], name))
            raise WiringError(
                Diagnostic(
                    TOOL,
                    f"operations that run each other would run for ever: {circle}",
                    "let one of them name tools only",
                    rule="recursive-operation",
                )
            )
        for tool in steps.get(name, ()):
            visit(tool, (*path, name))

    for name in steps:
        visit(name, ())
