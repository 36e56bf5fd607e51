"""Two plugins, left as they are, get one operation each: what becomes of their surface, and what one call gives."""

from __future__ import annotations

from typing import Any

from capdeco import Binder, CapdecoError, EmbeddedHost
from capdeco.lab.driver import Script, call
from capdeco.lab.experiment import Lab
from capdeco.lab.measure import Arm, Run, Surface, Task, perform
from capdeco.lab.report import MEASURES, Report
from examples.lab.rewrite.declarations import Maker, Trajectory

FAULTY = "examples/maker/faulty"
SAMPLE = "examples/trajectory/sample.jsonl"
MAKER = "examples.maker.plugin"
TRAJECTORY = "examples.trajectory.plugin"


async def run(lab: Lab) -> Report:
    maker, trajectory = Arm("maker", EmbeddedHost(), lab.trail), Arm("trajectory", EmbeddedHost(), lab.trail)
    before = {}
    for arm, plugin, declared in ((maker, MAKER, Maker), (trajectory, TRAJECTORY, Trajectory)):
        binder = Binder(arm.host)
        binder.load(plugin)
        before[arm.name] = arm.surface
        binder.register(declared)
    runs = {
        "maker_check": await perform(lab.driver, maker, _task(f"Does {FAULTY} conform, and if not?"), _check),
        "trajectory_locate": await perform(lab.driver, trajectory, _task(f"What failed in {SAMPLE}?"), _locate),
    }
    return _report(lab, before, {arm.name: arm.surface for arm in (maker, trajectory)}, runs, half_declared())


def half_declared() -> tuple[str, list[str]]:
    """Declare both where only the maker is installed: the refusal, and what is declared after it."""
    with Binder(EmbeddedHost()) as binder:
        binder.load(MAKER)
        try:
            binder.register(Maker, Trajectory)
        except CapdecoError as error:
            return f"{error.diagnostics[0].what} [{error.diagnostics[0].code}]", [row.id for row in binder.list()]
        return "", [row.id for row in binder.list()]


def _task(prompt: str) -> Task:
    return Task("one-call", prompt, bool)


def _check() -> Script:
    report = (yield from call("maker_check", path=FAULTY)).value
    checked, vetted = (step["value"] for step in report["steps"])
    broken = [each["rule"] for each in checked["rules"] if not each["holds"]]
    return f"conforms: {checked['conforms']}; broken: {', '.join(broken)}; {len(vetted)} places with a way to mend them"


def _locate() -> Script:
    report = (yield from call("trajectory_locate", path=SAMPLE, query='"failure"')).value
    found, window = (step["value"] for step in report["steps"])
    lines = f"lines {window['first_line']} to {window['first_line'] + len(window['lines']) - 1}"
    return f"{len(found)} failures, the first on line {window['matched_line']}; word for word: {lines}"


def _report(
    lab: Lab,
    before: dict[str, Surface],
    after: dict[str, Surface],
    runs: dict[str, Run],
    half: tuple[str, list[str]],
) -> Report:
    report = Report("Rewriting without touching")
    report.say(
        f"Run: `capdeco lab run rewrite`, driver {lab.driver.name}. Two plugins with real bodies, `examples/maker` (six"
        " tools on a plugin's folder) and `examples/trajectory` (four tools on the host's audit), are loaded as they"
        " are. `declarations.py`, beside this report, declares `maker_check` (check, then vet) and `trajectory_locate`"
        f" (find, then window) over them. One call of each, on `{FAULTY}` and `{SAMPLE}`."
    )
    report.say(MEASURES)
    report.section("Result")
    report.table(
        ("plugin", "tools before", "tools after", "schema bytes before", "schema bytes after"),
        [(name, before[name].tools, after[name].tools, before[name].bytes, after[name].bytes) for name in before],
    )
    report.table(
        ("operation", "root calls", "nested", "turns", "reply bytes", "answer"),
        [
            (name, run.root_calls, run.nested_calls, run.turns, run.reply_bytes, run.answer)
            for name, run in runs.items()
        ],
    )
    report.say("The audit, steps before their caller:")
    report.audit(lab.trail.under(""))
    report.say(
        f"Both declared in one batch where only the maker is installed: *{half[0]}*, and declared after that is"
        f" {', '.join(half[1]) or 'nothing'}."
    )
    grew = {name: (before[name].tools, after[name].tools) for name in before}
    report.conclusions(
        [
            (
                "6 + 1 and 4 + 1 tools: an operation is an entrance more, and no primitive less",
                "; ".join(f"{was} to {is_}" for was, is_ in grew.values()),
                list(grew.values()) == [(6, 7), (4, 5)],
            ),
            (
                "one call gives whether it conforms, and how to mend each thing",
                runs["maker_check"].answer,
                steps_of(runs["maker_check"]) == ["plugin_check", "plugin_vet"],
            ),
            (
                "finding and the lines around it come in one call",
                runs["trajectory_locate"].answer,
                steps_of(runs["trajectory_locate"]) == ["audit_find", "audit_window"],
            ),
            (
                "with one plugin missing, nothing is half declared",
                f"declared: {', '.join(half[1]) or 'nothing'}",
                bool(half[0]) and not half[1],
            ),
        ]
    )
    report.not_shown(
        [
            "Whether these two are the right operations: only one of the maker's fifteen pairs was thought worth"
            " declaring, as in the seed, and that is an author's judgement.",
            "A second step that depends on the first one's result. `audit_window` looks for the match again: a step"
            " never reads another's result.",
            "Anything about a model.",
        ]
    )
    return report


def steps_of(run: Run) -> list[str]:
    """Give the steps that an operation reports as done, in order."""
    report: dict[str, Any] = run.replies[0].value
    return [step["tool"] for step in report["steps"] if step["ok"]]
