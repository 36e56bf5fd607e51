"""The embedded host: layers, scopes, registrations with exact undo, hooks, and the way into the pipeline."""

from __future__ import annotations

import itertools
import os
import reprlib
import secrets
from collections.abc import Collection, Coroutine, Mapping, Sequence
from typing import Any, Literal

from capdeco.codes import HOST
from capdeco.errors import Diagnostic, HostError, did_you_mean
from capdeco.host import hooks as kinds
from capdeco.host.admission import RESERVED, Admission
from capdeco.host.audit import Audit, LineFile, Redactor, Sink
from capdeco.host.frame import Frame
from capdeco.host.hooks import HookPoint, Hooks
from capdeco.host.loops import LoopEnded, current_loop, in_loop
from capdeco.host.lossless import clipped, to_json
from capdeco.host.pipeline import Pipeline, tell
from capdeco.host.policy import Approver, Change, Gate, Guard, Listener, Observer, Reviewer, Watcher, Wrapper
from capdeco.host.protocol import Call, Scope, ToolSpec
from capdeco.host.registration import Undo
from capdeco.host.scheduler import invoke_all
from capdeco.host.scope import EmbeddedScope
from capdeco.host.signal import Signal
from capdeco.host.visibility import GLOBAL, Layer, Mask, Visibility
from capdeco.misuse import checked
from capdeco.result import Failure, Success


