"""The mypy plugin and the binder give the same verdict on every case of the shared table."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Mapping
from types import ModuleType

import pytest

from capdeco import Binder, CapdecoError, EmbeddedHost
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
    assert _bind(case, monkeypatch) == case.codes


def _bind(case: Case, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    module, file = ModuleType(case.name), f"<{case.name}>"
    monkeypatch.setitem(sys.modules, case.name, module)
    lines = case.source.splitlines(keepends=True)
    monkeypatch.setitem(linecache.cache, file, (len(case.source), None, lines, file))
    try:
        exec(compile(case.source, file, "exec"), vars(module))
        tools, capabilities = declared_in([module], case.name)
        Binder(EmbeddedHost()).register(*tools, *capabilities)
    except CapdecoError as error:
        return {each.code for each in error.diagnostics}
    return set()


def test_the_table_is_large_enough_and_names_each_case_once() -> None:
    assert len(CASES) >= 60
    assert len({case.name for case in CASES}) == len(CASES)
    assert {code for case in CASES for code in case.codes} == {
        f"capdeco-{code}" for code in ("declaration", "tool", "from", "missing", "type", "unused")
    }
