"""One call through every stage: what each hook may decide, and what it cannot."""

from __future__ import annotations

import functools
import threading
from collections.abc import Awaitable, Callable, Iterator
from types import MappingProxyType
from typing import Any

import attrs
import pytest

from capdeco.errors import ToolError
from capdeco.host.policy import Accept, Allow, Answer, Ask, Block, Deny, Progress, Question, ToolCall
from capdeco.host.protocol import Call, Context
from capdeco.host.registry import EmbeddedHost
from capdeco.result import Content, Failure, Success
from tests.unit.hosting import OBJECT, Outcome, call, declare, echo, host_with, tool

pytestmark = pytest.mark.anyio

Proceed = Callable[..., Awaitable[Any]]


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def test_a_call_without_ids_gets_its_own_and_is_its_own_root() -> None:
    host = EmbeddedHost()
    seen: list[tuple[str, str, bool]] = []

    async def body(arguments: dict[str, Any], context: Context) -> None:
        seen.append((context.call_id, context.root_id, context.nested))

    host.register(tool("a", body))
    await call(host, "a")
    await call(host, "a")
    await host.invoke(Call(name="a", call_id="mine", root_id="top"))
    (first, first_root, _), (second, _, _), mine = seen
    assert first == first_root != second
    assert mine == ("mine", "top", False)


async def test_every_stage_is_passed_in_order_and_by_each_nested_dispatch_too() -> None:
    host = host_with("a")
    declare(host, "a")
    stages: list[str] = []

    host.observe(lambda call, outcome: stages.append(f"observe {call.name}"))
    host.post_execute(lambda call, outcome: stages.append(f"post {call.name}"))

    @host.around
    async def wrap(call: ToolCall, proceed: Proceed) -> Any:
        stages.append(f"around {call.name}")
        return await proceed()

    host.guard(lambda call: stages.append(f"guard {call.name}"))
    host.pre_execute(lambda call: stages.append(f"pre {call.name}"))
    await call(host, "run_all")
    inner = [f"{stage} a" for stage in ("pre", "guard", "around", "post", "observe")]
    assert stages == ["pre run_all", "guard run_all", "around run_all", *inner, "post run_all", "observe run_all"]


async def test_hooks_may_be_sync_or_async() -> None:
    host = host_with("a")
    asked: list[str] = []

    @host.pre_execute
    async def gate(call: ToolCall) -> None:
        asked.append("gate")

    @host.guard
    async def guard(call: ToolCall) -> None:
        asked.append("guard")

    @host.around
    def wrap(call: ToolCall, proceed: Proceed) -> Any:
        asked.append("around")
        return proceed()

    @host.post_execute
    async def review(call: ToolCall, outcome: Outcome) -> None:
        asked.append("post")

    assert (await call(host, "a")).ok
    assert asked == ["gate", "guard", "around", "post"]


async def test_a_decorated_hook_is_still_the_function_and_its_own_registration() -> None:
    host = host_with("a")

    @host.guard(scope=None)
    def closed(call: ToolCall | None) -> str:
        return "closed"

    assert closed(None) == "closed"
    assert (await call(host, "a")).message == "closed"
    closed.close()
    assert (await call(host, "a")).ok


# Gates, approval, guards.


async def test_the_outermost_gate_that_decides_counts() -> None:
    host = host_with("a")
    host.pre_execute(lambda call: None)
    host.pre_execute(lambda call: Allow())
    host.pre_execute(lambda call: Deny("never asked"))
    assert (await call(host, "a")).ok


async def test_a_gate_that_asks_the_rest_may_overrule_it_but_no_gate_overrules_a_guard() -> None:
    host = host_with("a")

    @host.pre_execute
    async def overrule(call: ToolCall, proceed: Proceed) -> Any:
        assert await proceed() == Deny("no")
        return Allow()

    host.pre_execute(lambda call: Deny("no"))
    assert (await call(host, "a")).ok
    host.guard(lambda call: "final")
    assert (await call(host, "a")).message == "final"


async def test_a_reason_arrives_word_for_word_and_a_blank_one_names_the_tool() -> None:
    host = host_with("a")
    reason = "  no,\nand <b>never</b> …  "
    with host.guard(lambda call: reason):
        assert (await call(host, "a")).message == reason
    for blank in ("", "   ", "\u200b\n", "\u2060"):
        with host.guard(functools.partial(lambda said, call: said, blank)):
            assert "a" in (await call(host, "a")).message
        with host.pre_execute(functools.partial(lambda said, call: Deny(said), blank)):
            assert "a" in (await call(host, "a")).message


