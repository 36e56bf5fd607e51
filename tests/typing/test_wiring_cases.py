"""The mypy plugin, the binder and the analyzer say the same of every case of the shared table, in the same words."""

from __future__ import annotations

import linecache
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType

import pytest

from capdeco import Binder, CapdecoError, EmbeddedHost
from capdeco.check.analyze.analysis import analyze_folder
from capdeco.codes import UNCHECKED
from capdeco.errors import Diagnostic
from capdeco.loading import declared_in
from tests.shared.wiring_cases import CASES, Case
from tests.typing.harness import Message

each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@each_case
def test_mypy_says_what_is_wrong(case: Case, messages: Mapping[str, list[Message]]) -> None:
    found = [each for each in messages[f"shared/{case.name}.py"] if each.code != "capdeco-unchecked"]
    assert {each.code for each in found} == case.codes, found


@each_case
def test_the_binder_says_the_same(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    assert {each.code for each in _bound(case, monkeypatch)} == case.codes


NOT_TOLD = {
    "tool_with_a_callable": "only who imports the module knows that the default is no JSON either",
}
"""Cases in which a reader says less than the binder, and why."""


@pytest.mark.parametrize("case", [case for case in CASES if case.codes], ids=lambda case: case.name)
def test_every_reader_says_it_in_the_same_words(
    case: Case, messages: Mapping[str, list[Message]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = [each for each in messages[f"shared/{case.name}.py"] if each.code != "capdeco-unchecked"]
    by_mypy = {_without_subject(each.text.removesuffix(f"  [{each.code}]")) for each in found}
    (tmp_path / "case.py").write_text(case.source, "utf-8")
    analyzed = [each for each in analyze_folder(tmp_path).diagnostics if each.code != UNCHECKED]
    bound = _bound(case, monkeypatch)
    by_analyzer, by_binder = _words(analyzed), _words(bound)
    if case.name in NOT_TOLD:
        assert by_mypy == by_analyzer < by_binder
    else:
        assert by_mypy == by_binder
        assert by_analyzer == by_binder
        assert {each.rule for each in analyzed} == {each.rule for each in bound}


def _words(found: Iterable[Diagnostic]) -> set[str]:
    return {_without_subject("; ".join(filter(None, [each.what, each.fix]))) for each in found}


def _without_subject(text: str) -> str:
    """Leave out which parameter it is, and which part of its type: an exception says that beside the text."""
    return re.sub(r'^(the (parameter "[^"]*"|result) of "[^"]*"|[\w.]+): ', "", text)


def _bound(case: Case, monkeypatch: pytest.MonkeyPatch) -> tuple[Diagnostic, ...]:
    module, file = ModuleType(case.name), f"<{case.name}>"
    monkeypatch.setitem(sys.modules, case.name, module)
    lines = case.source.splitlines(keepends=True)
    monkeypatch.setitem(linecache.cache, file, (len(case.source), None, lines, file))
    try:
        exec(compile(case.source, file, "exec"), vars(module))
        tools, capabilities = declared_in([module], case.name)
        Binder(EmbeddedHost()).register(*tools, *capabilities)
    except CapdecoError as error:
        return error.diagnostics
    return ()


def test_the_table_is_large_enough_and_names_each_case_once() -> None:
    assert len(CASES) >= 60
    assert len({case.name for case in CASES}) == len(CASES)
    assert {code for case in CASES for code in case.codes} == {
        f"capdeco-{code}" for code in ("declaration", "tool", "from", "missing", "type", "unused")
    }
