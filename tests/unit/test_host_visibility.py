"""Layers: who sees what, what ends with what, and that undoing leaves nothing."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from capdeco.errors import HostError
from capdeco.host.policy import Accept, Change, ToolCall
from capdeco.host.protocol import Call, Context
from capdeco.host.registration import Undo
from capdeco.host.registry import EmbeddedHost
from tests.unit.hosting import call, host_with, tool


def names(host: EmbeddedHost, scope: Any = None) -> list[str]:
    return list(host.catalog(scope))


def rule(refusal: pytest.ExceptionInfo[HostError]) -> str:
    return refusal.value.diagnostics[0].rule


def test_a_batch_is_registered_whole_or_not_at_all() -> None:
    host = host_with("a")
    with pytest.raises(HostError) as refusal:
        host.register(tool("b"), tool("a"), tool("a b"), tool("c", timeout=0), tool("b"))
    assert [each.rule for each in refusal.value.diagnostics] == [
        "tool-exists",
        "tool-name",
        "bad-timeout",
        "tool-exists",
    ]
    assert names(host) == ["a"]


def test_closing_undoes_exactly_one_registration_and_only_once() -> None:
    host = host_with("a")
    first = host.register(tool("b"), tool("c"))
    first.close()
    second = host.register(tool("b"))
    first.close()
    assert names(host) == ["a", "b"]
    assert (first.closed, second.closed) == (True, False)
    with second:
        assert names(host) == ["a", "b"]
    assert names(host) == ["a"]


def test_a_shadow_keeps_the_place_of_what_it_shadows_and_new_names_go_last() -> None:
    host = host_with("a", "b")
    ann = host.scope("ann")
    host.register(tool("c"), tool("a", description="Ann's."), scope=ann)
    assert names(host, ann) == ["a", "b", "c"]
    assert host.catalog(ann)["a"].description == "Ann's."
    assert host.catalog()["a"].description == "Do a."


def test_a_child_sees_what_its_parents_have_and_the_nearest_wins() -> None:
    host = host_with("a")
    team = host.scope("team")
    kid = host.scope("kid", parent=team)
    host.register(tool("a", description="team"), tool("b"), scope=team)
    assert names(host, kid) == ["a", "b"]
    assert host.catalog(kid)["a"].description == "team"
    host.register(tool("a", description="kid"), scope=kid)
    assert host.catalog(kid)["a"].description == "kid"
    assert host.catalog(team)["a"].description == "team"


def test_masks_intersect_cut_presentation_and_lookup_and_can_be_lifted() -> None:
    host = host_with("a", "b", "c")
    ann = host.scope("ann")
    one = host.restrict(scope=ann, allow=["a", "b"])
    two = host.restrict(scope=ann, deny=["a"])
    assert names(host, ann) == ["b"]
    assert host.lookup("a", ann) is None
    assert names(host) == ["a", "b", "c"]
    one.close()
    assert names(host, ann) == ["b", "c"]
    two.close()
    assert names(host, ann) == ["a", "b", "c"]


def test_a_mask_over_a_scopes_own_tool_is_refused_and_names_what_it_inherits() -> None:
    host = host_with("inherited")
    ann = host.scope("ann")
    host.register(tool("own"), scope=ann)
    with pytest.raises(HostError) as refusal:
        host.restrict(scope=ann, deny=["own"])
    (found,) = refusal.value.diagnostics
    assert (found.what, found.fix) == ('"own" is no tool that ann inherits', "inherited tools: inherited")


def test_an_allow_mask_keeps_later_names_out_and_a_deny_mask_lets_them_in() -> None:
    host = host_with("a", "b")
    ann, bob = host.scope("ann"), host.scope("bob")
    host.restrict(scope=ann, allow=["a"])
    host.restrict(scope=bob, deny=["a"])
    host.register(tool("c"))
    assert names(host, ann) == ["a"]
    assert names(host, bob) == ["b", "c"]


def test_a_parents_mask_narrows_its_children_but_not_their_own_tools() -> None:
    host = host_with("a", "b")
    team = host.scope("team")
    kid = host.scope("kid", parent=team)
    host.register(tool("teams"), scope=team)
    host.register(tool("b"), scope=kid)
    host.restrict(scope=team, allow=["a"])
    assert names(host, team) == ["a", "teams"]
    assert names(host, kid) == ["a", "b"]


def test_a_scope_that_ends_takes_everything_with_it_and_takes_nothing_more() -> None:
    host = host_with("a", "b")
    with host.scope("ann") as ann:
        mine = host.register(tool("own"), scope=ann)
        host.restrict(scope=ann, deny=["b"])
        guard = host.guard(lambda call: "no", scope=ann)
        assert names(host, ann) == ["a", "own"]
    assert names(host, ann) == []
    assert mine.closed
    assert guard.closed
    for attempt in (
        lambda: host.register(tool("x"), scope=ann),
        lambda: host.restrict(scope=ann, deny=["a"]),
        lambda: host.observe(lambda call, outcome: None, scope=ann),
        lambda: host.scope("kid", parent=ann),
    ):
        with pytest.raises(HostError) as refusal:
            attempt()
        assert rule(refusal) == "inactive-scope"
    ann.close()


def test_a_child_ends_with_its_parent_since_it_stood_under_the_parents_masks_and_guards() -> None:
    host = host_with("a", "b")
    team = host.scope("team")
    kid = host.scope("kid", parent=team)
    grandkid = host.scope("grandkid", parent=kid)
    host.register(tool("teams"), scope=team)
    kids = host.register(tool("kids"), scope=kid)
    host.restrict(scope=team, deny=["a"])
    assert names(host, kid) == ["b", "teams", "kids"]
    changes: list[Change] = []
    host.on_change(changes.append)
    team.close()
    assert kid.closed
    assert grandkid.closed
    assert kids.closed
    assert [(change.name, change.scope) for change in changes] == [("kids", kid), ("teams", team), (None, team)]
    assert names(host, kid) == names(host, grandkid) == []


@pytest.mark.anyio
async def test_nothing_is_seen_or_reached_through_a_scope_that_has_ended() -> None:
    host = host_with("deploy", "read")
    heard: list[str | None] = []
    host.observe(lambda call, outcome: heard.append(None if outcome.ok else outcome.code))
    async with host.scope("guest") as guest:
        host.restrict(scope=guest, deny=["deploy"])
        host.guard(lambda call: "guests may not", scope=guest)
    for name in ("deploy", "read"):
        outcome = await call(host, name, guest)
        assert (outcome.ok, outcome.code) == (False, "UNKNOWN_TOOL")
        assert outcome.message == "the scope guest has ended"
        assert host.lookup(name, guest) is None
        assert host.concurrency(Call(name, scope=guest)) == "exclusive"
    assert names(host, guest) == []
    assert heard == ["UNKNOWN_TOOL", "UNKNOWN_TOOL"], "the audit hears of the attempt"


@pytest.mark.anyio
async def test_a_call_whose_scope_ends_settles_but_dispatches_nothing_more_and_is_still_reviewed() -> None:
    host = host_with("inner")
    guest = host.scope("guest")
    host.post_execute(lambda call, outcome: Accept(content=[{"type": "text", "text": "redacted"}]), scope=guest)

    async def body(arguments: dict[str, Any], context: Context) -> Any:
        guest.close()
        inner = await context.call("inner")
        return [inner.ok, inner.text]

    host.register(tool("outer", body))
    outcome = await host.invoke(Call("outer", scope=guest))
    assert outcome.ok
    assert outcome.value == [False, "Error: the scope guest has ended"]
    assert outcome.text == "redacted"


def test_every_tool_and_every_mask_is_one_change_and_hooks_are_none() -> None:
    host = host_with("a")
    changes: list[Change] = []
    host.on_change(changes.append)
    ann = host.scope("ann")
    registration = host.register(tool("b"), tool("c"))
    mask = host.restrict(scope=ann, deny=["b"])
    host.guard(lambda call: None).close()
    mask.close()
    registration.close()
    assert [(change.kind, change.name) for change in changes] == [
        ("added", "b"),
        ("added", "c"),
        ("restricted", None),
        ("lifted", None),
        ("withdrawn", "b"),
        ("withdrawn", "c"),
    ]


def test_a_listener_that_breaks_is_ignored(caplog: pytest.LogCaptureFixture) -> None:
    host = EmbeddedHost()

    @host.on_change
    def broken(change: Change) -> None:
        raise RuntimeError("no")

    host.register(tool("a"))
    assert names(host) == ["a"]
    assert "broken" in caplog.text


def test_what_the_caller_does_to_its_schema_later_concerns_nobody() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {"n": {"type": "integer"}}}
    host = EmbeddedHost()
    host.register(tool("a", input_schema=schema))
    schema["properties"].clear()
    assert host.catalog()["a"].input_schema == {"type": "object", "properties": {"n": {"type": "integer"}}}


@pytest.mark.parametrize("name", ["", " ", "global"])
def test_a_scope_has_a_name_that_is_not_the_global_layers(name: str) -> None:
    with pytest.raises(HostError) as refusal:
        EmbeddedHost().scope(name)
    assert rule(refusal) == "scope-name"


def test_a_registration_says_what_it_added_and_whether_that_is_still_there() -> None:
    host = EmbeddedHost()
    tools = host.register(tool("a"), tool("b"))
    assert repr(tools) == "<registration of a, b>"
    scope = host.scope("ann")
    assert repr(host.restrict(scope=scope, deny=["a"])) == "<registration of a mask of ann>"
    tools.close()
    assert repr(tools) == "<registration of a, b (closed)>"
    assert repr(Undo(lambda: None)) == "<registration>", "who made it did not say"


def test_a_hook_is_still_the_function_that_it_was() -> None:
    host = EmbeddedHost()

    @host.guard
    def strict(call: ToolCall) -> str | None:
        """Refuse what is strange."""
        return call.name

    assert (strict.__name__, strict.__doc__) == ("strict", "Refuse what is strange.")
    assert repr(strict).startswith("<registration of guard ")
    assert inspect.signature(strict).parameters.keys() == {"call"}


def test_a_hook_that_is_an_object_keeps_its_attributes_to_itself() -> None:
    class Quota:
        def __init__(self) -> None:
            self.close = "the shop"

        def __call__(self, call: ToolCall) -> str | None:
            return None

    quota = Quota()
    registration = EmbeddedHost().guard(quota)
    registration.close()
    assert registration.closed
    assert quota.close == "the shop"


@pytest.mark.anyio
async def test_a_scope_is_an_async_context_too() -> None:
    host = host_with("a")
    async with host.scope("researcher") as scope:
        host.register(tool("own"), scope=scope)
        assert (await call(host, "own", scope)).ok
    assert (await call(host, "own", scope)).code == "UNKNOWN_TOOL"
