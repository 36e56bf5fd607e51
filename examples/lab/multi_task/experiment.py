"""Five tasks, three ways to show the pool; and the wiring trap that makes a covered task go wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from capdeco.lab.driver import Script
from capdeco.lab.experiment import Lab
from capdeco.lab.measure import Run, perform
from capdeco.lab.plots import bars
from capdeco.lab.report import MEASURES, Report
from examples.lab.multi_task import trap
from examples.lab.multi_task.tasks import Question, by_operation, by_search, directly, questions
from examples.lab.scale import arms
from examples.scale import world
from examples.scale.store import serving
from examples.scale.world import WORKSPACE_REPO


async def run(lab: Lab) -> Report:
    records = world.build(lab.seed)
    asked = questions(records, lab.seed)
    runs: list[Run] = []
    async with serving(records) as store:
        for make, plan in ((arms.raw, directly), (arms.search, by_search), (arms.facade, by_operation)):
            arm = make(store, lab.trail)
            runs += [await perform(lab.driver, arm, each.task, _plan(plan, each)) for each in asked]
        refusals = [*trap.by_mypy(), *trap.by_the_binder(store)]
        wrong = await trap.with_the_check_off(store, asked[-1].resource["repo"])
    return _report(lab, asked, runs, refusals, wrong)


def _plan(plan: Callable[[Question], Script], question: Question) -> Callable[[], Script]:
    return lambda: plan(question)


def _report(
    lab: Lab, asked: list[Question], runs: list[Run], refusals: list[trap.Refusal], wrong: dict[str, Any]
) -> Report:
    by_arm = {name: [run for run in runs if run.arm == name] for name in ("raw", "search", "facade")}
    raw, search, facade = by_arm.values()
    repo = asked[-1].resource["repo"]
    right = facade[-1].answer
    without = [run.task for run in facade if not run.right]
    answered = f"{wrong['ahead']} ahead, {wrong['behind']} behind"
    report = Report("Five tasks, and the wiring trap")
    report.say(
        f"Run: `capdeco lab run multi_task --seed {lab.seed}`, driver {lab.driver.name}. The pool, its operations and"
        " the"
        " arms are those of `scale`. T1, T2 and T5 are covered by an operation; T3 and T4 are not, and in `facade`"
        " nothing leads past the operations: the script tries those of the domain that take the resource, and says so."
        " Ids such as `D-204` are no paths, and no built-in tool finds anything under them."
    )
    report.points(f"**{each.task.name}**: {each.task.prompt}" for each in asked)
    report.say(MEASURES)
    report.section("Result")
    report.table(
        ("task", "raw: root calls", "search", "facade", "raw: right", "search: right", "facade: right"),
        [
            (
                each.task.name,
                *(runs_[number].root_calls for runs_ in by_arm.values()),
                *(runs_[number].right for runs_ in by_arm.values()),
            )
            for number, each in enumerate(asked)
        ],
    )
    report.runs(runs)
    report.plot(
        "calls.svg",
        bars(
            f"Root calls; facade has no answer to {' and '.join(without)}",
            "calls",
            [each.task.name for each in asked],
            {name: [run.root_calls for run in found] for name, found in by_arm.items()},
        ),
        "Root calls by task and arm",
    )
    report.section("The wiring trap")
    report.say(
        "`examples/scale/miswired.py` declares `git_inspect` with a `repo` that reaches no step. mypy was given that"
        " file"
        " and the fifteen operations, the binder the mis-wired capability. All that they say:"
    )
    report.table(("reader", "place", "code"), [(each.reader, each.place, each.code) for each in refusals])
    report.say(
        f"With `check_wiring=False` it registers, and asked about {repo} it answers for {wrong['repo']}, the"
        " workspace's"
        f" own: *{answered}*, without any error. The right answer is *{right}*."
    )
    covered = [number for number, each in enumerate(asked) if each.operation]
    uncovered = [number for number, each in enumerate(asked) if not each.operation]
    report.conclusions(
        [
            (
                "covered tasks take one call",
                ", ".join(f"{asked[number].task.name}: {facade[number].root_calls}" for number in covered),
                all(facade[number].root_calls == 1 and facade[number].right for number in covered),
            ),
            (
                "where no operation covers a task, the facade is worse than raw (there: after long exploration)",
                ", ".join(
                    f"{asked[number].task.name}: {facade[number].root_calls} against {raw[number].root_calls},"
                    f" {'right' if facade[number].right else 'no answer'}"
                    for number in uncovered
                ),
                all(not facade[number].right for number in uncovered),
            ),
            (
                "the boundary is what the author foresaw, not how difficult a task is",
                f"raw answers all {len(asked)} with one call each; facade fails exactly where no operation covers",
                all(run.root_calls == 1 for run in raw)
                and [number for number, run in enumerate(facade) if not run.right] == uncovered,
            ),
            (
                "search needs more calls than raw",
                f"{sum(run.root_calls for run in search)} against {sum(run.root_calls for run in raw)} over all tasks",
                sum(run.root_calls for run in search) > sum(run.root_calls for run in raw),
            ),
            (
                "a declared parameter need not reach a step, and then the answer is plausible and wrong",
                f"{answered} instead of {right}; refused by {' and '.join(each.reader for each in refusals)}"
                " before anything runs",
                wrong["repo"] == WORKSPACE_REPO
                and [(each.reader, each.code) for each in refusals]
                == [("mypy", "capdeco-unused"), ("binder", "capdeco-unused")],
            ),
        ]
    )
    report.not_shown(
        [
            "The seed's numbers of calls (up to 138) are a model exploring. Here they are a lower bound: what it takes"
            " when one knows where to look.",
            "That an operation's first step answers by luck of the author's choice: `pdf_digest` happens to count"
            " pages."
            " Which tasks are covered was decided when the operations were written, with the seed's five in view.",
            "Whether a model sees that it cannot know, or invents an answer.",
        ]
    )
    return report
