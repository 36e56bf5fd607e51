"""Where two readers find the same fault, they say the same of it: the rule, what is wrong, and what to do."""

from __future__ import annotations

import linecache
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest

from capdeco import Binder, CapdecoError, EmbeddedHost
from capdeco.bind.loading import declared_in
from capdeco.check.analyze.analysis import analyze_folder
from capdeco.codes import UNCHECKED
from capdeco.errors import Diagnostic
from tests.shared.declaration_cases import FAULTS
from tests.shared.wiring_cases import CASES, Case
from tests.typing.harness import Message, as_mypy

NAMELESS: Final = ("lost_decorator", "remade_class")
"""At run time a decorator that stands above ours has no name: what is said is the same but for that."""
TYPE_ERRORS: Final = ("steps_that_are_text", "a_step_that_is_text", "nullable_default")
"""To mypy itself these are errors of types: its plugin has nothing to add."""
ONLY_RUN: Final = ("tool_with_a_callable",)
"""Only a run tells what value a name of Python's own is: here a default without JSON form."""


def at_run_time(case: Case, monkeypatch: pytest.MonkeyPatch) -> tuple[Diagnostic, ...]:
    module, file = ModuleType(case.name), f"<{case.name}>"
    monkeypatch.setitem(sys.modules, case.name, module)
    lines = case.source.splitlines(keepends=True)
    monkeypatch.setitem(linecache.cache, file, (len(case.source), None, lines, file))
    try:
        exec(compile(case.source, file, "exec", dont_inherit=True), vars(module))
        tools, capabilities = declared_in([module], case.name)
        Binder(EmbeddedHost()).register(*tools, *capabilities)
    except CapdecoError as error:
        return error.diagnostics
    return ()


def by_analyzer(case: Case, folder: Path) -> tuple[Diagnostic, ...]:
    (folder / "case.py").write_text(case.source, "utf-8")
    return tuple(each for each in analyze_folder(folder).diagnostics if each.code != UNCHECKED)


WRONG = [case for case in (*CASES, *FAULTS) if case.codes]


@pytest.mark.parametrize("case", WRONG, ids=lambda case: case.name)
def test_all_readers_say_the_same(
    case: Case, messages: Mapping[str, list[Message]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found, analyzed = at_run_time(case, monkeypatch), by_analyzer(case, tmp_path)
    assert {each.code for each in found} == case.codes
    if case.name in NAMELESS:
        shown = {re.sub(r"(above )?@(wrap|attrs.define)", _nameless, each) for each in map(as_mypy, analyzed)}
        assert shown == {as_mypy(each) for each in found}
        found = analyzed
    elif case.name in ONLY_RUN:
        found = tuple(each for each in found if each.rule != "default")
    assert {(each.rule, as_mypy(each)) for each in analyzed} == {(each.rule, as_mypy(each)) for each in found}
    said = {each.text for each in messages[f"shared/{case.name}.py"] if each.code in case.codes}
    assert said == ({as_mypy(each) for each in found} if case.name not in TYPE_ERRORS else set())


def _nameless(match: re.Match[str]) -> str:
    return "above that decorator" if match[1] else "a decorator"
