"""Many calls at once, some cancelled, some too late, in scopes that come and go: each is answered once, and no more."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from itertools import pairwise
from time import perf_counter
from typing import Any

import anyio
import attrs

from capdeco import Call, Context, EmbeddedHost
from capdeco.host.policy import ToolCall
from capdeco.host.protocol import ToolSpec
from capdeco.host.signal import Signal
from capdeco.result import Failure, Success
from tests.benchmarks.leak import allocated

CALLS = 10_000
SCOPES = 200

ENDS: dict[str, str | None] = {
    "slow": None,
    "late": "TOOL_TIMEOUT",
    "given_up": "ABORTED",
    "cancelled": "ABORTED",
    "own": None,
    "gone": "UNKNOWN_TOOL",
}
"""What is called -> how it is published."""


async def measure() -> dict[str, Any]:
    """Let it storm a few times, and say how long it took and what is still allocated."""
    host = EmbeddedHost()
    start = perf_counter()
    (await storm(host, CALLS, SCOPES)).check()
    seconds = perf_counter() - start
    tracemalloc.start()
    sizes = []
    for _ in range(4):
        (await storm(host, CALLS, SCOPES)).check()
        await anyio.sleep(0.1)  # the event loop keeps what was cancelled until its time would have come
        sizes.append(allocated())
    tracemalloc.stop()
    left = [after - before for before, after in pairwise(sizes)]
    return {"calls": CALLS, "scopes": SCOPES, "seconds": round(seconds, 2), "bytes left by one more storm": left}


@attrs.define
class Answers:
    """What came of the calls: what was returned or raised to whom, and what was published, by call id."""

    expected: dict[str, str | None] = attrs.field(factory=dict)
    returned: list[tuple[str, str | None]] = attrs.field(factory=list)
    published: list[tuple[str, str | None]] = attrs.field(factory=list)

    def check(self) -> None:
        """Every call ended once, for its caller and for the observers, and as it should."""
        assert Counter(self.returned) == Counter(self.expected.items())
        assert Counter(self.published) == Counter(self.expected.items())


async def storm(host: EmbeddedHost, calls: int, scopes: int) -> Answers:
    """Invoke all at once; end the scopes while their calls run; then give up half of what waits."""
    answers = Answers()
    signal = Signal()
    scope_of = [host.scope(f"agent {number}") for number in range(scopes)]
    release = anyio.Event()

    def observe(call: ToolCall, outcome: Success | Failure) -> None:
        answers.published.append((call.call_id, code_of(outcome)))

    async def invoke(name: str, call_id: str, scope: Any) -> None:
        answers.expected[call_id] = ENDS[name]
        outcome = await host.invoke(Call(name, scope=scope, signal=signal, call_id=call_id))
        answers.returned.append((call_id, code_of(outcome)))

    async def cancelled(call_id: str) -> None:
        answers.expected[call_id] = ENDS["cancelled"]
        with anyio.CancelScope() as doomed:
            dooms.append(doomed)
            await host.invoke(Call("cancelled", signal=signal, call_id=call_id))
        if doomed.cancelled_caught:
            answers.returned.append((call_id, "ABORTED"))

    dooms: list[anyio.CancelScope] = []
    tools = host.register(
        tool("slow", release.wait),
        tool("late", anyio.sleep_forever, timeout=0.001),
        tool("given_up", signal.wait),
        tool("cancelled", anyio.sleep_forever),
    )
    with tools, host.observe(observe):
        for scope in scope_of:
            host.register(tool("own", release.wait), scope=scope)
        async with anyio.create_task_group() as group:
            for number in range(calls):
                name = list(ENDS)[number % len(ENDS)]
                call_id = f"{name} {number}"
                scope = scope_of[number % scopes]
                if name == "cancelled":
                    group.start_soon(cancelled, call_id)
                elif name != "gone":
                    group.start_soon(invoke, name, call_id, scope)
            await anyio.wait_all_tasks_blocked()
            for scope in scope_of:
                scope.close()
            for number in range(calls // len(ENDS)):
                group.start_soon(invoke, "gone", f"gone {number}", scope_of[number % scopes])
            release.set()
            await anyio.wait_all_tasks_blocked()
            for doomed in dooms:
                doomed.cancel()
            signal.set()
    return answers


def tool(name: str, wait: Any, timeout: float | None = None) -> ToolSpec:
    """Make a tool that waits."""

    async def body(arguments: dict[str, Any], context: Context) -> str:
        await wait()
        return name

    return ToolSpec(name=name, description=name, input_schema={"type": "object"}, body=body, timeout=timeout)


def code_of(outcome: Success | Failure) -> str | None:
    """None for a success."""
    return None if outcome.ok else outcome.code
