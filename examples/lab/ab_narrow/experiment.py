"""The maker's six tools against one tool over its plain functions: what really narrowing the surface changes."""

from __future__ import annotations

from capdeco import Binder, EmbeddedHost
from capdeco.lab.driver import call
from capdeco.lab.experiment import Lab
from capdeco.lab.measure import Arm, Run, Task, perform
from capdeco.lab.plots import bars
from capdeco.lab.report import MEASURES, Report
from examples.lab.ab_make.agent import FAULTY, answer, loosely, read_lines, strictly, verdict_of
from examples.lab.ab_make.experiment import MAKER, Reviewing, one_by_one
from examples.maker.plugin import plugin_check, plugin_vet


async def run(lab: Lab) -> Report:
    wide, narrow = (Arm(name, EmbeddedHost(), lab.trail) for name in ("wide", "narrow"))
    for arm, plugin in ((wide, MAKER), (narrow, "examples.lab.ab_narrow.narrow")):
        binder = Binder(arm.host)
        binder.load(plugin)
        binder.register(read_lines)
    found = len(plugin_vet(FAULTY))
    verdict, everything = (answer(plugin_check(FAULTY).conforms, [{}] * count) for count in (0, found))
    strict = Task("strict", f"Does the plugin {FAULTY} conform? Call one tool, once.", lambda given: given == verdict)
    loose = Task("loose", f"Check the plugin {FAULTY} and say what must be mended.", lambda given: given == everything)
    runs = [
        await perform(lab.driver, wide, strict, strictly(conforms)),
        await perform(lab.driver, narrow, strict, strictly(conforms_by_the_one_tool)),
        await perform(lab.driver, wide, loose, loosely(one_by_one)),
        await perform(lab.driver, narrow, loose, loosely(by_the_one_tool)),
    ]
    return _report(lab, [wide, narrow], runs)


def conforms() -> Reviewing:
    checked = yield from call("plugin_check", path=FAULTY)
    return verdict_of(checked.value, [])


def conforms_by_the_one_tool() -> Reviewing:
    checked, _ = yield from by_the_one_tool()
    return checked, []


def by_the_one_tool() -> Reviewing:
    reviewed = (yield from call("maker_check", path=FAULTY)).value
    return verdict_of(reviewed["checked"], reviewed["findings"])


def _report(lab: Lab, arms: list[Arm], runs: list[Run]) -> Report:
    strict_wide, strict_narrow, loose_wide, loose_narrow = runs
    report = Report("A/B narrow: six tools, or one")
    report.say(
        f"Run: `capdeco lab run ab_narrow`, driver {lab.driver.name}. `wide` is `examples/maker` as it is; `narrow` is"
        " a plugin whose only tool calls the maker's plain functions (`narrow.py`): no steps, no nested dispatch."
        " Both arms also have one tool to read lines of files with. *Strict* allows one call; *loose* looks at every"
        " place that the verdict names before it answers, by the same policy in both arms."
    )
    report.say(MEASURES)
    report.section("Result")
    report.table(
        ("arm", "tools shown", "schema bytes", "tokens, about"),
        [(arm.name, arm.surface.tools, arm.surface.bytes, arm.surface.tokens) for arm in arms],
    )
    report.runs(runs)
    report.plot(
        "calls.svg",
        bars(
            "Root calls",
            "calls",
            ["strict", "loose"],
            {
                "wide": [strict_wide.root_calls, loose_wide.root_calls],
                "narrow": [strict_narrow.root_calls, loose_narrow.root_calls],
            },
        ),
        "Root calls by task and arm",
    )
    report.conclusions(
        [
            (
                "strict: one call in both arms",
                f"{strict_wide.root_calls} and {strict_narrow.root_calls}",
                strict_wide.root_calls == strict_narrow.root_calls == 1,
            ),
            (
                "a smaller surface does not mean fewer calls (loose: 2 against 26)",
                f"loose: {loose_wide.root_calls} against {loose_narrow.root_calls}",
                loose_narrow.root_calls >= loose_wide.root_calls,
            ),
            (
                "narrowing saves no work; it saves choosing among six names",
                f"the same {loose_narrow.root_calls - 1} places are looked at in both arms; choosing is not measured",
                loose_wide.root_calls - 2 == loose_narrow.root_calls - 1,
            ),
        ]
    )
    report.say(
        "The second is not what a script shows that follows one policy in both arms: it makes"
        f" {loose_wide.root_calls - loose_narrow.root_calls} call less, the one that was folded away."
        " The seed's 26 calls were a model's curiosity, and no property of the surface; a script"
        " can neither confirm nor refute them."
    )
    report.not_shown(
        [
            "The cost of choosing among names, which is the seed's point: a script does not choose.",
            "Policy per step. In `narrow` no guard, approval or audit line stands between check and vet: they are"
            f" function calls ({loose_narrow.nested_calls} nested dispatches). An operation keeps them.",
        ]
    )
    return report
