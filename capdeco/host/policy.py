"""What hooks are given and what they may decide: frozen records, one per decision."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Final, Literal, TypeAlias

import attrs
import msgspec

from capdeco.host.protocol import Scope
from capdeco.host.signal import Signal, following
from capdeco.result import Block as ContentBlock
from capdeco.result import Failure, Success


class ToolCall:
    """The facts of one call, as policy and observers may know them: not what it is nested in, only that it is."""

    __slots__ = (
        "_arguments",
        "_call_id",
        "_caller",
        "_elapsed",
        "_layer",
        "_name",
        "_nested",
        "_root_id",
        "_scope",
        "_signal",
    )

    def __init__(
        self,
        name: str,
        arguments: bytes | None,
        scope: Scope | None,
        call_id: str,
        root_id: str,
        caller: Signal | None,
        *,
        nested: bool,
    ) -> None:
        self._name = name
        self._arguments = arguments
        self._scope = scope
        self._call_id = call_id
        self._root_id = root_id
        self._caller = caller
        self._nested = nested
        self._signal: Signal | None = None
        self._layer: str | None = None
        self._elapsed: float | None = None

    def __repr__(self) -> str:
        return f"<call {self._call_id} of {self._name}>"

    @property
    def name(self) -> str:
        """The name that was called."""
        return self._name

    @property
    def arguments(self) -> Any:
        """A copy of the arguments, each time; `None` if they had no JSON form."""
        return None if self._arguments is None else msgspec.json.decode(self._arguments)

    @property
    def arguments_json(self) -> bytes:
        """The arguments as JSON; empty if they had no JSON form."""
        return self._arguments or b""

    @property
    def scope(self) -> Scope | None:
        """Who is calling; `None` for the global layer."""
        return self._scope

    @property
    def call_id(self) -> str:
        """This call's own id."""
        return self._call_id

    @property
    def root_id(self) -> str:
        """The call id of what the model asked for."""
        return self._root_id

    @property
    def nested(self) -> bool:
        """True if a tool's body dispatched this call."""
        return self._nested

    @property
    def cancelled(self) -> bool:
        """True as soon as the caller has given up."""
        return self._caller is not None and self._caller.is_set

    @property
    def signal(self) -> Signal:
        """Is set when the caller gives up; setting it oneself concerns nobody else."""
        if self._signal is None:
            self._signal = following(self._caller)
        return self._signal

    @property
    def layer(self) -> str | None:
        """For observers: the name of the scope whose tool was found, `global`, or `None` if none was."""
        return self._layer

    @property
    def elapsed(self) -> float | None:
        """For observers: seconds since the call began."""
        return self._elapsed


def finish(call: ToolCall, layer: str | None, elapsed: float) -> None:
    """Add what only observers are told: where the tool was found, and how long the call took."""
    call._layer = layer
    call._elapsed = elapsed


@attrs.frozen
class Allow:
    """Let the call go on to the guards. It is no permission that a guard could not refuse."""


@attrs.frozen
class Deny:
    """Fail the call; the reason reaches the model word for word."""

    reason: str


@attrs.frozen
class Ask:
    """Let the approval service decide; without one, the reason is the denial."""

    reason: str | None = None


@attrs.frozen
class Answer:
    """A wrapper's own value in place of the body's; it is checked and rendered like the body's."""

    value: Any
    ok: Literal[True] = attrs.field(default=True, init=False)


class _Unchanged:
    def __repr__(self) -> str:
        return "UNCHANGED"


UNCHANGED: Final = _Unchanged()


def _texts(texts: Iterable[str]) -> tuple[str, ...]:
    if isinstance(texts, str):
        raise TypeError("contexts is a list of texts, not one text")
    return tuple(texts)


@attrs.frozen(kw_only=True)
class Accept:
    """Let the result through, with another value or other content (not both), and with messages for the model."""

    value: Any = UNCHANGED
    content: Sequence[ContentBlock] | None = None
    contexts: tuple[str, ...] = attrs.field(default=(), converter=_texts)


@attrs.frozen
class Block:
    """Fail the call whatever its result was; the blocks are the feedback that the model gets instead."""

    blocks: Sequence[ContentBlock] = ()
    contexts: tuple[str, ...] = attrs.field(default=(), converter=_texts)


@attrs.frozen
class Question:
    """What the approval service is asked: may this call go on, this once?"""

    call: ToolCall
    reason: str | None


@attrs.frozen
class Progress:
    """How far a body is."""

    done: float
    total: float | None = None
    message: str | None = None


@attrs.frozen
class Change:
    """One tool added or withdrawn, or one mask set or lifted."""

    kind: Literal["added", "withdrawn", "restricted", "lifted"]
    name: str | None
    """The tool's; `None` for a mask."""
    scope: Scope | None


Verdict: TypeAlias = Allow | Deny | Ask
Grant: TypeAlias = Literal["allowed-once", "rejected", "cancelled", "unavailable"]
Review: TypeAlias = Accept | Block
Outcome: TypeAlias = Success | Failure

# A hook that returns None has no opinion: the rest of its chain decides. One that takes `proceed` asks the rest itself.
Guard: TypeAlias = Callable[[ToolCall], Awaitable[str | Deny | None] | str | Deny | None]
Gate: TypeAlias = Callable[..., Awaitable[Verdict | None] | Verdict | None]
Wrapper: TypeAlias = Callable[..., Awaitable[Outcome | Answer]]
Reviewer: TypeAlias = Callable[..., Awaitable[Review | None] | Review | None]
Approver: TypeAlias = Callable[[Question], Grant | Awaitable[Grant]]
Observer: TypeAlias = Callable[[ToolCall, Outcome], object]
Watcher: TypeAlias = Callable[[ToolCall, Progress], object]
Listener: TypeAlias = Callable[[Change], object]
