from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from capdeco.lab import experiment
from capdeco.lab.experiment import Result
from tests.lab.conftest import without_times

ROOT = Path(__file__).parents[2]
HOME = ROOT / "examples" / "lab"
NAMES = experiment.names(ROOT)

Ran = Callable[[str], Result]


def test_there_are_the_experiments_of_the_seed_and_two_more() -> None:
    assert {"three_arms", "rewrite", "ab_make", "ab_narrow", "scale", "multi_task"} < set(NAMES)
    assert {"exits", "listings"} < set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_committed_report_is_what_the_run_writes(name: str, ran: Ran) -> None:
    assert ran(name).report.to_markdown() == (HOME / name / "REPORT.md").read_text(encoding="utf-8"), (
        "capdeco lab run all --out examples/lab writes them anew; then read the difference"
    )


@pytest.mark.parametrize("name", NAMES)
def test_the_committed_audit_differs_from_the_run_in_times_only(name: str, ran: Ran) -> None:
    committed = (HOME / name / "audit.jsonl").read_text(encoding="utf-8").splitlines()
    assert list(map(without_times, ran(name).trail.lines)) == list(map(without_times, committed))


@pytest.mark.parametrize("name", NAMES)
def test_the_plots_of_a_report_are_committed_beside_it(name: str, ran: Ran) -> None:
    plots = ran(name).report.plots
    assert set(plots) == {file.name for file in (HOME / name).glob("*.svg")}
    assert set(plots) == set(re.findall(r"\]\((\S+\.svg)\)", ran(name).report.to_markdown()))
    for svg in plots.values():
        assert ElementTree.fromstring(svg).tag.endswith("svg")


@pytest.mark.parametrize("name", NAMES)
def test_a_report_says_what_it_does_not_show(name: str, ran: Ran) -> None:
    text = ran(name).report.to_markdown()
    assert "## Not shown" in text
    assert "## The seed's conclusions" in text
    assert str(ROOT) not in text


def test_the_whole_lab_takes_less_than_a_minute(ran: Ran) -> None:
    # In processor time, since a test machine may be busy; what ran before is not run again.
    began = time.process_time()
    for name in NAMES:
        ran(name)
    assert time.process_time() - began < 60
