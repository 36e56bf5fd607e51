"""The analyzer gives the same verdicts as the other readers, on the table that all of them are held to."""

from __future__ import annotations

from pathlib import Path

import pytest

from capdeco.check.analyze.analysis import analyze_folder
from capdeco.codes import UNCHECKED
from tests.shared.wiring_cases import CASES, Case


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_verdict_is_the_table_s(case: Case, tmp_path: Path) -> None:
    (tmp_path / "case.py").write_text(case.source, "utf-8")
    found = analyze_folder(tmp_path)
    assert {each.code for each in found.diagnostics if each.code != UNCHECKED} == case.codes


def test_nothing_on_the_table_is_left_unchecked(tmp_path: Path) -> None:
    unchecked = []
    for case in CASES:
        file = tmp_path / f"{case.name}.py"
        file.write_text(case.source, "utf-8")
        unchecked += [str(each) for each in analyze_folder(file).diagnostics if each.code == UNCHECKED]
    assert unchecked == []
