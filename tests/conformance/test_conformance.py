"""Every scenario passes as it was recorded, or as the departures say: nothing is skipped, nothing differs silently."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anyio
import pytest

from tests.conformance.compare import Comparison
from tests.conformance.conftest import VERDICT
from tests.conformance.corpus import decode
from tests.conformance.departures import TABLE, d22_an_ended_scope_sees_nothing, expected_of
from tests.conformance.replay import Replay


def test_scenario(scenario: Mapping[str, Any], request: pytest.FixtureRequest) -> None:
    decisions = {backend: anyio.run(passes, scenario, backend=backend) for backend in ("asyncio", "trio")}
    assert decisions["asyncio"] == decisions["trio"]
    request.node.stash[VERDICT] = "+".join(sorted(decisions["asyncio"])) or "recorded"


async def passes(scenario: Mapping[str, Any]) -> set[str]:
    """Replay *scenario*, and give the decisions by which it ends differently from what was recorded."""
    departure = TABLE.get(scenario["id"])
    replay = Replay(scenario)
    replay.set_up()
    total = Comparison()
    as_recorded = Comparison()
    for index, action in enumerate(scenario["actions"]):
        observed = await replay.perform(action)
        recorded = decode(action["expect"])
        instead = departure.instead.get(index) if departure is not None else None
        where = f"action {index} ({action['do']})"
        if departure is not None:
            compare(as_recorded, replay, action, recorded, observed, where)
        compare(total, replay, action, recorded if instead is None else decode(instead), observed, where)
    assert not total.differences, "\n".join([scenario["why"], *total.differences])
    if departure is not None:
        assert as_recorded.differences, f"passes as recorded: {scenario['id']} is no departure any more"
        total.decisions.add(departure.decision)
    return total.decisions


def compare(
    comparison: Comparison,
    replay: Replay,
    action: Mapping[str, Any],
    expect: dict[str, Any],
    observed: dict[str, Any],
    where: str,
) -> None:
    """Compare one action's outcome, each kind by what its `expect` speaks about."""
    if action["do"] in ("view", "lookup", "mode"):
        seen = d22_an_ended_scope_sees_nothing(replay, action, expect)
        comparison.decisions |= {"D22"} if seen != expect else set()
        expect = seen
    match action["do"]:
        case "call":
            expect, decisions = expected_of(replay, action, expect)
            comparison.decisions |= decisions
            comparison.result(expect, observed, where)
            comparison.value(expect["trace"], observed["trace"], f"{where}.trace")
        case "calls_together":
            for number, (each, got) in enumerate(zip(expect["results"], observed["results"], strict=True)):
                comparison.result(each, got, f"{where}[{number}]")
        case "view":
            comparison.value(expect["names"], observed["names"], f"{where}.names")
            for name, described in expect.get("described", {}).items():
                compare_described(comparison, described, observed["described"].get(name), f"{where}.{name}")
        case "list" | "lookup" | "mode":
            comparison.value(expect, observed, where)
        case _:
            compare_outcome(comparison, expect, observed, where)


def compare_described(
    comparison: Comparison, expect: dict[str, Any], observed: dict[str, Any] | None, where: str
) -> None:
    if observed is None:
        comparison.differences.append(f"{where} is not visible")
        return
    comparison.value(expect["parameters"], observed["parameters"], f"{where}.parameters")
    if "description" in expect:
        comparison.value(expect["description"], observed["description"], f"{where}.description")
    position = 0
    for part in expect.get("parts", []):
        found = observed["description"].find(part, position)
        if found < 0:
            comparison.differences.append(f"{where}.description lacks {part!r}, or has it out of order")
        position = max(position, found)


def compare_outcome(comparison: Comparison, expect: dict[str, Any], observed: dict[str, Any], where: str) -> None:
    message = observed.get("message", "")
    for key in ("ok", "refused", "changes"):
        if key in expect and expect[key] != observed.get(key):
            comparison.differences.append(f"{where}.{key} is {observed.get(key)!r}, not {expect[key]!r}: {message}")
    names = [*expect.get("mentions", []), *([str(expect["step"])] if "step" in expect else [])]
    for name in names:
        if name not in message:
            comparison.differences.append(f"{where} does not mention {name!r}: {message}")
