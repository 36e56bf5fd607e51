"""Arms and runs: a task, a host as one arm of an experiment sets it up, and what its audit says afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import attrs
import msgspec

from capdeco.host.protocol import Call, Scope
from capdeco.host.registry import EmbeddedHost
from capdeco.lab.driver import Conversation, Driver, Reply, Request, Script, Turn
from capdeco.verify.rows import shown, size_of

TURN_LIMIT: Final = 40
"""A driver that has not answered by then is not asked again."""

BYTES_PER_TOKEN: Final = 4
"""Tokens are approximated: no tokenizer that a package brings along installs everywhere, and none may be fetched."""


@attrs.frozen
class Task:
    """What is asked, and how to tell a right answer."""

    name: str
    prompt: str
    is_right: Callable[[str], bool]


@attrs.frozen
class Line:
    """One line of the audit, as far as it is counted."""

    tool: str
    call: str
    root: str
    nested: bool
    outcome: str
    code: str | None


@attrs.define
class Trail:
    """The audit of an experiment: the host's lines, in order."""

    lines: list[str] = attrs.field(factory=list)

    def under(self, prefix: str) -> list[Line]:
        """Give the lines whose root call's id begins with *prefix*."""
        found = [msgspec.json.decode(line, type=Line) for line in self.lines]
        return [line for line in found if line.root.startswith(prefix)]


@attrs.frozen(eq=False)
class Arm:
    """One way to set the host up; what is measured is the same in all of them."""

    name: str
    host: EmbeddedHost
    trail: Trail
    scope: Scope | None = None

    def __attrs_post_init__(self) -> None:
        self.host.audit(self.trail.lines.append)

    @property
    def shown(self) -> list[Mapping[str, Any]]:
        """What a model is sent of the tools that it may call."""
        return [shown(spec) for spec in self.host.catalog(self.scope).values()]

    @property
    def surface(self) -> Surface:
        """Measure what is shown."""
        return surface_of(self.shown)


@attrs.frozen
class Surface:
    """How much of a model's context the tools take before anything is asked."""

    tools: int
    bytes: int

    @property
    def tokens(self) -> int:
        """Approximated, see `BYTES_PER_TOKEN`."""
        return round(self.bytes / BYTES_PER_TOKEN)


def surface_of(tools: Iterable[Mapping[str, Any]]) -> Surface:
    """Measure tools as a model is sent them."""
    listed = list(tools)
    return Surface(len(listed), size_of(listed))


@attrs.frozen(kw_only=True)
class Run:
    """One task on one arm."""

    arm: str
    task: str
    turns: int
    """How often the driver was asked; the last time it answered."""
    root_calls: int
    nested_calls: int
    reply_bytes: int
    """What the calls brought into the context."""
    read_bytes: int
    """What was read over all turns: each one reads tools, task and everything so far again (no caching)."""
    answer: str
    right: bool
    replies: tuple[Reply, ...]

    @property
    def calls(self) -> int:
        """All dispatches, root and nested."""
        return self.root_calls + self.nested_calls


async def perform(driver: Driver, arm: Arm, task: Task, plan: Callable[[], Script]) -> Run:
    """Let *driver* work on *task* with what *arm* shows it; calls are counted in the audit."""
    prefix = f"{arm.name}/{task.name}/"
    tools = arm.shown
    exchanges: list[tuple[Turn, tuple[Reply, ...]]] = []
    replies: list[Reply] = []
    turns = read = 0
    answer = ""
    while turns < TURN_LIMIT:
        turns += 1
        conversation = Conversation(task.prompt, tools, tuple(exchanges), plan)
        read += _bytes_of(conversation)
        turn = await driver.turn(conversation)
        if turn.answer is not None:
            answer = turn.answer
            break
        got = [await _reply(arm, each, f"{prefix}{len(replies) + number}") for number, each in _numbered(turn)]
        replies += got
        exchanges.append((turn, tuple(got)))
    lines = arm.trail.under(prefix)
    return Run(
        arm=arm.name,
        task=task.name,
        turns=turns,
        root_calls=sum(not line.nested for line in lines),
        nested_calls=sum(line.nested for line in lines),
        reply_bytes=sum(len(reply.text.encode()) for reply in replies),
        read_bytes=read,
        answer=answer,
        right=task.is_right(answer),
        replies=tuple(replies),
    )


def _numbered(turn: Turn) -> Iterable[tuple[int, Request]]:
    return enumerate(turn.requests, start=1)


async def _reply(arm: Arm, request: Request, call_id: str) -> Reply:
    outcome = await arm.host.invoke(Call(request.tool, request.arguments, scope=arm.scope, call_id=call_id))
    return Reply(outcome.ok, outcome.text)


def _bytes_of(conversation: Conversation) -> int:
    exchanged = [
        [[each.tool, each.arguments, reply.text] for each, reply in zip(turn.requests, replies, strict=True)]
        for turn, replies in conversation.exchanges
    ]
    return len(msgspec.json.encode([conversation.prompt, conversation.tools, exchanged]))
