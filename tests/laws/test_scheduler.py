"""`invoke_all`: neighbouring parallel calls overlap up to the limit, an exclusive one runs alone; results in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

import anyio
import anyio.lowlevel
import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capdeco import Binder, Call, Context, EmbeddedHost, Step, capability, operation, tool
from capdeco.host.protocol import ToolSpec
from capdeco.host.signal import Signal

SCHEMA = {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}
CLASSES: dict[str, Any] = {
    "parallel": True,
    "exclusive": None,
    "even": lambda arguments: arguments["number"] % 2 == 0,
    "truthy": lambda arguments: 1,
    "broken": lambda arguments: arguments["nothing"],
}


@attrs.define
class Floor:
    """Where bodies stay for a few turns, and who met whom there."""

    running: set[int] = attrs.field(factory=set)
    met: dict[int, set[int]] = attrs.field(factory=dict)
    on_start: dict[int, Callable[[], object]] = attrs.field(factory=dict)

    async def body(self, arguments: dict[str, Any], context: Context) -> int:
        number: int = arguments["number"]
        self.running.add(number)
        self.met[number] = set(self.running)
        self.on_start.get(number, int)()
        try:
            for _ in range(4):
                await anyio.lowlevel.checkpoint()
        finally:
            self.running.remove(number)
        return number

    def host(self) -> EmbeddedHost:
        host = EmbeddedHost()
        for name, concurrency in CLASSES.items():
            host.register(
                ToolSpec(name=name, description=name, input_schema=SCHEMA, body=self.body, concurrency=concurrency)
            )
        return host


def groups(names: Sequence[str]) -> list[list[int]]:
    """Say which calls may overlap: runs of parallel ones, and each exclusive one alone."""
    parallel = [name == "parallel" or (name == "even" and number % 2 == 0) for number, name in enumerate(names)]
    found: list[list[int]] = []
    for overlap, run in groupby(range(len(names)), key=lambda number: parallel[number]):
        numbers = list(run)
        found += [numbers] if overlap else [[number] for number in numbers]
    return found


def calls(names: Sequence[str], signal: Signal | None = None) -> list[Call]:
    return [Call(name, {"number": number}, signal=signal) for number, name in enumerate(names)]


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@given(names=st.lists(st.sampled_from([*CLASSES]), max_size=8), limit=st.integers(1, 4))
def test_calls_overlap_exactly_as_far_as_their_classes_and_the_limit_allow(
    backend: str, names: list[str], limit: int
) -> None:
    floor = Floor()
    host = floor.host()

    async def run() -> list[Any]:
        return [outcome.value for outcome in await host.invoke_all(calls(names), limit=limit) if outcome.ok]

    assert anyio.run(run, backend=backend) == list(range(len(names)))
    for group in groups(names):
        assert set().union(*(floor.met[number] for number in group)) == set(group)
        assert max(len(floor.met[number]) for number in group) == min(limit, len(group))


@pytest.mark.parametrize("anyio_backend", ["asyncio", "trio"])
async def test_by_signal_what_runs_is_aborted_and_nothing_more_starts(anyio_backend: str) -> None:
    signal = Signal()
    floor = Floor(on_start={3: signal.set})
    outcomes = await floor.host().invoke_all(calls(["parallel"] * 7 + ["exclusive"], signal), limit=2)
    codes = [None if outcome.ok else outcome.code for outcome in outcomes]
    assert codes == [None, None, *["ABORTED"] * 2, *["ABORTED_BEFORE_DISPATCH"] * 4]
    assert sorted(floor.met) == [0, 1, 2, 3]


@pytest.mark.parametrize("anyio_backend", ["asyncio", "trio"])
async def test_by_task_what_runs_is_ended_and_nothing_more_starts(anyio_backend: str) -> None:
    floor = Floor()
    with anyio.CancelScope() as scope:
        floor.on_start[3] = scope.cancel
        await floor.host().invoke_all(calls(["parallel"] * 7 + ["exclusive"]), limit=2)
    assert scope.cancelled_caught
    assert sorted(floor.met) == [0, 1, 2, 3]
    assert floor.running == set()


@tool(expose=False, concurrency=True)
async def harmless(number: int) -> int:
    """Read something."""
    return number


@capability(id="meek", description="An operation that does not say that it may overlap.")
@operation(name="go", steps=[Step(harmless)])
def meek(number: int) -> None:
    """Read something, in one step."""


def test_an_operation_is_exclusive_whatever_its_steps_are() -> None:
    host = EmbeddedHost()
    Binder(host).register(harmless, meek)
    assert host.concurrency(Call("meek_go", {"number": 1})) == "exclusive"