class EmbeddedHost:
    """A tool registry with a pipeline, in this process. It belongs to one event loop, asyncio's or trio's.

    Hooks are plain functions, sync or async (observers and listeners: sync). Each is added by one method that
    returns a registration and works as a decorator, also with `scope=`.

    Args:
        state: what bodies find as `Context.state`: the place for a database or a client.
        enforce_timeouts: end a call when the `ToolSpec.timeout` of its tool is over; without it, that is left to
            wrappers of your own.
    """

    def __init__(self, state: Any = None, *, enforce_timeouts: bool = True) -> None:
        self._visibility = Visibility()
        self._hooks = Hooks(self._visibility, self._open_layer)
        self._pipeline = Pipeline(self._visibility, self._hooks, state, enforce_timeouts=enforce_timeouts)
        self._admission = Admission()
        self._prefix = secrets.token_hex(4)
        self._numbers = itertools.count(1)
        self._loop: Any = None
        """The event loop that this host is used in, if somebody runs one: for threads that have none."""
        self._scripts: set[Any] = set()
        """Loops that `call_sync` runs for one call each; they end with it, and nobody else may count on them."""

        self.guard: HookPoint[Guard] = HookPoint(self._hooks, kinds.GUARD)
        """`(call) -> None | reason | Deny`: may deny, can never allow. Global ones first, then scope by scope."""
        self.pre_execute: HookPoint[Gate] = HookPoint(self._hooks, kinds.PRE_EXECUTE)
        """`(call[, proceed]) -> Allow | Deny | Ask | None`: the first decision counts; `proceed()` asks the rest."""
        self.approval: HookPoint[Approver] = HookPoint(self._hooks, kinds.APPROVAL)
        """`(question) -> "allowed-once" | "rejected" | "cancelled" | "unavailable"`: answers every `Ask`."""
        self.around: HookPoint[Wrapper] = HookPoint(self._hooks, kinds.AROUND)
        """`(call, proceed) -> outcome | Answer`: `await proceed(signal=...)` runs the rest, each time it is called."""
        self.post_execute: HookPoint[Reviewer] = HookPoint(self._hooks, kinds.POST_EXECUTE)
        """`(call, outcome[, proceed]) -> Accept | Block | None`: the first decision counts."""
        self.observe: HookPoint[Observer] = HookPoint(self._hooks, kinds.OBSERVE)
        """`(call, outcome)`: hears every finished call, and can change nothing."""
        self.on_progress: HookPoint[Watcher] = HookPoint(self._hooks, kinds.ON_PROGRESS)
        """`(call, progress)`: hears what bodies say through `Context.progress`."""
        self.on_change: HookPoint[Listener] = HookPoint(self._hooks, kinds.ON_CHANGE)
        """`(change)`: hears of every tool added or withdrawn and every mask set or lifted, in any scope."""

    @property
    def state(self) -> Any:
        """What bodies find as `Context.state`."""
        return self._pipeline.state

    @state.setter
    def state(self, state: Any) -> None:
        self._pipeline.state = state

    # Layers.

    @checked(HostError)
    def scope(self, name: str, *, parent: Scope | None = None) -> EmbeddedScope:
        """Open a scope over the global layer, or over *parent*. Use it as a context manager, or close it.

        Raises:
            HostError: *parent* has ended, or is another host's; or the name is blank, or the global layer's.
        """
        if name == GLOBAL or not name.strip():
            what = f'"{name}" is the layer below all scopes' if name == GLOBAL else "a scope has no name"
            raise _refused(what, "give it a name that is its own in messages and in the audit", "scope-name")
        above = None
        if parent is not None:
            above = self._own(parent)
            if above.closed:
                raise _refused(f"the scope {parent.name} has ended", "open the parent first", "inactive-scope")
        return EmbeddedScope(name, above, self, self._end)

    @checked(HostError)
    def register(self, *tools: ToolSpec, scope: Scope | None = None) -> Undo:
        """Add *tools* to one layer, all or none.

        Raises:
            HostError: a name is illegal or taken in that layer, a schema is unsupported, the scope has ended.
        """
        layer = self._open_layer(scope)
        added = self._admission.prepare(tools, layer)
        for tool in added:
            layer.tools[tool.name] = tool
        layer.revision += 1

        def undo() -> None:
            layer.registrations.pop(registration, None)
            for tool in added:
                del layer.tools[tool.name]
            layer.revision += 1
            self._changed(*(Change("withdrawn", tool.name, scope) for tool in added))

        registration = Undo(undo, *(tool.name for tool in added))
        layer.registrations[registration] = None
        self._changed(*(Change("added", tool.name, scope) for tool in added))
        return registration

    @checked(HostError)
    def restrict(
        self,
        *,
        scope: Scope | None = None,
        allow: Collection[str] | None = None,
        deny: Collection[str] | None = None,
    ) -> Undo:
        """Hide inherited tools from *scope* and its descendants: from presentation, lookup and dispatch at once.

        Args:
            scope: whose view is narrowed; its own tools are not touched.
            allow: the names that stay visible; later names stay out.
            deny: the names that do not; later names come through.

        Raises:
            HostError: there is no scope, or it has ended; nothing is allowed or denied; a name is no inherited tool.
        """
        if scope is None:
            raise _refused("a mask belongs to a scope", "name the scope whose view it narrows", "needs-scope")
        layer = self._open_layer(scope)
        mask = _mask(allow, deny)
        unknown = sorted(mask.names - self._visibility.inherited(layer, mask.names))
        if unknown:
            known = self._visibility.inherited(layer, self._visibility.catalog(layer))
            raise HostError(
                *(
                    Diagnostic(
                        HOST,
                        f'"{name}" is no tool that {scope.name} inherits',
                        did_you_mean(name, known, "inherited tools"),
                        rule="unknown-restricted-tool",
                    )
                    for name in unknown
                )
            )
        layer.set_mask(mask)

        def undo() -> None:
            layer.registrations.pop(registration, None)
            layer.lift_mask(mask)
            self._changed(Change("lifted", None, scope))

        registration = Undo(undo, f"a mask of {scope.name}")
        layer.registrations[registration] = None
        self._changed(Change("restricted", None, scope))
        return registration

    @checked(HostError)
    def lookup(self, name: str, scope: Scope | None = None) -> ToolSpec | None:
        """Find what *name* means to *scope*, internal tools too."""
        tool = self._visibility.resolve(self._layer(scope), name)
        return None if tool is None else tool.spec

    @checked(HostError)
    def catalog(self, scope: Scope | None = None) -> Mapping[str, ToolSpec]:
        """Give what is presented to *scope*: name -> ToolSpec, in order, internal tools left out."""
        return self._visibility.catalog(self._layer(scope))

    # Calls.

    async def invoke(self, call: Call) -> Success | Failure:
        """Run *call* through every stage.

        Returns:
            Success with a JSON value that passed the output schema, or Failure with a message and perhaps a code.

        Raises:
            TypeError: *call* is no `Call`.
            BaseException: the task was cancelled, or a body or hook raised what is no `Exception`, say
                `KeyboardInterrupt`; it comes out as itself. A tool that tries to exit the process has only failed.
        """
        frame = self._frame(call)
        loop = current_loop()
        if loop is not self._loop and loop not in self._scripts:
            self._loop = loop
        if isinstance(frame, Failure):
            return frame
        return await self._pipeline.run(frame, self._pipeline.reach(frame))

    def invoke_all(self, calls: Sequence[Call], *, limit: int = 10) -> Coroutine[Any, Any, list[Success | Failure]]:
        """Run *calls*: neighbours that are parallel overlap, up to *limit* at once; an exclusive call runs alone.

        Returns:
            Their results, in the order of the calls. Cancelling it ends what runs and starts nothing more, and so does
            what a call raises, which is no `Exception` and comes out as itself, as from `invoke`.
        """
        # beartype looks at one item of a list, and here every one counts.
        every: object = calls
        if not isinstance(every, Sequence) or not isinstance(limit, int):
            raise _refused("invoke_all takes a list of calls, and a number as limit", "give it both", "argument")
        for index, call in enumerate(every):
            if not isinstance(call, Call):
                given = f"{reprlib.repr(call)} ({type(call).__name__})"
                raise _refused(f"invoke_all: calls[{index}] is {given}", "give Call(name, arguments)", "argument")
        if limit < 1:
            raise _refused(f"invoke_all: the limit is {limit}", "let 1 call or more run at once", "argument")
        return invoke_all(self.invoke, lambda call: self.concurrency(call) == "parallel", tuple(calls), limit)

    @checked(HostError)
    def call_sync(self, call: Call) -> Success | Failure:
        """Run *call* from a script, or from another thread than the host's own.

        Where the host is used in an event loop that somebody runs, the call runs there. Otherwise this thread runs one
        for this call; several threads do so at the same time.

        Raises:
            HostError: an event loop runs in this thread; there, await `invoke`. Or the host's loop ended meanwhile.
        """
        if current_loop() is not None:
            raise _refused("an event loop runs in this thread", "await host.invoke(call)", "running-loop")
        try:
            outcome = in_loop(self._loop, self.invoke, call)
        except LoopEnded:
            what = f"the event loop of this host ended while {clipped(str(call.name))} was called in it"
            raise _refused(what, "let the loop run until its threads are done", "loop-ended") from None
        if outcome is not None:
            return outcome
        import anyio  # noqa: PLC0415 - a host that only awaits needs none of it

        return anyio.run(self._alone, call)

    async def _alone(self, call: Call) -> Success | Failure:
        loop = current_loop()
        self._scripts.add(loop)
        try:
            return await self.invoke(call)
        finally:
            self._scripts.discard(loop)

    @checked(HostError)
    def concurrency(self, call: Call) -> Literal["parallel", "exclusive"]:
        """Say whether *call* may overlap its neighbours: only if its tool declared exactly that for these arguments."""
        frame = self._frame(call)
        tool = None if isinstance(frame, Failure) else self._pipeline.reach(frame)
        if tool is None:
            return "exclusive"
        try:
            declared = tool.spec.concurrency
            arguments = to_json(dict(call.arguments))[1]
            if declared is None or tool.check(arguments) is not None:
                return "exclusive"
            answer = declared(arguments) if callable(declared) else declared
        except (Exception, SystemExit):  # noqa: BLE001 - the classifier is the tool author's code; no answer is no permission
            return "exclusive"
        return "parallel" if answer is True else "exclusive"

    @checked(HostError)
    def audit(
        self,
        target: str | os.PathLike[str] | Sink,
        *,
        arguments: bool = False,
        redact: Redactor | None = None,
        scope: Scope | None = None,
    ) -> Undo:
        """Write one JSON line for every finished dispatch, until the registration is closed.

        Args:
            target: a file to append to, or a function that takes a line. Rotation is left to the platform.
            arguments: write the arguments too; without it, only how large they were.
            redact: (call, arguments) -> what of them may be written down.
            scope: only the calls of this scope and of its descendants.
        """
        if redact is not None and not arguments:
            raise _refused("a redactor without arguments has nothing to redact", "say arguments=True", "argument")
        if callable(target):
            return self.observe(Audit(target, arguments, redact), scope=scope)
        self._open_layer(scope)
        try:
            file = LineFile(target)
        except OSError as error:
            raise _refused(f"the audit cannot be written: {error}", "name a file that can be", "audit") from error
        observer = self.observe(Audit(file, arguments, redact), scope=scope)
        return observer.and_then(file.close)

    def _frame(self, call: Call) -> Frame | Failure:
        if not isinstance(call, Call):
            raise TypeError(f"invoke takes a Call, not {type(call).__name__}")
        scope = call.scope
        layer = self._visibility.root
        if scope is not None:
            if not isinstance(scope, EmbeddedScope) or scope._host is not self:
                return Failure(message="the call names a scope that is not this host's")
            layer = scope._layer
        call_id = call.call_id
        if call_id is None:
            call_id = f"{self._prefix}-{next(self._numbers)}"
        root_id = call_id if call.root_id is None else call.root_id
        facts: tuple[object, ...] = (call.name, call_id, root_id)
        if not all(isinstance(fact, str) for fact in facts):
            return Failure(message="the name and the ids of a call are text")
        signal: object = call.signal
        if not isinstance(signal, Signal | None):
            return Failure(message="the signal of a call is a Signal")
        return Frame(call.name, call.arguments, scope, layer, call.signal, call_id, root_id, None)

    # What the rest stands on.

    def _own(self, scope: Scope) -> EmbeddedScope:
        if not isinstance(scope, EmbeddedScope) or scope._host is not self:
            raise _refused(f"{scope!r} is no scope of this host", "make it with host.scope(name)", "unknown-scope")
        return scope

    def _layer(self, scope: Scope | None) -> Layer:
        return self._visibility.root if scope is None else self._own(scope)._layer

    def _open_layer(self, scope: Scope | None) -> Layer:
        layer = self._layer(scope)
        if layer.ended and scope is not None:
            raise _refused(f"the scope {scope.name} has ended", "register through one that is open", "inactive-scope")
        return layer

    def _end(self, scope: EmbeddedScope) -> None:
        for registration in list(scope._layer.registrations):
            registration.close()

    def _changed(self, *changes: Change) -> None:
        listeners = self._hooks.listeners()
        for change in changes if listeners else ():
            tell(listeners, change)


def _mask(allow: Collection[str] | None, deny: Collection[str] | None) -> Mask:
    if allow is None and deny is None:
        raise _refused("a mask allows or denies something", "give allow, deny or both", "empty-restriction")
    if isinstance(allow, str) or isinstance(deny, str):
        raise _refused("allow and deny are lists of names", 'write ["name"]', "argument")
    mask = Mask(None if allow is None else frozenset(allow), frozenset(deny or ()))
    name: object
    for name in mask.names:
        if not isinstance(name, str):
            raise _refused(f"{reprlib.repr(name)} is no name of a tool", "allow and deny hold names", "argument")
    if RESERVED in mask.names:
        raise _refused(f"the name {RESERVED} is reserved", "leave it out", "reserved-name")
    return mask


def _refused(what: str, fix: str, rule: str) -> HostError:
    return HostError(Diagnostic(HOST, what, fix, rule=rule))