@pytest.mark.parametrize("broken", [True, Allow(), 0, b"no", Accept()])
async def test_a_guard_that_gives_anything_else_fails_the_call(broken: object) -> None:
    host = host_with("a")
    host.guard(lambda call: broken)  # type: ignore[arg-type, return-value]
    outcome = await call(host, "a")
    assert not outcome.ok
    assert outcome.code is None


async def test_a_hook_that_raises_fails_the_call_with_its_code_and_skips_post_policy() -> None:
    host = host_with("a")
    reviewed: list[str] = []
    observed: list[Outcome] = []
    host.post_execute(lambda call, outcome: reviewed.append(call.name))
    host.observe(lambda call, outcome: observed.append(outcome))

    def breaks(*given: object) -> Any:
        raise ToolError("policy is down", "E_POLICY")

    for add in (host.guard, host.pre_execute, host.around):
        with add(breaks):
            outcome = await call(host, "a")
        assert (outcome.message, outcome.code) == ("policy is down", "E_POLICY")
    assert reviewed == []
    assert len(observed) == 3


async def test_an_approval_is_asked_of_the_nearest_service_and_holds_for_one_dispatch() -> None:
    host = host_with("a")
    ann = host.scope("ann")
    asked: list[tuple[str, str | None]] = []

    @host.pre_execute
    def gate(call: ToolCall) -> Any:
        return Ask("sure?") if call.name == "a" else None

    host.approval(lambda question: "rejected")

    @host.approval(scope=ann)
    async def service(question: Question) -> Any:
        asked.append((question.call.name, question.reason))
        return "allowed-once" if len(asked) == 1 else "rejected"

    assert (await call(host, "a", ann)).ok
    assert not (await call(host, "a", ann)).ok
    assert asked == [("a", "sure?")] * 2
    assert not (await call(host, "a", host.scope("bob"))).ok


@pytest.mark.parametrize("answer", ["rejected", "cancelled", "unavailable", "yes", True, None, "ALLOWED-ONCE"])
async def test_only_allowed_once_lets_a_call_through(answer: Any) -> None:
    host = host_with("a")
    host.pre_execute(lambda call: Ask())
    host.approval(lambda question: answer)
    outcome = await call(host, "a", host.scope("ann"))
    assert not outcome.ok
    assert outcome.code is None
    assert "a" in outcome.message


async def test_a_question_nobody_can_answer_is_a_denial() -> None:
    host = host_with("a")
    ann = host.scope("ann")
    with host.pre_execute(lambda call: Ask("it costs money")):
        assert (await call(host, "a", ann)).message == "it costs money"
        host.approval(lambda question: "allowed-once")
        assert "a" in (await call(host, "a")).message
        assert (await call(host, "a", ann)).ok


async def test_a_scopes_hooks_apply_to_it_and_its_descendants_and_end_with_it() -> None:
    host = host_with("a")
    team = host.scope("team")
    kid = host.scope("kid", parent=team)
    host.guard(lambda call: "not for the team", scope=team)
    assert (await call(host, "a", team)).message == "not for the team"
    assert (await call(host, "a", kid)).message == "not for the team"
    assert (await call(host, "a")).ok
    own = host.guard(lambda call: "not at all")
    assert (await call(host, "a", team)).message == "not at all"
    own.close()
    team.close()
    assert (await call(host, "a", kid)).code == "UNKNOWN_TOOL"
    assert (await call(host, "a")).ok


async def test_a_hook_registered_while_a_call_runs_takes_part_in_its_later_stages() -> None:
    host = host_with("a")

    @host.pre_execute
    def gate(call: ToolCall) -> None:
        host.guard(lambda call: "too late for the gate, not for the guard")

    assert (await call(host, "a")).message.startswith("too late")


# Wrappers.


async def test_a_wrapper_continues_as_often_as_it_likes_through_the_whole_rest() -> None:
    host = host_with("a")
    runs: list[str] = []

    @host.around
    async def twice(call: ToolCall, proceed: Proceed) -> Any:
        await proceed()
        return await proceed()

    @host.around
    async def inner(call: ToolCall, proceed: Proceed) -> Any:
        runs.append("inner")
        return await proceed()

    outcome = await call(host, "a", x=[1])
    assert outcome.value == {"echo": {"x": [1]}}
    assert runs == ["inner", "inner"]


