"""One scope per agent: whatever was registered through a scope is forgotten when it ends, by every host."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import attrs
import pytest

from capdeco import Binder, Call, EmbeddedHost, Step, Tool, capability, operation, tool
from capdeco.host.protocol import Host, Registration, Scope, ToolSpec

AGENTS = 50


@tool(expose=False)
async def note_find(word: str) -> str:
    """Find a note."""
    return word


@capability(id="notes", description="Notes.")
class Notes:
    @operation(steps=[Step(note_find)])
    def review(self, word: str) -> None:
        """Review notes."""


@attrs.define
class Quiet:
    """A registration with what the protocol asks for, and no more."""

    _inner: Registration

    @property
    def closed(self) -> bool:
        return self._inner.closed

    def close(self) -> None:
        self._inner.close()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class QuietHost(EmbeddedHost):
    """A host whose registrations end with their scope and tell nobody."""

    def register(self, *tools: ToolSpec, scope: Scope | None = None) -> Any:
        return Quiet(super().register(*tools, scope=scope))


def agent(host: EmbeddedHost, binder: Binder, number: int) -> list[Any]:
    """Open a scope, bind in it, and close it; give what must not outlive it."""

    async def own(word: str) -> str:
        """Say whose it is."""
        return f"{number} {word}"

    with host.scope(f"agent {number}") as scope:
        binder.register(Notes, Tool.of(own, name="own"), scope=scope)
        assert [each.id for each in binder.list()] == ["notes"]
    return [weakref.ref(scope), weakref.ref(own)]


@pytest.fixture
def shared() -> Tool:
    """A tool below all agents."""

    async def base(word: str) -> str:
        """Do it."""
        return word

    return Tool.of(base, name="note_find", expose=False)


def test_a_scope_that_ends_leaves_nothing_in_the_binder(shared: Tool) -> None:
    host = EmbeddedHost()
    with Binder(host) as binder:
        binder.register(shared)
        left = [each for number in range(AGENTS) for each in agent(host, binder, number)]
        gc.collect()
        assert [each() for each in left] == [None] * len(left)
        assert binder.list() == ()


def test_a_host_that_does_not_tell_when_a_scope_ends_is_looked_after(shared: Tool) -> None:
    host = QuietHost()
    with Binder(host) as binder:
        binder.register(shared)
        left = [each for number in range(AGENTS) for each in agent(host, binder, number)]
        assert binder.list() == ()
        gc.collect()
        assert [each() for each in left] == [None] * len(left)


def test_scopes_that_ended_are_not_checked_again(shared: Tool) -> None:
    reported: list[object] = []
    for host in (EmbeddedHost(), QuietHost()):
        binder = Binder(host, on_fault=reported.append)
        below = binder.register(shared)
        for number in range(3):
            agent(host, binder, number)
        below.close()
    assert reported == []


@pytest.mark.parametrize("kind", [EmbeddedHost, QuietHost])
async def test_a_scope_that_ends_takes_nothing_from_the_others(kind: type[EmbeddedHost], shared: Tool) -> None:
    host = kind()
    binder = Binder(host)
    binder.register(shared)
    with host.scope("stays") as stays:
        binder.register(Notes, scope=stays)
        with host.scope("ends") as ends:
            binder.register(Notes, scope=ends)
        assert [each.id for each in binder.list()] == ["notes"]
        assert (await host.invoke(Call("notes_review", {"word": "ink"}, scope=stays))).ok
        with host.scope("comes") as comes:
            binder.register(Notes, scope=comes)


def test_the_quiet_host_keeps_the_protocol() -> None:
    host: Host = QuietHost()
    assert isinstance(host, Host)
