"""Leaving the facade where it does not cover a task: no way out, a way by name, a way that can be searched."""

from __future__ import annotations

from collections.abc import Callable

from capdeco.lab.driver import Script
from capdeco.lab.experiment import Lab
from capdeco.lab.measure import Arm, Run, perform
from capdeco.lab.plots import bars
from capdeco.lab.report import MEASURES, Report
from examples.lab.multi_task.tasks import Question, by_name, by_operation, by_search, questions
from examples.lab.scale import arms
from examples.scale import world
from examples.scale.store import serving


async def run(lab: Lab) -> Report:
    records = world.build(lab.seed)
    asked = questions(records, lab.seed)
    done: dict[Arm, list[Run]] = {}
    async with serving(records) as store:
        for arm, otherwise in (
            (arms.facade(store, lab.trail, "closed"), None),
            (arms.facade_with_names(store, lab.trail, "by name"), by_name),
            (arms.facade_beside_search(store, lab.trail, "searched"), by_search),
        ):
            done[arm] = [await perform(lab.driver, arm, each.task, _plan(each, otherwise)) for each in asked]
        raw = arms.raw(store, lab.trail).surface
    return _report(lab, asked, done, raw.bytes)


def _plan(question: Question, otherwise: Callable[[Question], Script] | None) -> Callable[[], Script]:
    return lambda: by_operation(question, otherwise)


def _report(lab: Lab, asked: list[Question], done: dict[Arm, list[Run]], raw_bytes: int) -> Report:
    closed, named, searched = done.values()
    surfaces = {arm.name: arm.surface for arm in done}
    report = Report("Leaving the facade")
    report.say(
        f"Run: `capdeco lab run exits --seed {lab.seed}`, driver {lab.driver.name}. The five tasks of `multi_task` on"
        " the"
        " facade of `scale`, three of them covered by an operation, two not. *closed*: nothing leads past the"
        " operations."
        " *by name*: one tool more, `primitive_call`, whose description lists the names of the pool's tools and not"
        " their"
        " parameters. *searched*: two tools more, `tool_search` and `tool_call`. Where an operation covers the task,"
        " the"
        " script takes it in every arm; where none does, it leaves by the exit that there is."
    )
    report.say(MEASURES)
    report.section("Result")
    report.table(
        ("arm", "tools shown", "schema bytes", "tokens, about", "right answers", "root calls", "turns", "bytes read"),
        [
            (
                *(arm.name, arm.surface.tools, arm.surface.bytes, arm.surface.tokens, sum(run.right for run in runs)),
                *(sum(run.root_calls for run in runs), sum(run.turns for run in runs)),
                sum(run.read_bytes for run in runs),
            )
            for arm, runs in done.items()
        ],
    )
    report.runs([run for runs in done.values() for run in runs])
    report.plot(
        "calls.svg",
        bars(
            f"Root calls; closed has no answer to {' and '.join(run.task for run in closed if not run.right)}",
            "calls",
            [each.task.name for each in asked],
            {arm.name: [run.root_calls for run in runs] for arm, runs in done.items()},
        ),
        "Root calls by task and exit",
    )
    uncovered = [number for number, each in enumerate(asked) if not each.operation]
    extra = {name: surfaces[name].bytes - surfaces["closed"].bytes for name in ("by name", "searched")}
    report.section("What follows")
    report.points(
        [
            f"An exit costs {extra['searched']:,} bytes of schema if it is searched and {extra['by name']:,} if it"
            " lists"
            f" names; showing the whole pool instead costs {raw_bytes - surfaces['closed'].bytes:,}.",
            "For each task that is not covered, an exit by name took"
            f" {_mean(named, uncovered)} root call and a searched one {_mean(searched, uncovered)}."
            " Names cost nothing where the parameters can be guessed from the operations; where they cannot, the host"
            " refuses the arguments and says which are missing.",
            "Covered tasks cost the same number of calls in all arms.",
        ]
    )
    report.conclusions(
        [
            (
                "where no operation covers a task, a closed facade fails (there: after long exploration)",
                f"closed: {sum(run.right for run in closed)} of {len(asked)} right",
                sum(run.right for run in closed) == len(asked) - len(uncovered),
            ),
            (
                "facade and search can be stacked: authors compose, search covers the long tail (only suggested there)",
                f"searched: {sum(run.right for run in searched)} of {len(asked)} right with"
                f" {surfaces['searched'].tools} tools shown",
                all(run.right for run in searched),
            ),
        ]
    )
    report.not_shown(
        [
            "When a model leaves. The script knows which tasks are covered; a model may take the exit although an"
            " operation"
            " would do, or stay inside although none does. A signal that says *not covered* is not a part of this.",
            "Guessing parameters. The script knows them; in *by name* a model would sometimes need a second call.",
            "Authority. An exit is a way past the author's order of steps, not past policy: what it calls is dispatched"
            " through the host, under the same guards.",
        ]
    )
    return report


def _mean(runs: list[Run], numbers: list[int]) -> str:
    return f"{sum(runs[number].root_calls for number in numbers) / len(numbers):g}"
