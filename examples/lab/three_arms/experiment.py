"""A real PDF, four ways: primitives alone, an operation over them, hiding them, declaring them internal."""

from __future__ import annotations

import attrs

from capdeco import Binder, CapdecoError, EmbeddedHost, Tool
from capdeco.declare.tools import tool_of
from capdeco.lab.driver import Script, call
from capdeco.lab.experiment import Lab
from capdeco.lab.measure import Arm, Run, Task, perform
from capdeco.lab.report import MEASURES, Report
from examples.pdf.plugin import LayoutOptions, Pdf, pdf_extract, pdf_layout

PDF = "examples/pdf/sample.pdf"
PRIMITIVES = ("pdf_extract", "pdf_layout")


async def run(lab: Lab) -> Report:
    task = _task()
    raw, capability, internal = (Arm(name, EmbeddedHost(), lab.trail) for name in ("raw", "capability", "internal"))
    Binder(raw.host).register(*_primitives(expose=True))
    Binder(capability.host).register(*_primitives(expose=True), Pdf)
    Binder(internal.host).register(*_primitives(expose=False), Pdf)
    hidden, attempts = _hidden(lab)
    arms = {
        raw: await perform(lab.driver, raw, task, _with_primitives),
        capability: await perform(lab.driver, capability, task, _with_operation),
        hidden: await perform(lab.driver, hidden, task, _with_operation),
        internal: await perform(lab.driver, internal, task, _with_operation),
    }
    return _report(lab, task, arms, attempts)


def _primitives(*, expose: bool) -> list[Tool]:
    return [attrs.evolve(tool_of(each), expose=expose) for each in (pdf_extract, pdf_layout)]


def _hidden(lab: Lab) -> tuple[Arm, list[tuple[str, str]]]:
    """Try to hide the primitives in every way that there is; the one that is granted becomes the arm."""
    host = EmbeddedHost()
    Binder(host).register(*_primitives(expose=True), Pdf)
    owner, agent = host.scope("owner"), host.scope("agent")
    Binder(host).register(attrs.evolve(tool_of(pdf_extract), name="pdf_own"), scope=owner)
    attempts = []
    try:
        host.restrict(deny=PRIMITIVES)
    except CapdecoError as error:
        attempts.append(("for everybody, from the global layer", "refused: " + error.diagnostics[0].what))
    try:
        host.restrict(scope=owner, deny=["pdf_own"])
    except CapdecoError as error:
        attempts.append(("from a scope, of a tool that it registered itself", "refused: " + error.diagnostics[0].what))
    host.restrict(scope=agent, deny=PRIMITIVES)
    attempts.append(("from an agent's scope, of what it inherits", "granted: the arm `hidden`"))
    return Arm("hidden", host, lab.trail, agent), attempts


def _task() -> Task:
    pages, blocks = len(pdf_extract(PDF).pages), len(pdf_layout(PDF, LayoutOptions()).blocks)
    right = _answer(pages, blocks)
    return Task("read", f"How many pages and how many blocks of text has {PDF}?", lambda answer: answer == right)


def _answer(pages: int, blocks: int) -> str:
    return f"{pages} pages, {blocks} blocks"


def _with_primitives() -> Script:
    extracted = yield from call("pdf_extract", path=PDF)
    layout = yield from call("pdf_layout", path=PDF, layout={})
    return _answer(len(extracted.value["pages"]), len(layout.value["blocks"]))


def _with_operation() -> Script:
    report = (yield from call("pdf_analyze", path=PDF)).value
    if not report["ok"]:
        return f"failed at {report['failedStep']}, code {report['steps'][-1]['code']}: {report['error']}"
    extracted, layout = (step["value"] for step in report["steps"])
    return _answer(len(extracted["pages"]), len(layout["blocks"]))


def _report(lab: Lab, task: Task, arms: dict[Arm, Run], attempts: list[tuple[str, str]]) -> Report:
    raw, capability, hidden, internal = arms.values()
    surfaces = {arm.name: arm.surface for arm in arms}
    report = Report("Three arms, and a fourth")
    report.say(
        f"Run: `capdeco lab run three_arms`, driver {lab.driver.name}. The plugin is `examples/pdf` on its own PDF; the"
        f" task: *{task.prompt}* In `raw` both primitives are shown. In `capability` the operation `pdf_analyze` is"
        " declared over them. In `hidden` an agent's scope hides the primitives after that. In `internal` they are"
        " declared with `expose=False`."
    )
    report.say(MEASURES)
    report.section("Result")
    report.table(
        ("arm", "tools shown", "schema bytes", "root calls", "nested", "turns", "reply bytes", "right", "answer"),
        [
            (
                *(arm.name, arm.surface.tools, arm.surface.bytes, run.root_calls, run.nested_calls, run.turns),
                *(run.reply_bytes, run.right, run.answer),
            )
            for arm, run in arms.items()
        ],
    )
    report.say("What hiding was tried, and what the host said:")
    report.table(("hide the primitives", "answer"), attempts)
    report.say("The audit of all four, in the order of finishing (a caller finishes after its steps):")
    report.audit(lab.trail.under(""))
    report.conclusions(
        [
            (
                "raw: two independent root calls, nothing nested",
                f"{raw.root_calls} and {raw.nested_calls}",
                (raw.root_calls, raw.nested_calls) == (2, 0),
            ),
            (
                "capability: one root call, two steps under it",
                f"{capability.root_calls} and {capability.nested_calls}",
                (capability.root_calls, capability.nested_calls) == (1, 2),
            ),
            (
                "hidden: a restriction from the global plane is refused, and the operation works as before",
                attempts[0][1],
                attempts[0][1].startswith("refused"),
            ),
            (
                "what a scope hides, a nested dispatch does not reach either",
                hidden.answer,
                not hidden.right and "UNKNOWN_TOOL" in hidden.answer,
            ),
            (
                "a facade cannot narrow what is in front of the model",
                f"with `expose=False` the model sees {surfaces['internal'].tools} tool instead of"
                f" {surfaces['capability'].tools}, and it works: {internal.answer}",
                not (internal.right and surfaces["internal"].tools == 1),
            ),
        ]
    )
    report.say(
        "The last one does not hold, and not because hiding works after all: exposure is a part of the declaration here"
        " (`expose=False`), which the seed's host did not have. Hiding afterwards is as impossible as it was."
    )
    report.not_shown(
        [
            "Judgement. The script knows which tool to call; whether a model prefers the operation is not asked here.",
            "Savings in reading. The operation's report holds each step's result twice, as text (clipped) and as a"
            f" value: {capability.reply_bytes:,} bytes against {raw.reply_bytes:,}. One turn less is not free.",
            "A model may ask for both primitives in one turn: neither depends on the other. Then `raw` takes"
            " as many turns as `capability`, with one root call more.",
        ]
    )
    return report
