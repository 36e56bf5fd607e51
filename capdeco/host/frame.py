"""One running call: its frozen identity, and the context that its body sees of it."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any

from capdeco.host.lossless import clipped, readable
from capdeco.host.policy import Progress, ToolCall
from capdeco.host.prepared import PreparedTool
from capdeco.host.protocol import Scope
from capdeco.host.signal import Signal, following
from capdeco.host.visibility import Layer
from capdeco.result import Failure, Success

if TYPE_CHECKING:
    from capdeco.host.pipeline import Pipeline


class Frame:
    """What the pipeline knows of one call. Only the pipeline holds it."""

    __slots__ = (
        "_facts",
        "arguments",
        "body_started",
        "broken",
        "call_id",
        "caller",
        "copy",
        "depth",
        "ended",
        "json",
        "layer",
        "name",
        "parent",
        "root_id",
        "scope",
        "signal",
        "started",
        "tool",
    )

    def __init__(
        self,
        name: str,
        arguments: Mapping[str, Any] | bytes,
        scope: Scope | None,
        layer: Layer,
        signal: Signal | None,
        call_id: str,
        root_id: str,
        parent: BodyContext | None,
    ) -> None:
        self.name = name
        self.arguments = arguments
        self.scope = scope
        self.layer = layer
        self.signal = signal
        self.call_id = call_id
        self.root_id = root_id
        self.parent = parent
        self.caller: PreparedTool | None = None if parent is None else parent._tool
        """The tool whose body makes this call."""
        self.depth: int = 0 if parent is None else parent._frame.depth + 1
        self.json: bytes | None = None
        self.copy: Any = None
        """The intake's own decoded copy, for the first body run; it is nobody else's."""
        self.tool: PreparedTool | None = None
        self.body_started = False
        self.broken = False
        """A hook raised, or a wrapper's value did not fit: no post policy."""
        self.ended = False
        self.started = perf_counter()
        self._facts: ToolCall | None = None

    @property
    def left_behind(self) -> str | None:
        """Name the call whose body makes this one, if that body has ended."""
        parent = self.parent
        if parent is None or parent._running:
            return None
        return f"the call {parent.call_id} of {parent._tool.name}"

    def reenters(self, tool: PreparedTool) -> bool:
        """Walk the call tree upwards: is *tool* running already?"""
        context = self.parent
        while context is not None:
            if context._tool is tool:
                return True
            context = context._frame.parent
        return False

    @property
    def title(self) -> str:
        """The name as messages say it. Whoever calls may put anything in its place, of any length."""
        return readable(clipped(self.name))

    @property
    def facts(self) -> ToolCall:
        """What hooks and observers are given: made when the first of them asks."""
        if self._facts is None:
            self._facts = ToolCall(
                self.name,
                self.json,
                self.scope,
                self.call_id,
                self.root_id,
                self.signal,
                nested=self.parent is not None,
            )
        return self._facts


class BodyContext:
    """What one run of a body may know and do. It ends with the body: nothing is dispatched through it afterwards."""

    __slots__ = (
        "_concludes",
        "_deferred",
        "_frame",
        "_minted",
        "_own_signal",
        "_pipeline",
        "_running",
        "_tool",
        "_upstream",
    )

    def __init__(self, pipeline: Pipeline, frame: Frame, tool: PreparedTool, upstream: Signal | None) -> None:
        self._pipeline = pipeline
        self._frame = frame
        self._tool = tool
        self._upstream = upstream
        self._own_signal: Signal | None = None
        self._deferred: list[str] | None = None
        self._concludes = False
        self._running = True
        self._minted = 0

    @property
    def scope(self) -> Scope | None:
        """Who is calling."""
        return self._frame.scope

    @property
    def call_id(self) -> str:
        """This call's own id."""
        return self._frame.call_id

    @property
    def root_id(self) -> str:
        """The call id of what the model asked for."""
        return self._frame.root_id

    @property
    def nested(self) -> bool:
        """True if another tool's body dispatched this call."""
        return self._frame.parent is not None

    @property
    def cancelled(self) -> bool:
        """True as soon as the caller has given up."""
        signal = self._own_signal or self._upstream
        return signal is not None and signal.is_set

    @property
    def signal(self) -> Signal:
        """The body's own: whoever sets it stops what this body dispatches, and nobody else."""
        if self._own_signal is None:
            self._own_signal = following(self._upstream)
        return self._own_signal

    @property
    def state(self) -> Any:
        """`host.state`."""
        return self._pipeline.state

    async def call(self, name: str, /, **arguments: Any) -> Success | Failure:
        """Dispatch tool *name* under this call, through every stage."""
        return await self.dispatch(name, arguments)

    async def dispatch(
        self, name: str, arguments: Mapping[str, Any] | bytes, *, call_id: str | None = None
    ) -> Success | Failure:
        """Like `call`, for argument names that are no identifiers, arguments as JSON, or a chosen call id."""
        above = self._frame
        if call_id is None:
            self._minted += 1
            call_id = f"{above.call_id}:{name}:{self._minted}"
        signal = self._own_signal or self._upstream
        frame = Frame(name, arguments, above.scope, above.layer, signal, call_id, above.root_id, self)
        return await self._pipeline.dispatch(frame)

    def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Tell whoever listens how far the body is."""
        self._pipeline.report(self._frame, Progress(done, total, message))

    def defer(self, text: str) -> None:
        """Attach a context message for the model to this call's result."""
        if self._deferred is None:
            self._deferred = []
        self._deferred.append(readable(str(text)))

    def conclude(self) -> None:
        """Mark the result as ending the turn; counts on success only."""
        self._concludes = True


# For the pipeline, and no part of what a body is given.


def end(context: BodyContext) -> None:
    """Dispatch nothing more through *context*: its body has ended."""
    context._running = False


def left(context: BodyContext) -> tuple[tuple[str, ...], bool]:
    """Give what a body leaves beside its value: the texts that it deferred, and whether it concludes the turn."""
    return () if context._deferred is None else tuple(context._deferred), context._concludes