async def test_each_body_run_has_its_own_copy_of_the_arguments() -> None:
    async def spoils(arguments: dict[str, Any], context: Context) -> Any:
        arguments["x"].append(2)
        return arguments

    host = host_with("a", body=spoils)

    @host.around
    async def twice(call: ToolCall, proceed: Proceed) -> Any:
        await proceed()
        return await proceed()

    assert (await call(host, "a", x=[1])).value == {"x": [1, 2]}


async def test_a_made_up_value_is_checked_and_rendered_and_its_content_discarded() -> None:
    host = host_with("a", output_schema={"type": "object", "properties": {"n": {"type": "integer"}}})
    answer: list[Any] = [Success(json=b'{"n":1}', content=[{"type": "text", "text": "trust me"}])]

    @host.around
    async def cached(call: ToolCall, proceed: Proceed) -> Any:
        return answer[0]

    assert (await call(host, "a")).text == '{"n":1}'
    for invalid in (Answer({"n": "one"}), Answer(object()), Success(json=b'{"n":"one"}')):
        answer[0] = invalid
        assert (await call(host, "a")).code == "INVALID_TOOL_OUTPUT"
    answer[0] = Success(json=b"{broken")
    assert not (await call(host, "a")).ok
    answer[0] = {"n": 1}
    assert not (await call(host, "a")).ok


async def test_a_made_up_failure_keeps_message_and_code_but_not_its_content() -> None:
    host = host_with("a")

    @host.around
    async def fails(call: ToolCall, proceed: Proceed) -> Any:
        return Failure(message="out of order", code="E_ORDER", content=[{"type": "text", "text": "all is well"}])

    outcome = await call(host, "a")
    assert (outcome.message, outcome.code, outcome.text) == ("out of order", "E_ORDER", "Error: out of order")


async def test_a_continuation_that_was_kept_is_dead_when_the_call_is_over() -> None:
    host = host_with("a")
    kept: list[Proceed] = []

    @host.around
    async def keeps(call: ToolCall, proceed: Proceed) -> Any:
        kept.append(proceed)
        return await proceed()

    await call(host, "a")
    with pytest.raises(RuntimeError, match="has ended"):
        await kept[0]()


# Arguments and results.


async def test_arguments_that_do_not_fit_are_all_named() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["path"]}
    outcome = await call(host_with("a", input_schema=schema), "a", n="x")
    assert outcome.code == "INVALID_ARGS"
    assert "path" in outcome.message
    assert "n: must be integer" in outcome.message


@pytest.mark.parametrize("arguments", [None, [1], "x", 3])
async def test_arguments_are_an_object(arguments: Any) -> None:
    outcome = await host_with("a").invoke(Call(name="a", arguments=arguments))
    assert not outcome.ok
    assert outcome.code == "INVALID_ARGS"


async def test_any_mapping_will_do_as_arguments() -> None:
    outcome = await host_with("a").invoke(Call(name="a", arguments=MappingProxyType({"x": 1})))
    assert outcome.ok
    assert outcome.value == {"echo": {"x": 1}}


async def test_a_closed_root_refuses_in_a_root_call_and_drops_in_a_nested_one() -> None:
    host = EmbeddedHost()
    closed = {"type": "object", "properties": {"path": {"type": "string"}}, "additionalProperties": False}
    seen: list[Any] = []
    host.register(tool("a", input_schema=closed))
    host.guard(lambda call: seen.append(call.arguments) if call.name == "a" else None)
    declare(host, "a")
    refused = await call(host, "a", path="x", pth="y")
    assert refused.code == "INVALID_ARGS"
    assert "did you mean path" in refused.message
    outcome = await call(host, "run_all", path="x", more=1)
    assert outcome.value["steps"][0]["value"] == {"echo": {"path": "x"}}
    assert seen[-1] == {"path": "x", "more": 1}, "policy sees what was sent"


async def test_nobody_can_change_what_another_sees() -> None:
    host = host_with("a")
    declare(host, "a", "a")
    seen: list[Any] = []

    def spoil(call: ToolCall, *rest: Any) -> None:
        call.arguments["x"].append("spoilt")
        call.arguments.clear()
        for outcome in rest:
            outcome.value.clear()
            if outcome.content:
                outcome.content[0]["text"] = "spoilt"

    for hook in (host.pre_execute, host.guard):
        hook(lambda call: spoil(call))
    host.post_execute(lambda call, outcome: spoil(call, outcome))
    host.observe(spoil)

    @host.observe
    def keeps(call: ToolCall, outcome: Any) -> None:
        seen.append((call.arguments, outcome.value))

    given = {"x": [1]}
    outcome = await host.invoke(Call(name="run_all", arguments=given))
    assert outcome.ok
    assert given == {"x": [1]}
    assert all(arguments == {"x": [1]} for arguments, _ in seen)
    assert [step["value"] for step in outcome.value["steps"]] == [{"echo": {"x": [1]}}] * 2
    outcome.value["ok"] = "spoilt"
    assert outcome.value["ok"] is True


