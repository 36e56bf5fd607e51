"""Operations that name operations, registered together: in any order, of any depth, at a cost in proportion."""

from __future__ import annotations

import gc
from time import process_time
from typing import Any

import pytest

from capdeco import Binder, Call, EmbeddedHost, Tool, tool
from capdeco.errors import CapdecoError, WiringError


@tool(expose=False, annotations={"read_only": True})
async def base(path: str) -> str:
    """Read it."""
    return path


def runs(name: str, *steps: str) -> dict[str, Any]:
    """Declare the operation `name_go` over *steps*."""
    parameters = {"path": {"type": "string", "required": True}}
    go = {"name": "go", "description": "Go.", "parameters": parameters, "steps": [{"tool": step} for step in steps]}
    return {"id": name, "description": "Runs.", "operations": [go]}


def chain(length: int) -> list[dict[str, Any]]:
    """Declare operations that each run the one before it twice."""
    inner = ["base", *(f"c{number}_go" for number in range(length - 1))]
    return [runs(f"c{number}", name, name) for number, name in enumerate(inner)]


def seconds(length: int) -> float:
    declared = chain(length)
    binder = Binder(EmbeddedHost())
    gc.collect()
    start = process_time()
    binder.register(base, *declared)
    return process_time() - start


def test_nested_operations_cost_in_proportion() -> None:
    seconds(50)
    few, many = (min(seconds(length) for _ in range(3)) for length in (50, 500))
    assert many <= 3 * 10 * few


def test_operations_nested_a_thousand_deep_are_registered_whatever_their_order() -> None:
    host = EmbeddedHost()
    with Binder(host) as binder:
        binder.register(*reversed(chain(1_000)), base)
        assert len(host.catalog()) == 1_000


def test_a_circle_of_a_thousand_is_refused() -> None:
    circle = [runs(f"c{number}", f"c{(number + 1) % 1_000}_go") for number in range(1_000)]
    with pytest.raises(WiringError, match="would run for ever"):
        Binder(EmbeddedHost()).register(*circle)


def test_a_circle_is_told_in_the_order_in_which_its_operations_run_each_other() -> None:
    declared = [runs("outside", "a_go"), runs("a", "b_go"), runs("b", "c_go"), runs("c", "base", "a_go")]
    with pytest.raises(WiringError) as caught:
        Binder(EmbeddedHost()).register(base, *declared)
    (found,) = caught.value.diagnostics
    told = found.what.removeprefix("operations that run each other would run for ever: ").split(" → ")
    assert told[0] == told[-1]
    assert sorted(told[1:]) == ["a_go", "b_go", "c_go"]
    follows = {"a_go": "b_go", "b_go": "c_go", "c_go": "a_go"}
    assert [follows[name] for name in told[:-1]] == told[1:]


async def test_an_outer_operation_is_as_harmless_as_the_inner_ones_wherever_they_stand() -> None:
    host = EmbeddedHost()
    Binder(host).register(runs("outer", "middle_go"), runs("middle", "inner_go"), base, runs("inner", "base"))
    assert [spec.annotations.read_only for spec in host.catalog().values()] == [True, True, True]
    assert (await host.invoke(Call("outer_go", {"path": "x"}))).ok


def test_two_operations_that_become_one_tool_are_refused() -> None:
    one = runs("a", "base")
    one["operations"][0]["name"] = "b_go"
    host = EmbeddedHost()
    with pytest.raises(CapdecoError, match='"a_b_go"'):
        Binder(host).register(base, one, runs("a_b", "base"))
    assert host.lookup("base") is None


def test_an_operation_and_a_tool_of_one_name_are_refused() -> None:
    host = EmbeddedHost()
    with pytest.raises(CapdecoError, match='"a_go"'):
        Binder(host).register(base, Tool.of(base_of_that_name, name="a_go"), runs("a", "base"))
    assert host.lookup("base") is None


async def base_of_that_name(path: str) -> str:
    """Read it."""
    return path
