"""The seed's checks of its rewrite: two plugins, left as they are, and one operation over each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from capdeco import Binder, Call, CapdecoError, EmbeddedHost
from examples.lab.rewrite.declarations import Maker, Trajectory
from examples.maker import plugin as maker
from examples.trajectory import plugin as trajectory

CASES: dict[str, tuple[str, type, dict[str, Any]]] = {
    "maker_check": ("examples.maker.plugin", Maker, {"path": "examples/maker/faulty"}),
    "trajectory_locate": (
        "examples.trajectory.plugin",
        Trajectory,
        {"path": "examples/trajectory/sample.jsonl", "query": "UNKNOWN_TOOL", "before": 1, "after": 1},
    ),
}
STEPS = {"maker_check": ["plugin_check", "plugin_vet"], "trajectory_locate": ["audit_find", "audit_window"]}
COUNTS = {"maker_check": 6, "trajectory_locate": 4}


@pytest.fixture(params=CASES)
def operation(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def host(operation: str) -> Iterator[EmbeddedHost]:
    host = EmbeddedHost()
    plugin, declared, _ = CASES[operation]
    with Binder(host) as binder:
        binder.load(plugin)
        binder.register(declared)
        yield host


async def called(host: EmbeddedHost, operation: str) -> tuple[Any, list[dict[str, Any]]]:
    lines: list[str] = []
    with host.audit(lines.append, arguments=True):
        outcome = await host.invoke(Call(operation, CASES[operation][2], call_id="one"))
    assert outcome.ok
    return outcome.value, [json.loads(line) for line in lines]


def test_the_operation_is_one_tool_more_and_the_primitives_stay(host: EmbeddedHost, operation: str) -> None:
    names = list(host.catalog())
    assert len(names) == COUNTS[operation] + 1
    assert names[-1] == operation


def test_the_description_names_the_steps_in_order(host: EmbeddedHost, operation: str) -> None:
    first, second = STEPS[operation]
    assert host.catalog()[operation].description.endswith(f"1. {first} → 2. {second}")


async def test_the_steps_run_in_the_declared_order_under_one_root_call(host: EmbeddedHost, operation: str) -> None:
    _, lines = await called(host, operation)
    assert [line["tool"] for line in lines] == [*STEPS[operation], operation]
    assert {line["root"] for line in lines} == {"one"}
    assert [line["nested"] for line in lines] == [True, True, False]


async def test_both_steps_get_the_input(host: EmbeddedHost, operation: str) -> None:
    _, lines = await called(host, operation)
    given = CASES[operation][2]
    for line in lines[:-1]:
        assert line["arguments"].items() <= given.items()
        assert line["arguments"]["path"] == given["path"]
    assert {name for line in lines[:-1] for name in line["arguments"]} == set(given)


async def test_the_report_gives_the_results_step_by_step(host: EmbeddedHost, operation: str) -> None:
    report, _ = await called(host, operation)
    assert report["ok"]
    assert [step["tool"] for step in report["steps"]] == STEPS[operation]
    arguments = CASES[operation][2]
    for step in report["steps"]:
        alone = await host.invoke(
            Call(
                step["tool"],
                {
                    name: value
                    for name, value in arguments.items()
                    if name in host.catalog()[step["tool"]].input_schema["properties"]
                },
            )
        )
        assert alone.ok
        assert step["value"] == alone.value


async def test_one_call_says_whether_a_plugin_conforms_and_how_to_mend_it() -> None:
    host = EmbeddedHost()
    with Binder(host) as binder:
        binder.load("examples.maker.plugin")
        binder.register(Maker)
        report, _ = await called(host, "maker_check")
    checked, vetted = (step["value"] for step in report["steps"])
    assert not checked["conforms"]
    assert {each["rule"] for each in vetted} == {each["rule"] for each in checked["rules"] if not each["holds"]}
    assert all(each["fix"] for each in vetted)


async def test_one_call_gives_the_matches_and_the_lines_around_the_first() -> None:
    host = EmbeddedHost()
    with Binder(host) as binder:
        binder.load("examples.trajectory.plugin")
        binder.register(Trajectory)
        report, _ = await called(host, "trajectory_locate")
    found, window = (step["value"] for step in report["steps"])
    assert [match["line"] for match in found] == [window["matched_line"]]
    assert "UNKNOWN_TOOL" in window["lines"][1]


@pytest.mark.parametrize("installed", CASES)
def test_with_one_plugin_missing_nothing_is_half_declared(installed: str) -> None:
    host = EmbeddedHost()
    with Binder(host) as binder:
        binder.load(CASES[installed][0])
        before = list(host.catalog())
        with pytest.raises(CapdecoError, match="capdeco-tool"):
            binder.register(Maker, Trajectory)
        assert list(host.catalog()) == before
        assert binder.list() == ()


def test_the_plugins_themselves_declare_no_capability() -> None:
    for module in (maker, trajectory):
        assert not [name for name, value in vars(module).items() if hasattr(value, "__capdeco_capability__")]
