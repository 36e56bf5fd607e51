"""The mypy plugin and the binder give the same verdict on every case of the shared table."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.shared.wiring_cases import CASES, Case
from tests.typing.harness import Message
from tests.typing.test_words_agree import at_run_time

each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@each_case
def test_mypy_says_what_is_wrong(case: Case, messages: Mapping[str, list[Message]]) -> None:
    found = [each for each in messages[f"shared/{case.name}.py"] if each.code != "capdeco-unchecked"]
    assert {each.code for each in found} == case.codes, found


@each_case
def test_the_binder_says_the_same(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    assert {each.code for each in at_run_time(case, monkeypatch)} == case.codes


def test_the_table_is_large_enough_and_names_each_case_once() -> None:
    assert len(CASES) >= 60
    assert len({case.name for case in CASES}) == len(CASES)
    assert {code for case in CASES for code in case.codes} == {
        f"capdeco-{code}" for code in ("declaration", "tool", "from", "missing", "type", "unused")
    }
