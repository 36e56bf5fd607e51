from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner

from capdeco import Binder, EmbeddedHost, tool
from capdeco.bind.tooling import tool_spec
from capdeco.cli import main
from capdeco.declare.tools import tool_of
from capdeco.errors import CapdecoError
from capdeco.lab import experiment
from capdeco.lab.driver import Conversation, Request, Script, Scripted, Turn, call, together
from capdeco.lab.extra import needs_extra
from capdeco.lab.measure import TURN_LIMIT, Arm, Task, Trail, perform
from capdeco.lab.report import Report
from capdeco.lab.search import Index, search_tools


@tool
def tide_height(day: int) -> float:
    """Give the height of the tide on a day."""
    return 3.5 + day


@tool(expose=False)
def moon_phase(day: int) -> str:
    """Name the phase of the moon on a day."""
    return "full" if day == 14 else "other"


TASK = Task("tide", "How high?", lambda given: given == "8.5 and 9.5")


def arm() -> Arm:
    host = EmbeddedHost()
    Binder(host).register(tide_height, moon_phase)
    return Arm("plain", host, Trail())


def one_by_one() -> Script:
    first = yield from call("tide_height", day=5)
    second = yield from call("tide_height", day=6)
    return f"{first.value} and {second.value}"


def at_once() -> Script:
    replies = yield from together(Request("tide_height", {"day": 5}), Request("tide_height", {"day": 6}))
    return " and ".join(reply.text for reply in replies)


async def test_a_run_counts_turns_and_calls_in_the_audit() -> None:
    run = await perform(Scripted(), arm(), TASK, one_by_one)
    assert (run.turns, run.root_calls, run.nested_calls, run.right) == (3, 2, 0, True)
    run = await perform(Scripted(), arm(), TASK, at_once)
    assert (run.turns, run.root_calls, run.right) == (2, 2, True)


async def test_what_was_said_is_read_again_in_every_turn() -> None:
    slow = await perform(Scripted(), arm(), TASK, one_by_one)
    quick = await perform(Scripted(), arm(), TASK, at_once)
    assert slow.reply_bytes == quick.reply_bytes
    assert slow.read_bytes > quick.read_bytes


async def test_any_driver_plugs_in_and_knows_only_what_is_shown() -> None:
    seen: list[list[str]] = []

    class Stubborn:
        name = "stubborn"

        async def turn(self, conversation: Conversation) -> Turn:
            seen.append([str(each["name"]) for each in conversation.tools])
            return Turn((Request("moon_phase", {"day": 14}),))

    run = await perform(Stubborn(), arm(), TASK, one_by_one)
    assert seen == [["tide_height"]] * TURN_LIMIT
    assert run.turns == run.root_calls == TURN_LIMIT
    assert not run.right
    assert not any(reply.ok for reply in run.replies)


async def test_a_search_finds_by_words_and_calls_what_is_not_shown() -> None:
    host = EmbeddedHost()
    Binder(host).register(moon_phase)
    index = Index([tool_spec(tool_of(moon_phase)), tool_spec(tool_of(tide_height))])
    assert [hit.name for hit in index.search("phase of the moon")] == ["moon_phase"]
    assert index.search("the of a") == []
    assert index.search("zebra") == []
    Binder(host).register(*search_tools(Index([tool_spec(tool_of(moon_phase))])))
    searched = Arm("search", host, Trail())

    def plan() -> Script:
        wrong = yield from call("tool_call", name="moon_phases", arguments={})
        right = yield from call("tool_call", name="moon_phase", arguments={"day": 14})
        bad = yield from call("tool_call", name="moon_phase", arguments={})
        return f"{'did you mean' in wrong.text} {right.text} {bad.ok}"

    run = await perform(Scripted(), searched, TASK, plan)
    assert run.answer == "True full False"
    assert run.nested_calls == 2


def test_a_report_is_markdown_with_numbers_to_the_right() -> None:
    report = Report("Title")
    report.table(("name", "count"), [("a|b", 1234)])
    assert report.to_markdown() == "# Title\n\n| name | count |\n| --- | ---: |\n| a\\|b | 1,234 |\n"


def test_the_command_writes_report_audit_and_plots(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["lab", "run", "ab-narrow", "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert {file.name for file in (tmp_path / "ab_narrow").iterdir()} == {"REPORT.md", "audit.jsonl", "calls.svg"}


def test_an_unknown_experiment_is_refused_with_the_near_miss() -> None:
    done = CliRunner().invoke(main, ["lab", "run", "three-arm"])
    assert done.exit_code == 1
    assert "three_arms" in done.output


def test_the_experiments_are_listed() -> None:
    assert "multi_task" in CliRunner().invoke(main, ["lab", "list"]).output.split()


def test_outside_of_a_checkout_the_command_says_where_to_run_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experiment, "HOME", Path("nowhere") / "lab")
    done = CliRunner().invoke(main, ["lab", "run", "all"])
    assert done.exit_code == 1
    assert "in a checkout of capdeco" in done.output


def test_a_missing_library_names_the_command_that_installs_it() -> None:
    with pytest.raises(CapdecoError, match=r"capdeco\[lab\]"), needs_extra("no_such_library"):
        import_module("no_such_library")
