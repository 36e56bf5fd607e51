"""What an operation of two steps costs, beside other frameworks and beside doing it by hand: `make bench` runs this.

The other questions are asked after it, one module each; everything is written to `build/bench/dispatch.json`.
"""

from __future__ import annotations

import asyncio
import json
import platform
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from tests.benchmarks import flatness, leak, load, payload, registering, stages
from tests.benchmarks.composite import VALUES, bare, bound, call_of
from tests.benchmarks.peers import PEERS
from tests.benchmarks.timing import Run, medians

RESULT = Path("build/bench/dispatch.json")
HOOKS = (0, 1, 3)
TARGETS = {0: 1 / 6, 1: 1 / 5}
"""Hooks of each kind -> largest share of what the fastest other framework needs."""


async def dispatch() -> dict[str, Any]:
    """Measure all contenders in one run."""
    async with AsyncExitStack() as open_peers:
        contenders: dict[str, Run] = {"bare awaits": bare}
        for hooks in HOOKS:
            host = bound(hooks)
            report = (await call_of(host)()).value  # type: ignore[union-attr]  # a failure ends the benchmark
            assert [step["value"] for step in report["steps"]] == VALUES
            contenders[f"capdeco, {hooks} hooks of each kind"] = call_of(host)
        for hooks in (0, 1):
            for name, peer in PEERS.items():
                call = await open_peers.enter_async_context(peer(hooks))
                assert await call() == VALUES, name
                contenders[f"{name}, {hooks} policies"] = call
        seconds = await medians(contenders)
    fastest = {hooks: min(seconds[f"{name}, {hooks} policies"] for name in PEERS) for hooks in (0, 1)}
    ratios = {hooks: seconds[f"capdeco, {hooks} hooks of each kind"] / fastest[hooks] for hooks in TARGETS}
    return {
        "microseconds": {name: round(each * 1e6, 2) for name, each in seconds.items()},
        "of the fastest peer": {f"{hooks} hooks": round(ratio, 3) for hooks, ratio in ratios.items()},
        "targets": {f"{hooks} hooks": round(target, 3) for hooks, target in TARGETS.items()},
        "met": {f"{hooks} hooks": ratios[hooks] <= target for hooks, target in TARGETS.items()},
    }


async def everything() -> dict[str, Any]:
    """Ask every question, and print each answer as it comes."""
    answers: dict[str, Any] = {"python": platform.python_version(), "machine": platform.platform()}
    for name, ask in {
        "dispatch": dispatch,
        "stages": stages.measure,
        "flatness": flatness.measure,
        "registering": registering.measure,
        "payload": payload.measure,
        "leak": leak.measure,
        "load": load.measure,
    }.items():
        answers[name] = await ask()
        print(f"\n{name}\n{json.dumps(answers[name], indent=2)}", flush=True)  # noqa: T201 - it is what one runs it for
    return answers


def main() -> None:
    """Run the benchmark and write its result."""
    answers = asyncio.run(everything())
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps(answers, indent=2) + "\n", encoding="utf-8")
    print(f"\nwritten to {RESULT}")  # noqa: T201


if __name__ == "__main__":
    main()
