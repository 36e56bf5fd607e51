"""The binder: declarations join a host, all or nothing, and leave it exactly as it was."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Container, Iterable, Mapping
from importlib.metadata import EntryPoint
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

from capdeco.bind.batch import Batch, BoundOperation
from capdeco.bind.loading import check_done, check_names, declared_in, import_one, import_plugin, plugin_error
from capdeco.bind.profile import Wanted, choose, find_profile, installed_plugins, read_profile, refuse_options
from capdeco.bind.registrations import BinderRegistration, Bound, Handle, ImportRegistration, Plugin, Plugins
from capdeco.bind.watching import ImportWatch
from capdeco.codes import DECLARATION, HOST
from capdeco.declare.capabilities import Capability, capability_carried_by
from capdeco.declare.functions import place_of
from capdeco.declare.mapping import read_capability
from capdeco.declare.operations import operation_carried_by
from capdeco.declare.tools import Tool, tool_carried_by
from capdeco.errors import BindError, CapdecoError, DeclarationError, Diagnostic
from capdeco.host.protocol import Changing, Host, Registration, Scope
from capdeco.misuse import checked

Declaration: TypeAlias = type | Callable[..., Any] | Tool | Capability | Mapping[str, Any]
"""A capability class or function, a `@tool` function, their records, or a capability as a mapping."""


class Binder:
    """Registers declarations with one host.

    The proof is about the tools known when an operation is registered. Where the host tells of changes, operations
    are checked again when a tool that they name comes, goes or is shadowed; what no longer fits is reported.

    Args:
        host: where tools are registered and dispatched.
        check_wiring: False registers what cannot be proved to fit; steps must still name tools that exist.
        on_fault: hears of operations that no longer fit and of plugins that fail to load; by default both are
            logged as warnings.
    """

    @checked(BindError)
    def __init__(
        self,
        host: Host,
        *,
        check_wiring: bool = True,
        on_fault: Callable[[Diagnostic], object] | None = None,
    ) -> None:
        if isinstance(host, type):  # it has the methods, and nothing to call them on
            what = f"Binder: host is the class {host.__name__}"
            raise BindError(Diagnostic(HOST, what, f"give an object, as in {host.__name__}()", rule="argument"))
        self._host = host
        self._check_wiring = check_wiring
        self._kept: dict[Handle, None] = {}
        """What was given back and is open, in order."""
        self._silent: dict[Handle, None] = {}
        """Those of it that may end with their scope without a word, as this host's registrations do not tell."""
        self._holders: dict[tuple[Scope | None, str], Capability] = {}
        self._on_fault = on_fault or _log
        self._naming: dict[str, dict[BoundOperation, None]] = {}
        self._changes: Registration | None = None
        self._closed = False

    @checked(BindError)
    def register(self, *declarations: Declaration, scope: Scope | None = None) -> BinderRegistration:
        """Register *declarations* as one batch in the global layer or in *scope*'s: all of them or none.

        Steps may name tools that the scope sees, and tools of the same batch in any order.

        Raises:
            DeclarationError: a declaration is wrong in itself.
            WiringError: a step does not fit its tool.
            BindError: an id is taken, a declaration is none, the binder is closed, the scope has ended.
            HostError: the host refused a tool.
        """
        self._check_open(scope)
        self._forget_ended()
        tools, capabilities = _sorted_out(declarations)
        check_names(tools)
        batch = Batch(self._host, scope, self._check_wiring)
        specs = batch.specs(tools, capabilities)
        self._check_ids(capabilities, scope)
        inner = self._host.register(*specs, scope=scope)
        names = tuple(spec.name for spec in specs)
        registration = BinderRegistration(inner, self._forget, scope, tuple(capabilities), names, tuple(batch.bound))
        self._holders |= {(scope, each.id): each for each in capabilities}
        for bound in batch.bound:
            for step in bound.operation.steps:
                self._naming.setdefault(step.tool, {})[bound] = None
        self._keep(registration, inner)
        if batch.bound and self._changes is None and self._check_wiring and isinstance(self._host, Changing):
            self._changes = self._host.on_change(self._recheck)
        return registration

    @checked(BindError)
    def load(self, plugin: str, *, scope: Scope | None = None) -> BinderRegistration:
        """Import the module or package *plugin* and register what it defines: tools first, in order of definition.

        The same set whether or not it was imported before. Closing the registration unloads exactly that.

        Raises:
            BindError: it cannot be imported.
            CapdecoError: as `register`; nothing of the plugin is registered then.
        """
        self._check_open(scope)  # before anything is imported
        tools, capabilities = declared_in(import_plugin(plugin), plugin)
        return self.register(*tools, *capabilities, scope=scope)

    @checked(BindError)
    def watch_imports(self, *packages: str, scope: Scope | None = None) -> ImportRegistration:
        """Do what `load` does whenever one of *packages* is imported, by anybody, until it is closed.

        One that has been imported already is loaded at once. Where a declaration is refused, the import fails.

        Raises:
            BindError: the binder is closed, the scope has ended.
            CapdecoError: as `load`, for what has been imported already.
        """
        self._check_open(scope)
        loaded: list[BinderRegistration] = []

        def bind(name: str) -> None:
            self._forget_ended()
            if not registration.closed:
                loaded.append(self.load(name, scope=scope))

        watch = ImportWatch(packages, bind)
        inner = self._host.register(scope=scope)  # of nothing: it ends with the scope, and the watch with it
        registration = ImportRegistration(inner, self._forget, scope, watch, loaded)
        self._keep(registration, inner)
        try:
            for name in packages:
                if name in sys.modules:
                    bind(name)
        except BaseException:
            registration.close()
            raise
        watch.start()
        return registration

    @checked(BindError)
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
            row = self.load_plugin(wanted, entry)
            rows.append(row)
            for diagnostic in row.error.diagnostics if row.error else ():
                self._on_fault(diagnostic)
            if strict and row.error is not None:
                for each in reversed(rows):
                    each.close()
                raise BindError(*row.error.diagnostics) from row.error
        return Plugins(tuple(rows), tuple(installed))

    @checked(BindError)
    def load_plugin(self, wanted: Wanted, entry: EntryPoint) -> Plugin:
        """Load one plugin as `load_installed` does: all of it, or nothing but the error."""
        before = set(self._kept)
        version = entry.dist.version if entry.dist else ""
        try:
            if entry.attr:
                import_one(entry.module)  # which says better what is wrong with it
                setup = entry.load()
                check_done(wanted.name, setup, setup(self, dict(wanted.options)))
            else:
                refuse_options(wanted, entry)
                self.load(entry.module)
        except BaseException as error:
            for each in reversed(self._kept_since(before)):
                each.close()
            if not isinstance(error, Exception | SystemExit):
                raise
            # A plugin may raise anything, and the others stay up.
            return Plugin(wanted.name, version, (), plugin_error(wanted.name, error))
        return Plugin(wanted.name, version, self._kept_since(before), None)

    def _kept_since(self, before: Container[Handle]) -> tuple[Handle, ...]:
        """Give what came after *before*; what a watch bound is the watch's, and goes with it."""
        watches = (each for each in self._kept if isinstance(each, ImportRegistration))
        watched = {one for each in watches for one in each.registrations}
        return tuple(each for each in self._kept if each not in before and each not in watched)

    def list(self) -> tuple[Bound, ...]:
        """Give what is bound, in order of registration: for diagnostics, never for the model."""
        self._forget_ended()
        return tuple(
            Bound(each.id, each.description, tuple(map(each.tool_name, each.operations)))
            for registration in self._kept
            if isinstance(registration, BinderRegistration)
            for each in registration.capabilities
        )

    def close(self) -> None:
        """Withdraw everything that this binder registered, in every scope; nothing can be registered after."""
        self._closed = True
        for each in reversed(list(self._kept)):
            each.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _check_open(self, scope: Scope | None) -> None:
        if self._closed:
            raise BindError(Diagnostic(HOST, "this binder is closed", "register through an open one", rule="closed"))
        if scope is not None and _has_ended(scope):
            # Said before the steps are checked: through a scope that has ended none of their tools is seen.
            what, fix = f"the scope {scope.name} has ended", "register through one that is open"
            raise BindError(Diagnostic(HOST, what, fix, rule="inactive-scope"))

    def _keep(self, handle: Handle, inner: Registration) -> None:
        """Keep *handle* until it is closed, or ends with its scope."""
        self._kept[handle] = None
        # More than the protocol asks for: the embedded host's registrations tell when they are undone.
        and_then = getattr(inner, "and_then", None)
        if and_then is not None:
            and_then(handle.close)
        elif handle.scope is not None:
            self._silent[handle] = None

    def _forget_ended(self) -> None:
        for each in [each for each in self._silent if each.closed]:
            each.close()

    def _forget(self, handle: Handle) -> None:
        if handle not in self._kept:
            return
        del self._kept[handle]
        self._silent.pop(handle, None)
        if not isinstance(handle, BinderRegistration):
            return
        for each in handle.capabilities:
            del self._holders[handle.scope, each.id]
        for bound in handle.bound:
            for step in bound.operation.steps:
                naming = self._naming.get(step.tool, {})
                naming.pop(bound, None)
                if not naming:
                    self._naming.pop(step.tool, None)
        if not self._naming and self._changes is not None:
            self._changes.close()
            self._changes = None

    def _recheck(self, change: Any) -> None:
        """Check again what names the tool that came or went; the host calls this at each change."""
        self._forget_ended()
        for bound in tuple(self._naming.get(change.name, ())):
            scope = bound.scope
            if scope is not None and _has_ended(scope):
                continue  # it is ending, and takes the operation with it
            found = tuple(Batch(self._host, scope, wiring=True).faults(bound))
            for diagnostic in found:
                if diagnostic not in bound.reported:
                    self._on_fault(diagnostic)
            bound.reported = found

    def _check_ids(self, capabilities: Iterable[Capability], scope: Scope | None) -> None:
        seen: dict[str, Capability] = {}
        for each in capabilities:
            other = seen.get(each.id) or self._holders.get((scope, each.id))
            if other is not None:
                where = f", at {other.place}" if other.place else ""
                raise BindError(
                    Diagnostic(
                        DECLARATION,
                        f'the capability id "{each.id}" is already taken{where}',
                        "choose another id, or close the registration that holds it",
                        place=each.place,
                        subject=each.id,
                        rule="duplicate-capability",
                    )
                )
            seen[each.id] = each


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


def _not_declared(target: type | Callable[..., Any]) -> CapdecoError:
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


def _has_ended(scope: Scope) -> bool:
    """Say whether a host that ends its scopes has ended this one."""
    return bool(getattr(scope, "closed", False))


def _log(diagnostic: Diagnostic) -> None:
    logging.getLogger("capdeco").warning("%s", diagnostic)
