"""Giving up at every place where a three-step operation can wait: what is published, what is returned, what is left."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Literal

import anyio
import anyio.from_thread
import anyio.lowlevel
import anyio.to_thread
import attrs
import pytest
import trio

from capdeco import Binder, Call, Context, EmbeddedHost, Step, capability, operation, tool
from capdeco.host.policy import Ask, Question, ToolCall
from capdeco.host.signal import Signal
from capdeco.result import Failure, Success

Way = Literal["signal", "scope", "task"]
Outcome = Success | Failure

BEFORE = ("gate", "approval", "guard", "wrapper in")
AFTER = ("wrapper out", "review")
STEPS = ("waits", "has_a_budget", "sits_in_a_thread")
OPERATION = "trip_go"
PLACES = [
    *(f"{OPERATION}: {stage}" for stage in BEFORE),
    *(f"{step}: {stage}" for step in STEPS for stage in (*BEFORE, "body", *AFTER)),
    *(f"{OPERATION}: {stage}" for stage in AFTER),
]


@tool(expose=False)
async def waits(context: Context) -> str:
    """Wait as a coroutine does."""
    await context.state.wait("waits: body")
    return "waited"


@tool(expose=False, timeout=3600)
async def has_a_budget(context: Context) -> str:
    """Wait within a time budget."""
    await context.state.wait("has_a_budget: body")
    return "was in time"


@tool(expose=False)
def sits_in_a_thread(context: Context) -> str:
    """Wait as a thread does: nobody can stop it, and it asks whether it should."""
    journey: Journey = context.state
    anyio.from_thread.run_sync(journey.arrive, "sits_in_a_thread: body")
    while journey.gave_up_at == "sits_in_a_thread: body" and not context.cancelled:
        time.sleep(0.001)
    journey.trace.append("the thread has ended")
    return "sat"


@capability(id="trip", description="Three steps.")
@operation(name="go", steps=[Step(each) for each in (waits, has_a_budget, sits_in_a_thread)])
def trip() -> None:
    """Wait in three ways."""


@attrs.define
class Journey:
    """One call of the operation that gives up when it arrives at a place."""

    gives_up_at: str | None = None
    give_up: Callable[[], object] = lambda: None
    trace: list[str] = attrs.field(factory=list)
    gave_up_at: str | None = None
    published: list[tuple[str, str | None]] = attrs.field(factory=list)

    def arrive(self, place: str) -> None:
        self.trace.append(place)
        if place == self.gives_up_at:
            self.gave_up_at = place
            give_up, self.give_up = self.give_up, lambda: None
            give_up()

    async def wait(self, place: str) -> None:
        self.arrive(place)
        await anyio.lowlevel.checkpoint()

    def after_giving_up(self) -> list[str]:
        return self.trace[self.trace.index(self.gives_up_at) + 1 :] if self.gives_up_at else []


def host_of(journey: Journey) -> EmbeddedHost:
    """Make a host with a hook of every kind, each of which waits."""
    host = EmbeddedHost(state=journey)

    @host.pre_execute
    async def gate(call: ToolCall) -> Ask:
        assert not call.signal.is_set  # whoever asks for it follows the caller's: that must not outlive the call
        await journey.wait(f"{call.name}: gate")
        return Ask()

    @host.approval
    async def approval(question: Question) -> Literal["allowed-once"]:
        await journey.wait(f"{question.call.name}: approval")
        return "allowed-once"

    @host.guard
    async def guard(call: ToolCall) -> None:
        await journey.wait(f"{call.name}: guard")

    @host.around
    async def around(call: ToolCall, proceed: Callable[[], Awaitable[Outcome]]) -> Outcome:
        await journey.wait(f"{call.name}: wrapper in")
        outcome = await proceed()
        await journey.wait(f"{call.name}: wrapper out")
        return outcome

    @host.post_execute
    async def review(call: ToolCall, outcome: Outcome) -> None:
        await journey.wait(f"{call.name}: review")

    @host.observe
    def observe(call: ToolCall, outcome: Outcome) -> None:
        journey.trace.append(f"{call.name}: published")
        journey.published.append((call.name, None if outcome.ok else outcome.code))

    Binder(host).register(trip, waits, has_a_budget, sits_in_a_thread)
    return host


def done_before(place: str) -> list[str]:
    """The steps that were over before *place*."""
    return [step for step in STEPS if PLACES.index(place) > PLACES.index(f"{step}: {AFTER[-1]}")]


def left_over() -> tuple[int, int]:
    """Living tasks and busy threads."""
    try:
        tasks = len(asyncio.all_tasks())
    except RuntimeError:
        tasks = trio.lowlevel.current_statistics().tasks_living
    return tasks, anyio.to_thread.current_default_thread_limiter().borrowed_tokens


@pytest.mark.parametrize("anyio_backend", ["asyncio", "trio"])
async def test_without_giving_up_every_place_is_reached_once(anyio_backend: str) -> None:
    journey = Journey()
    host = host_of(journey)
    with host.scope("agent") as agent:
        outcome = await host.invoke(Call(OPERATION, scope=agent, signal=Signal()))
    assert outcome.ok
    assert [place for place in journey.trace if place in PLACES] == PLACES
    assert journey.published == [*((step, None) for step in STEPS), (OPERATION, None)]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("anyio_backend", ["asyncio", "trio"])
async def test_by_signal_it_is_a_result_and_nothing_more_is_dispatched(anyio_backend: str, place: str) -> None:
    signal = Signal()
    journey = Journey(place, signal.set)
    host = host_of(journey)
    before = left_over()
    with host.scope("agent") as agent:
        outcome = await host.invoke(Call(OPERATION, scope=agent, signal=signal))

    where, _, stage = place.partition(": ")
    code = "ABORTED_BEFORE_DISPATCH" if stage in BEFORE else "ABORTED"
    done = done_before(place)
    assert not outcome.ok
    steps = [{"tool": step, "ok": True} for step in done]
    published: list[tuple[str, str | None]] = [(step, None) for step in done]
    if where == OPERATION:
        assert outcome.code == code
        published.append((OPERATION, code))
    else:
        # The step ends first, then the operation, whose own success is overridden; what it had done is kept.
        assert outcome.code == "ABORTED"
        steps.append({"tool": where, "ok": False})
        published += [(where, code), (OPERATION, "ABORTED")]
    assert journey.published == published
    reported = (outcome.details or {}).get("steps", [])
    assert [{"tool": step["tool"], "ok": step["ok"]} for step in reported] == steps
    started = [each for each in journey.after_giving_up() if each.endswith((": wrapper in", ": body"))]
    assert started == []
    assert {each.partition(": ")[0] for each in journey.after_giving_up()} <= {where, OPERATION, "the thread has ended"}
    assert left_over() == before


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("anyio_backend", "way"), [("asyncio", "scope"), ("asyncio", "task"), ("trio", "scope")])
async def test_by_task_it_is_raised_after_nothing_but_publication(anyio_backend: str, way: Way, place: str) -> None:
    journey = Journey(place)
    host = host_of(journey)
    before = left_over()
    with host.scope("agent") as agent:
        await cancelled(journey, host.invoke(Call(OPERATION, scope=agent)), way)

    where, _, _ = place.partition(": ")
    running = [OPERATION] if where == OPERATION else [where, OPERATION]
    assert journey.published == [
        *((step, None) for step in done_before(place)),
        *((each, "ABORTED") for each in running),
    ]
    in_thread = ["the thread has ended"] if place == "sits_in_a_thread: body" else []
    assert journey.after_giving_up() == [*in_thread, *(f"{each}: published" for each in running)]
    assert left_over() == before


@pytest.mark.parametrize(
    ("anyio_backend", "way"),
    [("asyncio", "signal"), ("asyncio", "scope"), ("asyncio", "task"), ("trio", "signal"), ("trio", "scope")],
)
async def test_a_signal_outlives_its_calls_and_keeps_nothing_of_them(anyio_backend: str, way: Way) -> None:
    signals = []
    for place in PLACES:
        signal = Signal()
        signals.append(signal)
        journey = Journey(place, signal.set)
        host = host_of(journey)
        with host.scope("agent") as agent:
            call = Call(OPERATION, scope=agent, signal=signal)
            await (host.invoke(call) if way == "signal" else cancelled(journey, host.invoke(call), way))
    await anyio.lowlevel.checkpoint()  # until then the event loop itself keeps the cancellation, and all its frames
    gc.collect()
    assert not any(signal._listeners for signal in signals)


async def cancelled(journey: Journey, invoke: Coroutine[Any, Any, object], way: Way) -> None:
    """Run the call, and see to it that its task is cancelled where the journey gives up."""
    if way == "task":
        task = asyncio.ensure_future(invoke)
        journey.give_up = task.cancel
        await asyncio.wait([task])
        assert task.cancelled()
        return
    with anyio.CancelScope() as scope:
        journey.give_up = scope.cancel
        await invoke
    assert scope.cancelled_caught
