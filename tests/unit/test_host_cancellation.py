"""Cancellation: a signal gives results, a cancelled task raises; and time budgets."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from capdeco.host.policy import Allow, Ask, Question, ToolCall
from capdeco.host.protocol import Call, Context
from capdeco.host.registry import EmbeddedHost
from capdeco.host.signal import Signal, following, loop_entry
from tests.unit.hosting import Outcome, call, declare, echo, host_with, tool

pytestmark = pytest.mark.anyio

Proceed = Callable[..., Awaitable[Any]]


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def heard_by(host: EmbeddedHost) -> list[tuple[str, str | None]]:
    heard: list[tuple[str, str | None]] = []
    host.observe(lambda call, outcome: heard.append((call.name, "ok" if outcome.ok else outcome.code)))
    return heard


async def sleeps(arguments: dict[str, Any], context: Context) -> Any:
    await anyio.sleep_forever()


# Signals.


async def test_a_signal_may_be_set_from_any_thread_and_is_heard_once() -> None:
    signal = Signal()
    heard: list[int] = []
    signal.on_set(lambda: heard.append(1))
    signal.on_set(lambda: heard.append(2))()
    async with anyio.create_task_group() as group:
        group.start_soon(signal.wait)
        thread = threading.Thread(target=signal.set)
        thread.start()
    thread.join()
    signal.set()
    signal.on_set(lambda: heard.append(3))
    assert heard == [1, 3]


def test_a_follower_leaves_nothing_behind_and_sets_nobody_above_it() -> None:
    signal = Signal()
    for _ in range(3):
        following(signal).set()
    assert not signal.is_set
    assert not signal._listeners
    follower = following(signal, None)
    signal.set()
    assert follower.is_set


async def test_a_call_that_is_cancelled_already_passes_no_stage_but_the_last() -> None:
    host = host_with("a")
    stages: list[str] = []
    host.pre_execute(lambda call: stages.append("pre"))
    host.post_execute(lambda call, outcome: stages.append("post"))
    heard = heard_by(host)
    signal = Signal()
    signal.set()
    assert (await call(host, "a", signal=signal)).code == "ABORTED_BEFORE_DISPATCH"
    assert stages == []
    assert heard == [("a", "ABORTED_BEFORE_DISPATCH")]


async def test_cancelled_at_a_gate_no_body_starts() -> None:
    host = host_with("a")
    signal = Signal()
    host.pre_execute(lambda call: signal.set())
    assert (await call(host, "a", signal=signal)).code == "ABORTED_BEFORE_DISPATCH"


async def test_cancelled_while_asked_a_grant_no_longer_helps() -> None:
    host = host_with("a")
    signal = Signal()
    host.pre_execute(lambda call: Ask())
    answers = iter(["allowed-once", "cancelled"])

    @host.approval
    def service(question: Question) -> Any:
        signal.set()
        return next(answers)

    ann = host.scope("ann")
    assert (await call(host, "a", ann, signal)).code == "ABORTED_BEFORE_DISPATCH"
    signal = Signal()
    assert (await call(host, "a", ann, signal)).code == "ABORTED_BEFORE_DISPATCH"


async def test_a_success_that_comes_too_late_is_aborted_and_a_failure_stays() -> None:
    signal = Signal()

    async def body(arguments: dict[str, Any], context: Context) -> Any:
        signal.set()
        if arguments:
            raise RuntimeError("broken anyway")

    host = host_with("a", body=body)
    assert (await call(host, "a", signal=signal)).code == "ABORTED"
    signal = Signal()
    assert (await call(host, "a", signal=signal, x=1)).message == "broken anyway"


async def test_a_body_that_sets_its_own_signal_cancels_nobody_else() -> None:
    async def body(arguments: dict[str, Any], context: Context) -> Any:
        context.signal.set()
        return context.cancelled

    host = host_with("a", body=body)
    declare(host, "a", "a")
    outcome = await call(host, "run_all", signal=Signal())
    assert outcome.ok
    assert outcome.value["ok"] is True


async def test_a_wrappers_signal_reaches_the_body_and_the_callers_is_joined_in_again() -> None:
    caller = Signal()

    async def body(arguments: dict[str, Any], context: Context) -> Any:
        caller.set()
        return context.cancelled

    host = host_with("a", body=body)

    @host.around
    async def private(call: ToolCall, proceed: Proceed) -> Any:
        return await proceed(signal=Signal())

    assert (await call(host, "a", signal=caller)).code == "ABORTED"


async def test_only_a_wrappers_signal_set_it_may_turn_the_abort_into_its_own_failure() -> None:
    host = host_with("a")
    tripped = Signal()
    tripped.set()
    seen: list[Any] = []

    @host.around
    async def deadline(call: ToolCall, proceed: Proceed) -> Any:
        seen.append(await proceed(tripped))
        return await proceed(Signal())

    assert (await call(host, "a")).ok
    assert seen[0].code == "ABORTED_BEFORE_DISPATCH"


async def test_an_aborted_operation_keeps_what_it_had_done_for_programs_only() -> None:
    signal = Signal()

    async def body(arguments: dict[str, Any], context: Context) -> Any:
        signal.set()
        return {"secret": 1}

    host = host_with("a")
    host.register(tool("b", body))
    declare(host, "a", "b", "a")
    outcome = await call(host, "run_all", signal=signal, x=1)
    assert outcome.code == "ABORTED"
    assert [(step["tool"], step["ok"]) for step in outcome.details["steps"]] == [("a", True), ("b", False)]
    assert "echo" not in outcome.text


# Tasks.


async def cancelled_at(host: EmbeddedHost, name: str, started: anyio.Event) -> None:
    """Cancel the task of a call as soon as *started* is set; the cancellation must come out of `invoke`."""
    raised: list[bool] = []

    async def run() -> None:
        try:
            await call(host, name)
        except anyio.get_cancelled_exc_class():
            raised.append(True)
            raise

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            group.start_soon(run)
            await started.wait()
            group.cancel_scope.cancel()
    assert raised == [True]


@pytest.mark.parametrize("error", [RuntimeError("broken"), SystemExit(1)], ids=["an exception", "an exit"])
def test_a_listener_that_breaks_keeps_no_other_from_hearing(
    error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    signal = Signal()
    heard = []

    def breaks() -> None:
        raise error

    signal.on_set(breaks)
    signal.on_set(lambda: heard.append(1))
    follower = following(signal)
    signal.set()
    signal.on_set(breaks)
    assert heard == [1]
    assert follower.is_set
    assert [record.exc_info is not None for record in caplog.records] == [True, True]


def test_whoever_waited_in_a_loop_that_has_ended_keeps_no_other_from_hearing() -> None:
    signal = Signal()
    heard = []

    async def wait() -> None:
        soon = loop_entry()
        signal.on_set(lambda: soon(print))

    asyncio.run(wait())
    signal.on_set(lambda: heard.append(1))
    signal.set()
    assert heard == [1]


@pytest.mark.parametrize("where", ["pre_execute", "guard", "approval", "around", "body", "post_execute", "step"])
async def test_cancelling_the_task_raises_at_every_stage_and_only_publishes(where: str) -> None:
    started = anyio.Event()
    stages: list[str] = []

    async def waits(*given: Any) -> Any:
        started.set()
        await anyio.sleep_forever()

    host = host_with("a", "b")
    ann = host.scope("ann")
    host.register(tool("slow", waits if where in ("body", "step") else echo))
    declare(host, "a", "slow", "b")
    name = "run_all" if where == "step" else "slow"
    if where == "approval":
        host.pre_execute(lambda call: Ask())
    if where not in ("body", "step"):
        getattr(host, where)(waits)
    host.post_execute(lambda call, outcome: stages.append(call.name))
    heard = heard_by(host)
    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            group.start_soon(host.invoke, Call(name=name, scope=ann))
            await started.wait()
            group.cancel_scope.cancel()
    if where == "step":
        assert heard == [("a", "ok"), ("slow", "ABORTED"), ("run_all", "ABORTED")]
        assert stages == ["a"]
    else:
        assert heard == [("slow", "ABORTED")]
        assert stages == []


async def test_the_cancellation_comes_out_of_invoke() -> None:
    started = anyio.Event()

    async def body(arguments: dict[str, Any], context: Context) -> Any:
        started.set()
        await anyio.sleep_forever()

    await cancelled_at(host_with("a", body=body), "a", started)


async def test_a_cancelled_call_waits_for_its_thread_which_is_asked_to_stop() -> None:
    started = anyio.Event()
    ended: list[bool] = []
    soon: list[Callable[[Callable[[], Any]], object]] = []

    def body(arguments: dict[str, Any], context: Context) -> Any:
        soon[0](started.set)
        while not context.cancelled:
            time.sleep(0.001)
        time.sleep(0.02)
        ended.append(True)

    soon.append(loop_entry())
    host = host_with("a", body=body)
    heard = heard_by(host)
    await cancelled_at(host, "a", started)
    assert ended == [True]
    assert heard == [("a", "ABORTED")]


@pytest.mark.parametrize("anyio_backend", ["asyncio"], indirect=True)
async def test_asyncios_own_cancel_waits_for_the_thread_too() -> None:
    started, ended = threading.Event(), threading.Event()

    def body(arguments: dict[str, Any], context: Context) -> Any:
        started.set()
        while not context.cancelled:
            time.sleep(0.001)
        time.sleep(0.02)
        ended.set()

    host = host_with("a", body=body)
    task = asyncio.create_task(host.invoke(Call(name="a")))
    await anyio.to_thread.run_sync(started.wait)
    task.cancel()
    await asyncio.sleep(0.005)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()


@pytest.mark.parametrize("anyio_backend", ["asyncio"], indirect=True)
async def test_something_cancelled_inside_a_body_or_hook_is_an_ordinary_failure() -> None:
    async def stray(*given: Any) -> Any:
        future = asyncio.get_running_loop().create_future()
        future.cancel()
        await future

    host = host_with("a", body=stray)
    outcome = await call(host, "a")
    assert not outcome.ok
    assert outcome.code is None
    with host.guard(stray):
        assert not (await call(host, "a")).ok


# Time budgets.


async def test_a_time_budget_cancels_an_async_body() -> None:
    host = host_with("a", body=sleeps, timeout=0.01)
    outcome = await call(host, "a")
    assert outcome.code == "TOOL_TIMEOUT"
    assert "a" in outcome.message


async def test_a_time_budget_on_an_operation_cancels_the_running_step() -> None:
    host = host_with("a", body=sleeps)
    heard = heard_by(host)

    async def both(arguments: dict[str, Any], context: Context) -> Any:
        await context.call("a")

    host.register(tool("both", both, timeout=0.01))
    assert (await call(host, "both")).code == "TOOL_TIMEOUT"
    assert heard == [("a", "ABORTED"), ("both", "TOOL_TIMEOUT")]


async def test_a_sync_body_is_asked_to_stop_and_answered_for_when_it_has() -> None:
    stopped: list[bool] = []

    def body(arguments: dict[str, Any], context: Context) -> Any:
        while not context.cancelled:
            time.sleep(0.001)
        stopped.append(True)
        return {"late": True}

    outcome = await call(host_with("a", body=body, timeout=0.01), "a")
    assert stopped == [True]
    assert outcome.code == "TOOL_TIMEOUT"


async def test_a_body_that_shields_itself_is_late_all_the_same() -> None:
    async def body(arguments: dict[str, Any], context: Context) -> Any:
        with anyio.CancelScope(shield=True):
            await anyio.sleep(0.03)
        return {"late": True}

    assert (await call(host_with("a", body=body, timeout=0.01), "a")).code == "TOOL_TIMEOUT"


async def test_within_its_budget_a_body_is_left_alone_and_its_error_is_its_own() -> None:
    async def body(arguments: dict[str, Any], context: Context) -> Any:
        await anyio.lowlevel.checkpoint()
        if arguments:
            raise RuntimeError("mine")
        return 1

    host = host_with("a", body=body, timeout=60)
    assert (await call(host, "a")).value == 1
    assert (await call(host, "a", x=1)).message == "mine"


async def test_a_host_may_leave_time_budgets_to_its_owner() -> None:
    async def body(arguments: dict[str, Any], context: Context) -> Any:
        await anyio.sleep(0.02)
        return "in its own time"

    host = EmbeddedHost(enforce_timeouts=False)
    host.register(tool("a", body, timeout=0.001))
    assert (await call(host, "a")).value == "in its own time"


async def test_the_callers_signal_reaches_a_thread() -> None:
    signal = Signal()

    def body(arguments: dict[str, Any], context: Context) -> Any:
        signal.set()
        return context.cancelled

    host = host_with("a", body=body)
    host.pre_execute(lambda call: Allow())
    outcome: Outcome = await call(host, "a", signal=signal)
    assert not outcome.ok
    assert outcome.code == "ABORTED"
