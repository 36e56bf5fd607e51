"""Drivers: who decides what is called next. A script for measuring mechanics, or something that has judgement."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import attrs
import msgspec


@attrs.frozen
class Request:
    """One call that the driver asks for."""

    tool: str
    arguments: Mapping[str, Any]


@attrs.frozen
class Reply:
    """What the driver reads of a call's result: the text that a model would, and nothing else."""

    ok: bool
    text: str

    @property
    def value(self) -> Any:
        """The text as JSON."""
        return msgspec.json.decode(self.text)


@attrs.frozen
class Turn:
    """What a driver says when it is asked: calls to be made together, or the answer."""

    requests: tuple[Request, ...] = ()
    answer: str | None = None


Script: TypeAlias = Generator[tuple[Request, ...], tuple[Reply, ...], str]
"""A plan as a generator: yields calls, is sent their replies, returns the answer."""


@attrs.frozen
class Conversation:
    """All that a driver knows when it is asked."""

    prompt: str
    tools: Sequence[Mapping[str, Any]]
    """What it may call: name, description, input_schema."""
    exchanges: tuple[tuple[Turn, tuple[Reply, ...]], ...]
    plan: Callable[[], Script]
    """What was written for this task and arm; only the scripted driver reads it."""


class Driver(Protocol):
    """Plays one side of a conversation. It is asked again after each of its calls, until it answers."""

    @property
    def name(self) -> str:
        """What a report calls it."""

    async def turn(self, conversation: Conversation) -> Turn:
        """Give the next calls, or the answer."""


@attrs.frozen
class Scripted:
    """Follows the plan: deterministic, and without judgement. It keeps no state: each turn replays the plan so far."""

    name: str = "scripted"

    async def turn(self, conversation: Conversation) -> Turn:
        """Give what the plan says after the replies that it has had."""
        script = conversation.plan()
        try:
            requests = next(script)
            for _, replies in conversation.exchanges:
                requests = script.send(replies)
        except StopIteration as end:
            return Turn(answer=end.value)
        return Turn(requests)


def call(tool: str, /, **arguments: Any) -> Generator[tuple[Request, ...], tuple[Reply, ...], Reply]:
    """Make one call; a plan writes `yield from` before it, and gets the reply."""
    (reply,) = yield (Request(tool, arguments),)
    return reply


def together(*requests: Request) -> Generator[tuple[Request, ...], tuple[Reply, ...], tuple[Reply, ...]]:
    """Make several calls in one turn."""
    return (yield requests)
