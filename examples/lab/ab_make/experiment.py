"""The maker's six tools against the same six and `maker_check`: what an operation beside its primitives changes."""

from __future__ import annotations

from collections.abc import Generator

from capdeco import Binder, EmbeddedHost
from capdeco.lab.driver import Reply, Request, call, together
from capdeco.lab.experiment import Lab
from capdeco.lab.measure import Arm, Run, Task, perform
from capdeco.lab.plots import bars
from capdeco.lab.report import MEASURES, Report
from examples.lab.ab_make.agent import FAULTY, Verdict, answer, by_steps, loosely, read_lines, strictly, verdict_of
from examples.lab.rewrite.declarations import Maker
from examples.maker.plugin import plugin_check, plugin_vet

MAKER = "examples.maker.plugin"
Reviewing = Generator[tuple[Request, ...], tuple[Reply, ...], Verdict]


async def run(lab: Lab) -> Report:
    raw, capability, at_once = (Arm(name, EmbeddedHost(), lab.trail) for name in ("raw", "capability", "raw-at-once"))
    for arm in (raw, capability, at_once):
        binder = Binder(arm.host)
        binder.load(MAKER)
        binder.register(read_lines)
    Binder(capability.host).register(Maker)
    right = answer(plugin_check(FAULTY).conforms, [{}] * len(plugin_vet(FAULTY)))
    tasks = {
        "strict": f"Does the plugin {FAULTY} conform, and what must be mended? Find out with as few calls as you can.",
        "loose": f"Check the plugin {FAULTY} and say what must be mended.",
    }
    runs = []
    for name, prompt in tasks.items():
        task = Task(name, prompt, lambda given: given == right)
        policy = strictly if name == "strict" else loosely
        for arm, review in ((raw, one_by_one), (capability, as_operation), (at_once, both_at_once)):
            runs.append(await perform(lab.driver, arm, task, policy(review)))
    return _report(lab, [raw, capability, at_once], runs)


def one_by_one() -> Reviewing:
    checked = yield from call("plugin_check", path=FAULTY)
    vetted = yield from call("plugin_vet", path=FAULTY)
    return by_steps(checked, vetted)


def both_at_once() -> Reviewing:
    checked, vetted = yield from together(
        Request("plugin_check", {"path": FAULTY}), Request("plugin_vet", {"path": FAULTY})
    )
    return by_steps(checked, vetted)


def as_operation() -> Reviewing:
    report = (yield from call("maker_check", path=FAULTY)).value
    checked, vetted = (step["value"] for step in report["steps"])
    return verdict_of(checked, vetted)


def _report(lab: Lab, arms: list[Arm], runs: list[Run]) -> Report:
    by_name = {(run.task, run.arm): run for run in runs}
    raw, capability, at_once = (by_name["strict", arm.name] for arm in arms)
    report = Report("A/B make: six tools, or six and an operation")
    report.say(
        f"Run: `capdeco lab run ab_make`, driver {lab.driver.name}. The plugin is `examples/maker`, its subject"
        f" `{FAULTY}`. Every arm also has one tool to read lines of files with. `raw` calls check and vet one after the"
        " other, `raw-at-once` calls both in one turn, `capability` calls `maker_check`, which runs both. The *strict*"
        " script answers as soon as it has the verdict; the *loose* one first looks at every place that the verdict"
        " names. Both policies are the same text for all arms (`agent.py`)."
    )
    report.say(MEASURES)
    report.section("Result")
    report.table(
        ("arm", "tools shown", "schema bytes", "tokens, about"),
        [(arm.name, arm.surface.tools, arm.surface.bytes, arm.surface.tokens) for arm in arms],
    )
    report.runs(runs)
    tasks = list(dict.fromkeys(run.task for run in runs))
    report.plot(
        "turns.svg",
        bars("Turns", "turns", tasks, {arm.name: [by_name[task, arm.name].turns for task in tasks] for arm in arms}),
        "Turns by task and arm",
    )
    report.conclusions(
        [
            (
                "two root calls become one",
                f"strict: {raw.root_calls} and {capability.root_calls}",
                (raw.root_calls, capability.root_calls) == (2, 1),
            ),
            (
                "two round trips of the model become one",
                f"{raw.turns} turns and {capability.turns}; but {at_once.turns} for a model that asks for both at once",
                capability.turns < min(raw.turns, at_once.turns),
            ),
            (
                "the number of tools does not fall (6 to 7)",
                f"{arms[0].surface.tools} to {arms[1].surface.tools}, the tool to read with included",
                arms[1].surface.tools == arms[0].surface.tools + 1,
            ),
            (
                "the answer is the same, and right, in both arms",
                f"{sum(run.right for run in runs)} of {len(runs)} runs",
                all(run.right for run in runs),
            ),
        ]
    )
    report.not_shown(
        [
            "Which tool a model would choose, in what order, how often: the script is told. The seed had one run of a"
            " model, and said so; this has none.",
            f"A saving in what is read: `capability` reads {capability.read_bytes:,} bytes over the strict task, `raw`"
            f" {raw.read_bytes:,}, `raw-at-once` {at_once.read_bytes:,}. The report has the steps' text and values.",
            "The loose task as a model does it. The script looks at each place once; the seed's model looked where it"
            " liked.",
        ]
    )
    return report
