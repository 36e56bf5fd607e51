"""Several calls at once: neighbours that are parallel overlap, an exclusive call is a barrier."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from capdeco.errors import HostError
from capdeco.host.protocol import Call, Context
from capdeco.host.registry import EmbeddedHost
from capdeco.host.signal import Signal
from tests.unit.hosting import declare, tool

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


class Room:
    """A host whose tools say who was inside at the same time."""

    def __init__(self) -> None:
        self.inside: set[str] = set()
        self.met: dict[str, set[str]] = {}
        self.most = 0
        self.host = EmbeddedHost()
        self.host.register(tool("par", self.body, concurrency=True), tool("ex", self.body))

    async def body(self, arguments: dict[str, Any], context: Context) -> Any:
        me = arguments["me"]
        self.inside.add(me)
        self.most = max(self.most, len(self.inside))
        await anyio.sleep(0.002)
        for each in self.inside:
            self.met.setdefault(me, set()).add(each)
            self.met.setdefault(each, set()).add(me)
        self.inside.remove(me)
        return me


def calls(*names: str) -> list[Call]:
    return [Call(name=name, arguments={"me": f"{name}{index}"}) for index, name in enumerate(names)]


async def test_results_come_in_the_order_of_the_calls_and_an_exclusive_call_meets_nobody() -> None:
    room = Room()
    given = calls("par", "par", "ex", "par", "ex", "ex", "par", "par")
    outcomes = await room.host.invoke_all(given)
    assert [outcome.value for outcome in outcomes if outcome.ok] == [each.arguments["me"] for each in given]
    assert room.met["par0"] == {"par0", "par1"}
    assert room.met["par3"] == {"par3"}
    assert all(room.met[me] == {me} for me in ("ex2", "ex4", "ex5"))


async def test_no_more_than_the_limit_overlap() -> None:
    room = Room()
    await room.host.invoke_all(calls(*["par"] * 12), limit=3)
    assert room.most == 3


async def test_a_failure_stops_nobody() -> None:
    room = Room()
    outcomes = await room.host.invoke_all([Call(name="ghost"), *calls("par", "par")])
    assert [outcome.ok for outcome in outcomes] == [False, True, True]


class Stop(BaseException):
    """What no host turns into a failure."""


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("concurrency", [True, None], ids=["overlapping", "one by one"])
async def test_what_is_no_exception_comes_out_as_itself_and_ends_what_runs(concurrency: bool | None) -> None:
    host = EmbeddedHost()
    started = []

    async def body(arguments: dict[str, Any], context: Context) -> Any:
        started.append(arguments["n"])
        await anyio.sleep(0.002)
        if arguments["n"] == 1:
            raise Stop
        await anyio.sleep(30)

    async def answers(arguments: dict[str, Any], context: Context) -> Any:
        return "done"

    host.register(tool("a", body, concurrency=concurrency), tool("b", answers, concurrency=concurrency))
    calls = [Call("b"), *(Call("a", {"n": n}) for n in (1, 2, 3, 4))]
    with anyio.fail_after(10), pytest.raises(Stop):
        await host.invoke_all(calls, limit=3)
    assert 4 not in started


async def test_cancelling_ends_what_runs_and_starts_nothing_more() -> None:
    started: list[int] = []
    running = anyio.Event()

    async def body(arguments: dict[str, Any], context: Context) -> Any:
        started.append(arguments["n"])
        running.set()
        await anyio.sleep_forever()

    host = EmbeddedHost()
    host.register(tool("a", body, concurrency=True))
    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            group.start_soon(host.invoke_all, [Call(name="a", arguments={"n": n}) for n in range(6)])
            await running.wait()
            await anyio.sleep(0.01)
            group.cancel_scope.cancel()
    assert len(started) == 6
    started.clear()
    signal = Signal()
    signal.set()
    outcomes = await host.invoke_all([Call(name="a", arguments={"n": n}, signal=signal) for n in range(3)])
    assert started == []
    assert {outcome.code for outcome in outcomes if not outcome.ok} == {"ABORTED_BEFORE_DISPATCH"}


async def test_an_operation_is_parallel_only_if_it_says_so() -> None:
    room = Room()
    declare(room.host, "par")
    assert room.host.concurrency(Call(name="run_all", arguments={"me": "x"})) == "exclusive"


@pytest.mark.parametrize(
    ("declared", "arguments", "expected"),
    [
        (True, {}, "parallel"),
        (False, {}, "exclusive"),
        (None, {}, "exclusive"),
        (lambda arguments: True, {}, "parallel"),
        (lambda arguments: 1, {}, "exclusive"),
        (lambda arguments: "yes", {}, "exclusive"),
        (lambda arguments: 1 / 0, {}, "exclusive"),
        (lambda arguments: arguments["dry"], {"dry": True}, "parallel"),
        (True, {"dry": "no boolean"}, "exclusive"),
        (True, {"dry": float("nan")}, "exclusive"),
    ],
)
def test_a_class_is_parallel_only_on_exactly_true(declared: Any, arguments: Any, expected: str) -> None:
    host = EmbeddedHost()
    schema = {"type": "object", "properties": {"dry": {"type": "boolean"}}}
    host.register(tool("a", concurrency=declared, input_schema=schema))
    assert host.concurrency(Call(name="a", arguments=arguments)) == expected


async def test_an_empty_list_and_nonsense() -> None:
    host = EmbeddedHost()
    assert await host.invoke_all([]) == []
    with pytest.raises(HostError):
        await host.invoke_all([Call(name="a")], limit=0)
    with pytest.raises(HostError):
        await host.invoke_all(["a"])  # type: ignore[list-item]
