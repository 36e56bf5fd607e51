"""All that capdeco asks of a host: a registry that dispatches tools through its own policy."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Protocol, Self, TypeAlias, runtime_checkable

import attrs

from capdeco.host.signal import Signal
from capdeco.result import Block, Failure, Success

Json: TypeAlias = Any
"""A value with a lossless JSON form: null, booleans, text, finite numbers, lists, string-keyed objects."""

Schema: TypeAlias = Mapping[str, Any]
"""A JSON Schema 2020-12 document with local references only."""


@runtime_checkable
class Scope(Protocol):
    """A layer over the global layer, in practice one agent's. Opaque but for its name."""

    @property
    def name(self) -> str:
        """How people call it."""

    @property
    def parent(self) -> Scope | None:
        """The scope that this one lies over, if it does."""


class Context(Protocol):
    """What a running body may know and do; a parameter annotated with it is injected and is no field."""

    @property
    def scope(self) -> Scope | None:
        """Who is calling; `None` for the global layer."""

    @property
    def call_id(self) -> str:
        """This call's own id."""

    @property
    def root_id(self) -> str:
        """The call id of what the model asked for; the own call id in a root call."""

    @property
    def nested(self) -> bool:
        """True if another tool's body dispatched this call."""

    @property
    def cancelled(self) -> bool:
        """True as soon as the caller has given up; a sync body polls this."""

    @property
    def signal(self) -> Signal:
        """Is set when the caller gives up; what this body dispatches is given the same."""

    @property
    def state(self) -> Any:
        """`host.state`: the place for a database or a client."""

    async def call(self, name: str, /, **arguments: Json) -> Success | Failure:
        """Dispatch tool *name* under this call, through every stage of the host.

        A sync body waits for it from its thread: `anyio.from_thread.run(context.call, name)`.
        """

    async def dispatch(
        self, name: str, arguments: Mapping[str, Json] | bytes, *, call_id: str | None = None
    ) -> Success | Failure:
        """Like `call`, for argument names that are no identifiers, canonical JSON bytes, or a chosen call id."""

    def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Tell whoever listens how far the body is."""

    def defer(self, text: str) -> None:
        """Attach a context message for the model to this call's result."""

    def conclude(self) -> None:
        """Mark the result as ending the turn; counts on success only."""


Body: TypeAlias = Callable[[dict[str, Any], Context], Awaitable[Any] | Any]
"""Arguments that passed the input schema (the body's own copy) and the context -> a JSON value or `Content`."""


@attrs.frozen
class Annotations:
    """Hints about what a tool does; nothing here is enforced. `None` means not said."""

    title: str | None = None
    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None


@attrs.frozen(eq=False, kw_only=True)
class ToolSpec:
    """One tool as a host registers it and a model sees it. Two equal specs are two tools.

    The schemas of a spec that a host gives out are the host's own: read them, and change a copy.
    """

    name: str
    description: str
    input_schema: Schema
    body: Body
    output_schema: Schema | None = None
    """`None`: any JSON."""
    render: Callable[[Any], Sequence[Block]] | None = None
    """Value -> content blocks; by default text renders as itself and anything else as compact JSON."""
    finalize: Callable[[Success | Failure], Sequence[Block] | None] | None = None
    """Once per call, whatever the outcome: replaces the content, or leaves it (`None`)."""
    expose: bool = True
    """False: never presented, not a root call; reachable only from tools whose `uses` name it."""
    uses: frozenset[str] = frozenset()
    operation: bool = False
    """True: the value is an operation's report, whose `ok: false` is a failed step to whoever dispatched it."""
    timeout: float | None = None
    """Seconds."""
    concurrency: bool | Callable[[Mapping[str, Any]], object] | None = None
    """Parallel only if this is, or for valid arguments returns, exactly True."""
    blocking: bool = True
    """A sync body runs in a thread; False runs it in the loop."""
    annotations: Annotations = Annotations()
    source: str | None = None
    """Where it was declared, as `file:line`, for diagnostics."""


@attrs.frozen(eq=False)
class Call:
    """One invocation. Ids are minted when absent; the root id is the call id unless given."""

    name: str
    arguments: Mapping[str, Json] = attrs.field(factory=dict)
    scope: Scope | None = None
    signal: Signal | None = None
    call_id: str | None = None
    root_id: str | None = None


class Registration(Protocol):
    """The handle to what one registration added; closing it undoes exactly that, and twice is fine."""

    @property
    def closed(self) -> bool:
        """True when it was undone."""

    def close(self) -> None:
        """Undo it."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...


@runtime_checkable
class Changing(Protocol):
    """A host that tells of changes; not every host does."""

    @property
    def on_change(self) -> Callable[[Callable[[Any], object]], Registration]:
        """Call the function given at each tool that comes or goes, with an object whose `name` is the tool's."""


@runtime_checkable
class Host(Protocol):
    """A tool registry with a pipeline. Everything beyond these four methods belongs to the host itself."""

    def register(self, *tools: ToolSpec, scope: Scope | None = None) -> Registration:
        """Add *tools* to one layer, all or none.

        Raises:
            HostError: a name is illegal or taken in that layer, a schema is unsupported, the scope has ended.
        """

    def lookup(self, name: str, scope: Scope | None = None) -> ToolSpec | None:
        """Find what *name* means to *scope*, internal tools too."""

    def catalog(self, scope: Scope | None = None) -> Mapping[str, ToolSpec]:
        """Give what is presented to *scope*: name -> ToolSpec, in order, internal tools left out."""

    async def invoke(self, call: Call) -> Success | Failure:
        """Run *call* through every stage.

        Returns:
            Success with a JSON value that passed the output schema, or Failure with a message and perhaps a code.

        Raises:
            TypeError: *call* is no `Call`. Nothing else but task cancellation is raised.
        """
