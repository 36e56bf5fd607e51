from __future__ import annotations

import json
from pathlib import Path

import pytest

from capdeco import Binder, EmbeddedHost, ToolError
from examples.maker.plugin import (
    plugin_adopt,
    plugin_check,
    plugin_checklist,
    plugin_impact,
    plugin_scaffold,
    plugin_vet,
)
from examples.trajectory.make_sample import main as make_sample
from examples.trajectory.plugin import audit_find, audit_sessions, audit_trace, audit_window
from tests.lab.conftest import without_times

FAULTY = "examples/maker/faulty"
SAMPLE = "examples/trajectory/sample.jsonl"


def test_the_checklist_is_what_a_check_goes_through() -> None:
    assert [rule.id for rule in plugin_checklist()] == [verdict.rule for verdict in plugin_check(FAULTY).rules]


def test_a_check_says_which_rules_are_broken_and_vetting_where() -> None:
    broken = {verdict.rule: verdict.faults for verdict in plugin_check(FAULTY).rules if not verdict.holds}
    assert broken == {"described": 1, "narrow": 1, "wired": 2}
    assert {(each.rule, each.where) for each in plugin_vet(FAULTY)} == {
        ("described", "plugin.py:19"),
        ("narrow", "plugin.py:13"),
        ("wired", "plugin.py:26"),
        ("wired", "plugin.py:29"),
    }
    assert [each.rule for each in plugin_vet(FAULTY, rule="narrow")] == ["narrow"]


def test_the_example_plugins_themselves_conform() -> None:
    assert plugin_check("examples/pdf/plugin.py").conforms


def test_the_impact_counts_what_the_model_sees() -> None:
    impact = plugin_impact(FAULTY)
    assert (impact.tools, impact.exposed, impact.operations) == (3, 2, 2)
    assert impact.bytes > 0
    assert [group.prefix for group in impact.groups] == ["note"]


def test_a_scaffold_conforms_binds_and_is_never_written_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = plugin_scaffold(str(tmp_path / "berths"), "berth")
    assert plugin_check(str(tmp_path / "berths")).conforms
    monkeypatch.syspath_prepend(tmp_path)
    host = EmbeddedHost()
    with Binder(host) as binder:
        binder.load("berths.plugin")
        assert list(host.catalog()) == ["berth_show"]
    text = Path(file).read_text()
    with pytest.raises(ToolError, match="left as it is"):
        plugin_scaffold(str(tmp_path / "berths"), "berth")
    assert Path(file).read_text() == text
    with pytest.raises(ToolError, match="capability id"):
        plugin_scaffold(str(tmp_path / "other"), "No Id")


def test_adopting_proposes_a_declaration_that_compiles() -> None:
    proposal = plugin_adopt(FAULTY)
    assert "TODO" in proposal
    compile(proposal, "proposal.py", "exec")


def test_what_cannot_be_read_is_said() -> None:
    with pytest.raises(ToolError, match="cannot be read"):
        plugin_check("examples/nowhere")
    with pytest.raises(ToolError, match="cannot be read"):
        audit_find("examples/nowhere.jsonl", "x")


def test_the_sample_is_what_this_host_writes_but_for_times(tmp_path: Path) -> None:
    make_sample(tmp_path / "sample.jsonl")
    written, kept = (Path(file).read_text(encoding="utf-8") for file in (tmp_path / "sample.jsonl", SAMPLE))
    assert list(map(without_times, written.splitlines())) == list(map(without_times, kept.splitlines()))


def test_sessions_count_calls_and_failures_by_scope() -> None:
    rows = {row.scope: (row.root_calls, row.dispatches, row.failures) for row in audit_sessions(SAMPLE)}
    assert rows == {"reader": (3, 8, 1), "clerk": (2, 4, 2)}


def test_finding_gives_lines_and_a_window_gives_them_word_for_word() -> None:
    lines = Path(SAMPLE).read_text(encoding="utf-8").splitlines()
    found = audit_find(SAMPLE, "PDF_ENCRYPTED")
    window = audit_window(SAMPLE, "PDF_ENCRYPTED", before=1, after=2)
    assert [match.line for match in found] == [window.matched_line]
    assert window.lines == lines[window.matched_line - 2 : window.matched_line + 2]
    assert len(audit_find(SAMPLE, "pdf_", limit=3)) == 3
    with pytest.raises(ToolError, match="no line holds"):
        audit_window(SAMPLE, "nothing of the kind")


def test_a_trace_shows_the_caller_before_its_steps() -> None:
    rows = [(row.depth, row.tool, row.outcome) for row in audit_trace(SAMPLE, "call-2")]
    assert rows == [(0, "pdf_analyze", "success"), (1, "pdf_extract", "success"), (1, "pdf_layout", "failure")]
    with pytest.raises(ToolError, match="no root call"):
        audit_trace(SAMPLE, "call-99")


def test_a_line_that_is_no_audit_is_refused_with_its_place(tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    file.write_text(json.dumps({"tool": "x"}) + "\n")
    with pytest.raises(ToolError, match=r"audit\.jsonl:1 is no line"):
        audit_sessions(str(file))
