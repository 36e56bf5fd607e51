"""Bad input: a diagnostic and an unchanged host, or a failure result; never a half-done thing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio
import pytest

from capdeco.errors import CapdecoError, HostError
from capdeco.host.protocol import Call, Host, ToolSpec
from capdeco.host.registry import EmbeddedHost
from capdeco.host.scope import EmbeddedScope
from tests.unit import hosting
from tests.unit.hosting import call, host_with

tool: Any = hosting.tool  # what is given here is wrong on purpose


def state(host: EmbeddedHost, *scopes: EmbeddedScope) -> object:
    return [list(host.catalog(scope)) for scope in (None, *scopes)]


def two(a: Any, b: Any) -> Any: ...


def three(a: Any, b: Any, c: Any) -> Any: ...


async def async_two(a: Any, b: Any) -> Any: ...


MISUSES: dict[str, Callable[[Any, Any, Any], object]] = {
    "register nothing that is a tool": lambda host, ann, foreign: host.register("a"),
    "register into something that is no scope": lambda host, ann, foreign: host.register(tool("x"), scope="ann"),
    "register into another host's scope": lambda host, ann, foreign: host.register(tool("x"), scope=foreign),
    "a name with a dot": lambda host, ann, foreign: host.register(tool("a.b")),
    "a name with a line break": lambda host, ann, foreign: host.register(tool("a\n")),
    "a name that is not ASCII": lambda host, ann, foreign: host.register(tool("ä")),
    "an empty name": lambda host, ann, foreign: host.register(tool("")),
    "a long name": lambda host, ann, foreign: host.register(tool("a" * 65)),
    "a name that is no text": lambda host, ann, foreign: host.register(tool(5)),
    "a reserved name": lambda host, ann, foreign: host.register(tool("run_code")),
    "a reserved name in a scope": lambda host, ann, foreign: host.register(tool("run_code"), scope=ann),
    "a body that is none": lambda host, ann, foreign: host.register(tool("x", body=None)),
    "a body that takes one": lambda host, ann, foreign: host.register(tool("x", body=lambda a: a)),
    "a remote reference": lambda host, ann, foreign: host.register(tool("x", input_schema={"$ref": "http://x/"})),
    "a file reference": lambda host, ann, foreign: host.register(tool("x", output_schema={"$ref": "file:///x"})),
    "a schema that is none": lambda host, ann, foreign: host.register(tool("x", input_schema=3)),
    "an output schema that is none": lambda host, ann, foreign: host.register(tool("x", output_schema={"type": "x"})),
    "no description": lambda host, ann, foreign: host.register(tool("x", description=None)),
    "uses that is one text": lambda host, ann, foreign: host.register(tool("x", uses="abc")),
    "expose that is no bool": lambda host, ann, foreign: host.register(tool("x", expose=1)),
    "a budget of nothing": lambda host, ann, foreign: host.register(tool("x", timeout=0)),
    "a budget without end": lambda host, ann, foreign: host.register(tool("x", timeout=float("inf"))),
    "a budget of nan": lambda host, ann, foreign: host.register(tool("x", timeout=float("nan"))),
    "a budget that is a bool": lambda host, ann, foreign: host.register(tool("x", timeout=True)),
    "a budget that is text": lambda host, ann, foreign: host.register(tool("x", timeout="1")),
    "a concurrency that is text": lambda host, ann, foreign: host.register(tool("x", concurrency="yes")),
    "one good and one bad": lambda host, ann, foreign: host.register(tool("good"), tool("bad name")),
    "a mask without scope": lambda host, ann, foreign: host.restrict(deny=["a"]),
    "a mask without lists": lambda host, ann, foreign: host.restrict(scope=ann),
    "a mask that is one text": lambda host, ann, foreign: host.restrict(scope=ann, deny="a"),
    "a mask of unknown names": lambda host, ann, foreign: host.restrict(scope=ann, allow=["a", "ghost"]),
    "a mask of own names": lambda host, ann, foreign: host.restrict(scope=ann, deny=["own"]),
    "a mask of the reserved name": lambda host, ann, foreign: host.restrict(scope=ann, deny=["run_code"]),
    "a mask of numbers": lambda host, ann, foreign: host.restrict(scope=ann, deny=[1]),
    "a mask on another host's scope": lambda host, ann, foreign: host.restrict(scope=foreign, deny=["a"]),
    "a scope without a name": lambda host, ann, foreign: host.scope(None),
    "a scope under another host's": lambda host, ann, foreign: host.scope("kid", parent=foreign),
    "a lookup of a number": lambda host, ann, foreign: host.lookup(1),
    "a lookup for another host's scope": lambda host, ann, foreign: host.lookup("a", foreign),
    "a catalog for a text": lambda host, ann, foreign: host.catalog("ann"),
    "a guard of two": lambda host, ann, foreign: host.guard(two),
    "a gate of three": lambda host, ann, foreign: host.pre_execute(three),
    "a wrapper of one": lambda host, ann, foreign: host.around(lambda call: None),
    "a reviewer of one": lambda host, ann, foreign: host.post_execute(lambda call: None),
    "an approval of two": lambda host, ann, foreign: host.approval(two),
    "an observer of three": lambda host, ann, foreign: host.observe(three),
    "an async observer": lambda host, ann, foreign: host.observe(async_two),
    "a hook that is none": lambda host, ann, foreign: host.guard(3),
    "a hook in another host's scope": lambda host, ann, foreign: host.guard(lambda call: None, scope=foreign),
    "an audit to a number": lambda host, ann, foreign: host.audit(3),
    "calls that are none": lambda host, ann, foreign: host.invoke_all(3),
    "call_sync of a text": lambda host, ann, foreign: host.call_sync("a"),
    "the class of a text": lambda host, ann, foreign: host.concurrency("a"),
}


@pytest.mark.parametrize("misuse", MISUSES.values(), ids=MISUSES)
def test_misuse_is_refused_with_a_diagnostic_and_changes_nothing(misuse: Callable[..., object]) -> None:
    host = host_with("a")
    ann = host.scope("ann")
    host.register(tool("own"), scope=ann)
    foreign = EmbeddedHost().scope("foreign")
    changes: list[Any] = []
    host.on_change(changes.append)
    before = state(host, ann)
    with pytest.raises(CapdecoError) as refusal:
        misuse(host, ann, foreign)
    assert all(each.code == "capdeco-host" and each.what and each.rule for each in refusal.value.diagnostics)
    assert state(host, ann) == before
    assert changes == []
    assert host.call_sync(Call(name="a")).ok


@pytest.mark.anyio
@pytest.mark.parametrize(
    "broken",
    [
        Call(name=5),  # type: ignore[arg-type]
        Call(name="a", scope="ann"),  # type: ignore[arg-type]
        Call(name="a", scope=EmbeddedHost().scope("foreign")),
        Call(name="a", signal=3),  # type: ignore[arg-type]
        Call(name="a", call_id=3),  # type: ignore[arg-type]
        Call(name="a", root_id=3),  # type: ignore[arg-type]
        Call(name="a", arguments=object()),  # type: ignore[arg-type]
        Call(name="\ud83d"),
    ],
)
async def test_a_call_that_makes_no_sense_is_a_failure(broken: Call) -> None:
    outcome = await host_with("a").invoke(broken)
    assert not outcome.ok
    assert outcome.message


@pytest.mark.anyio
async def test_what_is_no_call_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="Call"):
        await EmbeddedHost().invoke({"name": "a"})  # type: ignore[arg-type]


def test_an_unsupported_schema_says_its_code() -> None:
    with pytest.raises(HostError) as refusal:
        EmbeddedHost().register(tool("x", input_schema={"$ref": "http://x/"}))
    assert "UNSUPPORTED_SCHEMA" in str(refusal.value)
    assert "http://x/" not in str(refusal.value)


def test_a_refusal_says_where_the_tool_was_declared() -> None:
    with pytest.raises(HostError) as refusal:
        EmbeddedHost().register(tool("bad name", source="plugin.py:14"))
    assert str(refusal.value).startswith("plugin.py:14: ")


def test_the_host_keeps_the_protocol() -> None:
    host: Host = EmbeddedHost()
    assert isinstance(host, Host)


def test_call_sync_serves_a_script_again_and_again() -> None:
    host = host_with("a")
    assert [host.call_sync(Call(name="a")).ok for _ in range(2)] == [True, True]


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio", "trio"])
async def test_call_sync_serves_other_threads_and_refuses_inside_the_loop() -> None:
    host = host_with("a")
    await call(host, "a")
    with pytest.raises(HostError):
        host.call_sync(Call(name="a"))
    outcome = await anyio.to_thread.run_sync(host.call_sync, Call(name="a"))
    assert outcome.ok


def test_specs_that_are_equal_are_two_tools() -> None:
    assert ToolSpec(name="a", description="", input_schema={}, body=two) != tool("a")