async def test_facts_and_decisions_cannot_be_set() -> None:
    host = host_with("a")

    @host.guard
    def guard(call: Any) -> None:
        for name in ("name", "scope", "nested", "arguments"):
            with pytest.raises(AttributeError):
                setattr(call, name, "other")

    outcome = await call(host, "a")
    assert outcome.ok
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        outcome.json = b"{}"


async def test_what_a_body_raises_is_a_failure_with_its_message_and_only_our_errors_have_codes() -> None:
    class Foreign(Exception):
        code = "E_FOREIGN"

    class Unprintable(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no")

    raised: list[BaseException] = []

    async def fails(arguments: dict[str, Any], context: Context) -> Any:
        raise raised[-1]

    host = host_with("a", body=fails)
    for error, message, code in (
        (ToolError("gone", "E_GONE", {"id": 1}), "gone", "E_GONE"),
        (Foreign("theirs"), "theirs", None),
        (ValueError(""), "a failed (ValueError)", None),
        (Unprintable(), "a failed (Unprintable)", None),
        (OSError("name \udcff"), "name \\udcff", None),
        (SystemExit("bye"), "a tried to exit the process", None),
    ):
        raised.append(error)
        outcome = await call(host, "a")
        assert (outcome.message, outcome.code) == (message, code)
    raised.append(ToolError("gone", details={"id": 1, "what": object}))
    assert (await call(host, "a")).details["id"] == 1


@pytest.mark.parametrize("returned", [object(), float("nan"), {1: 2}, (1,), b"x", {"v": "\ud83d"}])
async def test_what_is_no_json_is_invalid_output(returned: Any) -> None:
    async def body(arguments: dict[str, Any], context: Context) -> Any:
        return returned

    outcome = await call(host_with("a", body=body), "a")
    assert outcome.code == "INVALID_TOOL_OUTPUT"
    assert "a" in outcome.message


async def test_text_renders_as_itself_and_anything_else_as_compact_json() -> None:
    values: Iterator[Any] = iter(["plain", {"a": [1, "é"]}, None])

    async def body(arguments: dict[str, Any], context: Context) -> Any:
        return next(values)

    host = host_with("a", body=body)
    assert [(await call(host, "a")).text for _ in range(3)] == ["plain", '{"a":[1,"é"]}', "null"]


async def test_blocks_of_a_bodys_own_follow_the_rendering_of_its_value() -> None:
    image = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}

    async def body(arguments: dict[str, Any], context: Context) -> Any:
        return Content({"n": 1}, [image])

    outcome = await call(host_with("a", body=body), "a")
    assert outcome.content == ({"type": "text", "text": '{"n":1}'}, image)
    assert outcome.value == {"n": 1}


@pytest.mark.parametrize("blocks", [[1], [{"text": "x"}], [{"type": 1}], [{"type": "text", "text": object()}], 3])
async def test_content_that_is_none_is_invalid_output(blocks: Any) -> None:
    outcome = await call(host_with("a", render=lambda value: blocks), "a")
    assert outcome.code == "INVALID_TOOL_OUTPUT"


async def test_a_finaliser_has_the_last_word_on_content_whatever_the_outcome() -> None:
    host = host_with("a", finalize=lambda outcome: [{"type": "text", "text": "bye" if outcome.ok else "sorry"}])
    assert (await call(host, "a")).text == "bye"
    with host.guard(lambda call: "no"):
        outcome = await call(host, "a")
    assert (outcome.text, outcome.message) == ("sorry", "no")
    broken = host_with("a", finalize=lambda outcome: 1 / 0)
    assert (await call(broken, "a")).ok


# Post policy.


async def test_post_policy_replaces_value_or_content_but_not_both() -> None:
    host = host_with("a", output_schema=OBJECT)
    with host.post_execute(lambda call, outcome: Accept(value={"new": 1}, contexts=["note"])):
        outcome = await call(host, "a")
    assert (outcome.value, outcome.text, outcome.contexts) == ({"new": 1}, '{"new":1}', ("note",))
    with host.post_execute(lambda call, outcome: Accept(content=[])):
        outcome = await call(host, "a")
    assert (outcome.value, outcome.content, outcome.content_replaced) == ({"echo": {}}, (), True)
    with host.post_execute(lambda call, outcome: Accept(value={}, content=[])):
        assert not (await call(host, "a")).ok
    with host.post_execute(lambda call, outcome: Accept(value=[1])):
        assert (await call(host, "a")).code == "INVALID_TOOL_OUTPUT"


