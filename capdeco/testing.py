"""For the tests of plugins: call a tool, record what was dispatched, and a fresh host as a pytest fixture."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import attrs
import pytest

from capdeco.dispatch import failed_step
from capdeco.host.policy import ToolCall
from capdeco.host.protocol import Call, Host, Scope
from capdeco.host.registry import EmbeddedHost
from capdeco.result import Failure, Success


class CallFailed(AssertionError):
    """A call that a test expected to succeed; `failure` is what came instead."""

    def __init__(self, name: str, failure: Failure) -> None:
        code = f" [{failure.code}]" if failure.code else ""
        super().__init__(f"{name} failed: {failure.message}{code}")
        self.failure = failure


async def call(host: Host, name: str, /, *, scope: Scope | None = None, **arguments: Any) -> Any:
    """Call *name* as a model would, and give the value.

    An argument that is called `scope` goes through `host.invoke(Call(...))`.

    Raises:
        CallFailed: the call failed, or an operation's report says `ok: false`.
    """
    outcome = await host.invoke(Call(name, arguments, scope=scope))
    if not outcome.ok:
        raise CallFailed(name, outcome)
    failed = failed_step(outcome, host.lookup(name, scope))
    if failed is not None:
        raise CallFailed(name, Failure(message=f"{failed.tool}: {failed.error}", code=failed.code or None))
    return outcome.value


@attrs.frozen
class Dispatch:
    """One finished dispatch, as an observer of the host saw it."""

    name: str
    arguments: Any
    call_id: str
    root_id: str
    nested: bool
    outcome: Success | Failure

    @property
    def ok(self) -> bool:
        """Whether it succeeded."""
        return self.outcome.ok


@contextmanager
def recorded(host: EmbeddedHost, *, scope: Scope | None = None) -> Iterator[list[Dispatch]]:
    """Record every dispatch that finishes inside the block, in that order: steps before their operation."""
    dispatches: list[Dispatch] = []

    def record(call: ToolCall, outcome: Success | Failure) -> None:
        dispatches.append(Dispatch(call.name, call.arguments, call.call_id, call.root_id, call.nested, outcome))

    with host.observe(record, scope=scope):
        yield dispatches


@pytest.fixture
def capdeco_host() -> EmbeddedHost:
    """A host with nothing in it. Get it with `pytest_plugins = ["capdeco.testing"]` in conftest.py."""
    return EmbeddedHost()
