"""Policy survives composition: each test is first seen to fail on the composite that calls the functions itself."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest

from capdeco.host.policy import Accept, Ask, Block, Question, ToolCall
from capdeco.host.protocol import Call, Context
from capdeco.host.registry import EmbeddedHost
from capdeco.result import Content
from tests.unit.hosting import call, declare, naive, tool

pytestmark = pytest.mark.anyio

IMAGE = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}


async def read(arguments: dict[str, Any], context: Context) -> Any:
    context.defer("read the file")
    context.conclude()
    return Content({"secret": "hunter2"}, [IMAGE])


async def naive_read(arguments: dict[str, Any], context: Context) -> Any:
    """What `read` is without a host: the composite gets the function's value, and nothing of its context."""
    return {"secret": "hunter2"}


async def slow(arguments: dict[str, Any], context: Context) -> Any:
    await anyio.sleep(0.05)
    return {"late": True}


@pytest.fixture
def host() -> EmbeddedHost:
    host = EmbeddedHost()
    host.register(
        tool("read", read),
        tool("slow", slow, timeout=0.005),
        tool("naive", naive(naive_read)),
        tool("lazy", naive(slow)),
    )
    declare(host, "read")
    declare(host, "slow", capability="slow", operation="op")
    return host


def step(outcome: Any) -> Any:
    return outcome.value["steps"][0]


async def test_a_denial_of_the_primitive(host: EmbeddedHost) -> None:
    host.guard(lambda call: "reading is closed" if call.name == "read" else None)
    assert (await call(host, "naive")).ok
    assert step(await call(host, "run_all")) == {"tool": "read", "ok": False, "error": "reading is closed"}


async def test_a_question_without_anybody_to_answer(host: EmbeddedHost) -> None:
    host.pre_execute(lambda call: Ask("may I read?") if call.name == "read" else None)
    assert (await call(host, "naive")).ok
    assert step(await call(host, "run_all"))["error"] == "may I read?"


async def test_an_approval_for_each_step(host: EmbeddedHost) -> None:
    asked: list[str] = []

    @host.approval
    def service(question: Question) -> Any:
        asked.append(question.call.name)
        return "allowed-once"

    host.pre_execute(lambda call: Ask() if call.name == "read" else None)
    ann = host.scope("ann")
    assert (await call(host, "naive", ann)).ok
    assert asked == []
    assert step(await call(host, "run_all", ann))["ok"]
    assert asked == ["read"]


async def test_a_wrapper_around_the_primitive(host: EmbeddedHost) -> None:
    runs: list[str] = []

    @host.around
    async def counts(call: ToolCall, proceed: Callable[..., Awaitable[Any]]) -> Any:
        runs.append(call.name)
        return await proceed()

    await call(host, "naive")
    await call(host, "run_all")
    assert runs == ["naive", "run_all", "read"]


async def test_a_redacted_value(host: EmbeddedHost) -> None:
    host.post_execute(lambda call, outcome: Accept(value={"secret": "***"}) if call.name == "read" else None)
    assert "hunter2" in (await call(host, "naive")).text
    outcome = await call(host, "run_all")
    assert step(outcome)["value"] == {"secret": "***"}
    assert "hunter2" not in json.dumps([outcome.value, list(outcome.content)])


@pytest.mark.parametrize("content", [[{"type": "text", "text": "a secret was here"}], []])
async def test_redacted_content_does_not_come_back_as_the_value(host: EmbeddedHost, content: Any) -> None:
    host.post_execute(lambda call, outcome: Accept(content=content) if call.name == "read" else None)
    assert "hunter2" in (await call(host, "naive")).text
    outcome = await call(host, "run_all")
    assert "value" not in step(outcome)
    assert step(outcome)["text"] == "".join(block["text"] for block in content)
    assert "hunter2" not in json.dumps([outcome.value, list(outcome.content)])


async def test_a_blocked_result(host: EmbeddedHost) -> None:
    blocks = [{"type": "text", "text": "not that file"}]
    host.post_execute(lambda call, outcome: Block(blocks) if call.name == "read" else None)
    assert (await call(host, "naive")).ok
    assert step(await call(host, "run_all")) == {"tool": "read", "ok": False, "error": "not that file"}


async def test_a_time_budget_of_the_primitive(host: EmbeddedHost) -> None:
    assert (await call(host, "lazy")).ok
    assert step(await call(host, "slow_op"))["code"] == "TOOL_TIMEOUT"


async def test_a_mask(host: EmbeddedHost) -> None:
    ann = host.scope("ann")
    host.restrict(scope=ann, deny=["read"])
    assert (await call(host, "naive", ann)).ok
    assert step(await call(host, "run_all", ann))["code"] == "UNKNOWN_TOOL"


async def test_the_audit_of_every_step(host: EmbeddedHost) -> None:
    lines: list[str] = []
    host.audit(lines.append)
    await call(host, "naive")
    assert [json.loads(line)["tool"] for line in lines] == ["naive"]
    lines.clear()
    await call(host, "run_all")
    step_line, operation_line = map(json.loads, lines)
    assert (step_line["tool"], step_line["nested"]) == ("read", True)
    assert step_line["root"] == operation_line["call"] == operation_line["root"]


async def test_a_composite_runs_alone_whatever_its_steps_are(host: EmbeddedHost) -> None:
    host.register(tool("safe", concurrency=True))
    declare(host, "safe", capability="safe", operation="op")
    assert host.concurrency(Call(name="safe")) == "parallel"
    assert host.concurrency(Call(name="safe_op")) == "exclusive"


async def test_context_messages_the_end_of_the_turn_and_images(host: EmbeddedHost) -> None:
    plain = await call(host, "naive")
    assert (plain.contexts, plain.concludes_turn, len(plain.content)) == ((), False, 1)
    outcome = await call(host, "run_all")
    assert outcome.contexts == ("read the file",)
    assert outcome.concludes_turn
    assert outcome.content[1:] == (IMAGE,)


async def test_a_message_of_post_policy_about_a_step(host: EmbeddedHost) -> None:
    host.post_execute(lambda call, outcome: Accept(contexts=["mind the step"]) if call.name == "read" else None)
    assert (await call(host, "naive")).contexts == ()
    assert (await call(host, "run_all")).contexts == ("read the file", "mind the step")


async def test_a_failed_inner_operation(host: EmbeddedHost) -> None:
    declare(host, "run_all", "read", capability="outer")
    host.guard(lambda call: "closed" if call.name == "read" else None)
    report = (await call(host, "outer_all")).value
    assert report["ok"] is False
    assert report["steps"] == [{"tool": "run_all", "ok": False, "error": "closed"}]


async def test_a_blank_reason_names_the_step(host: EmbeddedHost) -> None:
    host.guard(lambda call: " " if call.name == "read" else None)
    assert "read" in step(await call(host, "run_all"))["error"]
