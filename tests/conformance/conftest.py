"""`--corpus DIR`, one test for each scenario, and the summary at the end."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.conformance import corpus

VERDICT = pytest.StashKey[str]()
"""Of a test: how its scenario passed, `recorded` or the decisions, as in `D10+D12`."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--corpus", type=Path, default=None, metavar="DIR", help="replay the scenarios of another folder")


def corpus_folder(config: pytest.Config) -> Path:
    chosen: Path | None = config.getoption("--corpus", default=None)
    return corpus.DEFAULT if chosen is None else chosen


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "scenario" not in metafunc.fixturenames:
        return
    folder = corpus_folder(metafunc.config)
    if not folder.is_dir():
        missing = pytest.param(None, id="corpus", marks=pytest.mark.skip(reason=f"there is no corpus in {folder}"))
        metafunc.parametrize("scenario", [missing])
        return
    scenarios = corpus.load(folder)
    metafunc.parametrize("scenario", [pytest.param(each, id=name) for name, each in scenarios.items()])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):  # type: ignore[no-untyped-def]
    report = yield
    if call.when == "call" and "scenario" in getattr(item, "fixturenames", ()):
        report.user_properties.append(("conformance", item.stash.get(VERDICT, "")))
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    passed: Counter[str] = Counter()
    failed = 0
    for outcome in ("passed", "failed"):
        for report in terminalreporter.stats.get(outcome, []):
            verdict = dict(getattr(report, "user_properties", ())).get("conformance")
            if verdict is None:
                continue
            if outcome == "failed":
                failed += 1
            else:
                passed[verdict] += 1
    if not passed and not failed:
        return
    departed = {decision: count for decision, count in sorted(passed.items()) if decision != "recorded"}
    by_decision = ", ".join(f"{decision}: {count}" for decision, count in departed.items())
    terminalreporter.section("conformance")
    terminalreporter.line(f"passed as recorded: {passed['recorded']}")
    terminalreporter.line(
        f"passed as departed: {sum(departed.values())}" + (f" ({by_decision})" if by_decision else "")
    )
    terminalreporter.line(f"failed: {failed}")