async def test_a_block_drops_value_code_and_what_the_tool_attached() -> None:
    async def body(arguments: dict[str, Any], context: Context) -> Any:
        context.defer("from the tool")
        return {}

    host = host_with("a", body=body)
    feedback = [{"type": "text", "text": "wrong"}, {"type": "image", "data": ""}, {"type": "text", "text": "again"}]
    host.post_execute(lambda call, outcome: Block(feedback, ["from policy"]))
    outcome = await call(host, "a")
    assert (outcome.message, outcome.code) == ("wrong\nagain", None)
    assert outcome.content == tuple(feedback)
    assert outcome.contexts == ("from policy",)


async def test_post_policy_sees_denials_and_unknown_tools_but_not_broken_policy() -> None:
    host = host_with("a")
    seen: list[bool] = []
    host.post_execute(lambda call, outcome: seen.append(outcome.ok))
    with host.guard(lambda call: "no"):
        await call(host, "a")
    await call(host, "ghost")
    assert seen == [False, False]


async def test_context_messages_survive_a_failing_body_and_the_end_of_turn_does_not() -> None:
    async def body(arguments: dict[str, Any], context: Context) -> Any:
        context.defer("tried")
        context.conclude()
        if arguments:
            raise RuntimeError("broken")

    host = host_with("a", body=body)
    good, bad = await call(host, "a"), await call(host, "a", fail=True)
    assert (good.contexts, good.concludes_turn) == (("tried",), True)
    assert bad.contexts == ("tried",)


# Observers, progress, state, sync bodies.


async def test_an_observer_that_breaks_is_ignored_and_the_next_one_hears(caplog: pytest.LogCaptureFixture) -> None:
    host = host_with("a")
    heard: list[str] = []
    host.observe(lambda call, outcome: 1 / 0)
    host.observe(lambda call, outcome: heard.append(call.name))
    assert (await call(host, "a")).ok
    assert heard == ["a"]
    assert "ZeroDivisionError" in caplog.text


async def test_progress_reaches_who_watches() -> None:
    async def body(arguments: dict[str, Any], context: Context) -> Any:
        context.progress(1, 2, "half way")

    host = host_with("a", body=body)
    heard: list[Progress] = []
    host.on_progress(lambda call, progress: heard.append(progress))
    await call(host, "a")
    assert heard == [Progress(1, 2, "half way")]


async def test_state_is_the_hosts() -> None:
    async def body(arguments: dict[str, Any], context: Context) -> Any:
        return context.state["database"]

    host = EmbeddedHost(state={"database": "here"})
    host.register(tool("a", body))
    assert (await call(host, "a")).value == "here"


async def test_a_sync_body_runs_in_a_thread_and_a_short_one_in_the_loop() -> None:
    here = threading.get_ident()

    def body(arguments: dict[str, Any], context: Context) -> Any:
        return threading.get_ident() == here

    host = EmbeddedHost()
    host.register(tool("slow", body), tool("short", body, blocking=False))
    assert (await call(host, "slow")).value is False
    assert (await call(host, "short")).value is True


async def test_a_sync_body_may_hand_back_a_coroutine() -> None:
    host = host_with("a", body=lambda arguments, context: echo(arguments, context))
    assert (await call(host, "a", x=1)).value == {"echo": {"x": 1}}


async def test_unknown_names_hint_at_what_is_presented() -> None:
    host = host_with("pdf_extract")
    assert "pdf_extract" in (await call(host, "pdf_extrat")).message


async def test_an_operation_does_not_enter_itself_however_late_it_was_wired() -> None:
    host = host_with("inner_all")
    declare(host, "inner_all", capability="outer")
    observed: list[str] = []
    host.observe(lambda call, outcome: observed.append(call.name))
    ann = host.scope("ann")
    declare(host, "outer_all", capability="inner", scope=ann)
    outcome = await call(host, "outer_all", ann)
    report = outcome.value
    assert report["ok"] is False
    assert report["steps"][0]["code"] == "RECURSIVE_DISPATCH"
    assert observed == ["inner_all", "outer_all"], "the recursive step was never dispatched"
