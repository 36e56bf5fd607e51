"""Internal tools: reachable only from the running tools that use them, however one tries."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from capdeco.errors import HostError
from capdeco.host.policy import Accept, Answer, ToolCall
from capdeco.host.protocol import Call, Context
from capdeco.host.registry import EmbeddedHost
from capdeco.result import Failure, Success
from tests.unit.hosting import Outcome, call, declare, tool

pytestmark = pytest.mark.anyio

SECRET = "vault_open"


async def opened(arguments: dict[str, Any], context: Context) -> Any:
    return {"gold": 1}


async def uses_it(arguments: dict[str, Any], context: Context) -> Any:
    outcome = await context.call(SECRET)
    return {"got": outcome.value if outcome.ok else None}


async def tries(arguments: dict[str, Any], context: Context) -> Any:
    outcome = await context.call(SECRET)
    return {"code": None if outcome.ok else outcome.code, "message": "" if outcome.ok else outcome.message}


@pytest.fixture
def host() -> EmbeddedHost:
    host = EmbeddedHost()
    host.register(
        tool(SECRET, opened, expose=False, annotations=tool("x").annotations),
        tool("vault_use", uses_it, uses=frozenset({SECRET})),
        tool("thief", tries),
    )
    return host


def unreachable(outcome: Outcome) -> bool:
    return not outcome.ok and outcome.code == "UNKNOWN_TOOL"


async def test_a_tool_that_uses_it_reaches_it(host: EmbeddedHost) -> None:
    assert (await call(host, "vault_use")).value == {"got": {"gold": 1}}


async def test_an_operation_reaches_it_as_its_step(host: EmbeddedHost) -> None:
    declare(host, SECRET)
    outcome = await call(host, "run_all")
    assert outcome.value["steps"][0]["value"] == {"gold": 1}


async def test_it_is_presented_to_nobody_and_its_name_is_in_no_schema(host: EmbeddedHost) -> None:
    ann = host.scope("ann")
    for scope in (None, ann):
        catalog = host.catalog(scope)
        assert SECRET not in catalog
        assert SECRET not in json.dumps([[spec.name, spec.description, spec.input_schema] for spec in catalog.values()])
    assert host.lookup(SECRET) is not None


async def test_a_root_call_gets_what_a_name_that_never_was_gets(host: EmbeddedHost) -> None:
    by_name = await call(host, SECRET)
    never_was = await call(host, "vault_oper")
    assert unreachable(by_name)
    assert by_name.message.replace(SECRET, "X") == never_was.message.replace("vault_oper", "X")


async def test_no_hint_names_it(host: EmbeddedHost) -> None:
    for misspelt in ("vault_opn", "vaultopen", "vault_opne"):
        outcome = await call(host, misspelt)
        assert SECRET not in outcome.message
    with pytest.raises(HostError) as refusal:
        host.restrict(scope=host.scope("ann"), deny=["vault_opn"])
    assert SECRET not in str(refusal.value)


async def test_a_tool_that_does_not_use_it_cannot_call_it(host: EmbeddedHost) -> None:
    stolen = await call(host, "thief")
    assert stolen.value["code"] == "UNKNOWN_TOOL"


async def test_another_operation_that_does_not_name_it_cannot_be_talked_into_it(host: EmbeddedHost) -> None:
    declare(host, "thief", capability="other")
    outcome = await call(host, "other_all")
    assert outcome.value["steps"][0]["value"]["code"] == "UNKNOWN_TOOL"


async def test_using_a_tool_that_uses_it_is_not_using_it(host: EmbeddedHost) -> None:
    async def grandparent(arguments: dict[str, Any], context: Context) -> Any:
        through = await context.call("vault_use")
        direct = await context.call(SECRET)
        return {"through": through.ok, "direct": direct.ok}

    host.register(tool("grand", grandparent, uses=frozenset({"vault_use"})))
    assert (await call(host, "grand")).value == {"through": True, "direct": False}


async def test_a_nested_tool_does_not_inherit_what_its_caller_uses(host: EmbeddedHost) -> None:
    async def body(arguments: dict[str, Any], context: Context) -> Any:
        return (await context.call("thief")).value  # type: ignore[union-attr]

    host.register(tool("honest", body, uses=frozenset({SECRET, "thief"})))
    assert (await call(host, "honest")).value["code"] == "UNKNOWN_TOOL"


async def test_a_finished_parent_reaches_nothing_any_more(host: EmbeddedHost) -> None:
    kept: list[Context] = []

    async def leaks(arguments: dict[str, Any], context: Context) -> Any:
        kept.append(context)
        assert (await context.call(SECRET)).ok
        return {}

    host.register(tool("leak", leaks, uses=frozenset({SECRET})))
    assert (await call(host, "leak")).ok
    assert unreachable(await kept[0].call(SECRET))
    # Nor an exposed tool: it would pass for a nested dispatch, which policy may trust more.
    assert unreachable(await kept[0].call("thief"))


async def test_a_parent_that_failed_is_finished_too(host: EmbeddedHost) -> None:
    kept: list[Context] = []

    async def fails(arguments: dict[str, Any], context: Context) -> Any:
        kept.append(context)
        raise RuntimeError("broken")

    host.register(tool("fails", fails, uses=frozenset({SECRET})))
    assert not (await call(host, "fails")).ok
    assert unreachable(await kept[0].call(SECRET))


async def test_ids_are_no_credentials(host: EmbeddedHost) -> None:
    async def forges(arguments: dict[str, Any], context: Context) -> Any:
        outcome = await host.invoke(
            Call(name=SECRET, call_id=f"{context.call_id}:run.all:1", root_id=context.root_id, scope=context.scope)
        )
        return {"code": outcome.code if not outcome.ok else None}

    host.register(tool("forge", forges, uses=frozenset({SECRET})))
    assert (await call(host, "forge")).value == {"code": "UNKNOWN_TOOL"}


async def test_a_context_handed_to_another_body_is_its_owners_and_ends_with_it(host: EmbeddedHost) -> None:
    kept: list[Context] = []

    async def gives(arguments: dict[str, Any], context: Context) -> Any:
        kept.append(context)
        return (await context.call("takes")).value  # type: ignore[union-attr]

    async def takes(arguments: dict[str, Any], context: Context) -> Any:
        assert not context.__class__.__dict__.get("parent")
        return {"mine": (await context.call(SECRET)).ok}

    host.register(tool("gives", gives, uses=frozenset({SECRET})), tool("takes", takes))
    assert (await call(host, "gives")).value == {"mine": False}
    assert unreachable(await kept[0].call(SECRET))


def public_facts(thing: object) -> dict[str, object]:
    return {name: getattr(thing, name) for name in dir(thing) if not name.startswith("_") and name != "signal"}


async def test_a_body_a_hook_and_an_observer_get_their_own_call_and_not_its_parent(host: EmbeddedHost) -> None:
    seen: list[object] = []

    async def watches(arguments: dict[str, Any], context: Context) -> Any:
        seen.append(context)
        return {}

    def guard(call: ToolCall) -> None:
        seen.append(call)

    host.register(tool("watch", watches))
    host.guard(guard)
    host.observe(lambda call, outcome: seen.append(call))
    declare(host, "watch")
    await call(host, "run_all")
    nested = [thing for thing in seen if getattr(thing, "nested", False)]
    assert len(nested) == 3
    for thing in nested:
        facts = {name: fact for name, fact in public_facts(thing).items() if not callable(fact)}
        assert facts["call_id"] != facts["root_id"]
        told = {"name", "arguments", "arguments_json", "layer", "elapsed"} if isinstance(thing, ToolCall) else {"state"}
        assert facts.keys() == {"call_id", "root_id", "nested", "scope", "cancelled"} | told


async def test_a_shadow_in_a_scope_hides_the_exposed_tool_with_no_fall_through(host: EmbeddedHost) -> None:
    ann = host.scope("ann")
    host.register(tool("thief", opened, expose=False), scope=ann)
    assert "thief" not in host.catalog(ann)
    assert unreachable(await call(host, "thief", ann))
    assert (await call(host, "thief")).ok


async def test_an_exposed_shadow_of_an_internal_tool_is_the_scopes_own(host: EmbeddedHost) -> None:
    ann = host.scope("ann")
    host.register(tool(SECRET), scope=ann)
    assert (await call(host, SECRET, ann, x=1)).value == {"echo": {"x": 1}}
    assert (await call(host, "vault_use", ann)).value == {"got": {"echo": {}}}
    assert unreachable(await call(host, SECRET))


async def test_a_mask_cuts_it_from_those_who_use_it(host: EmbeddedHost) -> None:
    ann = host.scope("ann")
    mask = host.restrict(scope=ann, deny=[SECRET])
    assert (await call(host, "vault_use", ann)).value == {"got": None}
    assert host.lookup(SECRET, ann) is None
    mask.close()
    assert (await call(host, "vault_use", ann)).value == {"got": {"gold": 1}}


async def test_a_wrapper_cannot_answer_in_its_name(host: EmbeddedHost) -> None:
    @host.around
    async def answers(call: ToolCall, proceed: Callable[..., Awaitable[Any]]) -> Any:
        return Answer({"forged": True})

    assert unreachable(await call(host, SECRET))


async def test_post_policy_cannot_give_a_value_to_what_was_not_reached(host: EmbeddedHost) -> None:
    host.post_execute(lambda call, outcome: Accept(value={"forged": True}))
    assert not (await call(host, SECRET)).ok


async def test_its_renderer_finaliser_classifier_and_schema_are_not_asked_by_a_root_call() -> None:
    asked: list[str] = []

    def note(what: str, answer: object) -> Callable[[object], Any]:
        def ask(given: object) -> object:
            asked.append(what)
            return answer

        return ask

    host = EmbeddedHost()
    host.register(
        tool(
            SECRET,
            expose=False,
            render=note("render", []),
            finalize=note("finalize", [{"type": "text", "text": "I exist"}]),
            concurrency=note("concurrency", answer=True),
            input_schema={"type": "object", "required": ["combination"]},
        )
    )
    outcome = await call(host, SECRET)
    assert host.concurrency(Call(name=SECRET)) == "exclusive"
    assert (asked, outcome.code) == ([], "UNKNOWN_TOOL")
    assert "combination" not in outcome.message
    assert "I exist" not in outcome.text


async def test_the_audit_of_a_refused_root_call_tells_nothing_of_it(host: EmbeddedHost) -> None:
    lines: list[str] = []
    host.audit(lines.append)
    await call(host, SECRET)
    await call(host, "never_was_one")
    internal, unknown = (json.loads(line) for line in lines)
    same = ("layer", "scope", "nested", "outcome", "code", "argument_bytes", "result_bytes")
    assert [internal[key] for key in same] == [unknown[key] for key in same]


async def test_gates_and_guards_apply_to_it_like_to_any_other(host: EmbeddedHost) -> None:
    @host.guard
    def locked(call: ToolCall) -> str | None:
        return "the vault is locked" if call.name == SECRET else None

    assert (await call(host, "vault_use")).value == {"got": None}


async def test_withdrawn_while_its_user_runs_it_is_gone(host: EmbeddedHost) -> None:
    late = host.register(tool("late", opened, expose=False))

    async def body(arguments: dict[str, Any], context: Context) -> Any:
        before = await context.call("late")
        late.close()
        after = await context.call("late")
        return {"before": before.ok, "after": after.ok}

    host.register(tool("user", body, uses=frozenset({"late"})))
    assert (await call(host, "user")).value == {"before": True, "after": False}


async def test_whoever_registers_it_again_exposed_has_said_so(host: EmbeddedHost) -> None:
    mine = host.register(tool("mine", opened, expose=False))
    assert unreachable(await call(host, "mine"))
    mine.close()
    host.register(tool("mine", opened))
    assert isinstance(await call(host, "mine"), Success)


async def test_a_report_that_names_it_is_the_callers_own_business(host: EmbeddedHost) -> None:
    """A failed step names its tool: the operation's description says it too, so nothing is given away."""
    declare(host, SECRET)
    host.guard(lambda call: "no" if call.name == SECRET else None)
    outcome = await call(host, "run_all")
    assert outcome.value["failedStep"] == SECRET
    assert isinstance(await call(host, SECRET), Failure)
