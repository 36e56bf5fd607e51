"""The arms of `scale` on what public MCP servers really list: eight listings, five operations declared as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import attrs

from capdeco import Binder, EmbeddedHost
from capdeco.host.protocol import ToolSpec
from capdeco.lab.driver import Script, call
from capdeco.lab.experiment import Lab
from capdeco.lab.measure import Arm, Run, Task, perform, surface_of
from capdeco.lab.plots import bars
from capdeco.lab.report import MEASURES, Report
from capdeco.lab.search import HITS, Index, search_tools
from capdeco.verify.rows import shown
from examples.lab.listings.servers import OPERATIONS, QUERIES, servers
from examples.lab.scale.experiment import index_rank
from examples.lab.scale.finding import find_and_call


@attrs.frozen
class Errand:
    """One task: the operation for it, and the tools that it takes without, each with what one searches for."""

    task: Task
    operation: str
    tools: dict[str, str]
    arguments: dict[str, str]
    declared: Mapping[str, ToolSpec]

    def arguments_of(self, tool: str) -> dict[str, str]:
        """Those of the arguments that *tool* declares, as anybody reads from its schema."""
        properties = self.declared[tool].input_schema["properties"]
        return {name: value for name, value in self.arguments.items() if name in properties}


def errands(declared: Mapping[str, ToolSpec]) -> list[Errand]:
    """Give one task for each server that operations are declared over."""
    rows: list[tuple[str, str, str, dict[str, str], dict[str, str]]] = [
        (
            "review",
            "What is not committed in the repository shop?",
            "repo_review",
            {
                "git_status": "status of the working tree",
                "git_diff_unstaged": "changes that are not staged",
                "git_diff_staged": "changes that are staged",
            },
            {"repo_path": "shop"},
        ),
        (
            "preview",
            "What is in notes.txt, and what file is it?",
            "files_preview",
            {"get_file_info": "size and times of a file", "read_text_file": "read a text file"},
            {"path": "notes.txt"},
        ),
        (
            "propose",
            "Open a branch fix in the project 7 and a merge request from it.",
            "project_propose",
            {"create_branch": "create a branch in a project", "create_merge_request": "open a merge request"},
            {"project_id": "7", "branch": "fix", "source_branch": "fix", "target_branch": "main", "title": "Fix"},
        ),
    ]
    return [
        Errand(_task(name, prompt, list(tools)), operation, tools, arguments, declared)
        for name, prompt, operation, tools, arguments in rows
    ]


def _task(name: str, prompt: str, tools: list[str]) -> Task:
    return Task(name, prompt, lambda given: given == _answer(tools))


def _answer(called: list[str]) -> str:
    return "called " + ", ".join(called)


async def run(lab: Lab) -> Report:
    specs = [spec for server in servers() for spec in server.tools]
    index = Index(specs)
    raw, search, facade, beside = (
        Arm(name, EmbeddedHost(), lab.trail) for name in ("raw", "search", "facade", "facade beside search")
    )
    raw.host.register(*specs)
    for arm in (search, facade, beside):
        arm.host.register(*(attrs.evolve(spec, expose=False) for spec in specs))
    for arm in (facade, beside):
        Binder(arm.host).register(*OPERATIONS)
    for arm in (search, beside):
        Binder(arm.host).register(*search_tools(index))
    plans: dict[Arm, Callable[[Errand], Script]] = {
        raw: directly,
        search: searching,
        facade: by_operation,
        beside: by_operation,
    }
    runs = [
        await perform(lab.driver, arm, errand.task, _plan(plan, errand))
        for arm, plan in plans.items()
        for errand in errands(index.specs)
    ]
    return _report(lab, specs, list(plans), runs, [index_rank(index, *each) for each in QUERIES])


def _plan(plan: Callable[[Errand], Script], errand: Errand) -> Callable[[], Script]:
    return lambda: plan(errand)


def directly(errand: Errand) -> Script:
    called = []
    for name in errand.tools:
        reply = yield from call(name, **errand.arguments_of(name))
        called.append(reply.value["called"])
    return _answer(called)


def searching(errand: Errand) -> Script:
    called = []
    for name, query in errand.tools.items():
        found = yield from find_and_call([query], {name}, errand.arguments_of(name))
        called += [found[1].value["called"]] if found else []
    return _answer(called)


def by_operation(errand: Errand) -> Script:
    report = (yield from call(errand.operation, **errand.arguments)).value
    return _answer([step["value"]["called"] for step in report["steps"]])


def _report(lab: Lab, specs: list[ToolSpec], arms: list[Arm], runs: list[Run], ranks: list[int]) -> Report:
    totals = {arm.name: [run for run in runs if run.arm == arm.name] for arm in arms}
    surfaces = {arm.name: arm.surface for arm in arms}
    count = sum(len(each["operations"]) for each in OPERATIONS)
    report = Report("Real listings")
    report.say(
        f"Run: `capdeco lab run listings`, driver {lab.driver.name}. What eight public MCP servers answer to"
        f" `tools/list`, {len(specs)} tools, is kept in `data`, as recorded from the running servers. Nothing is"
        " connected: each tool's body says that it was"
        f" called. {count} operations are declared over them as data (`servers.py`) and checked by the binder against"
        " the"
        " listed schemas. Arms as in `scale`, without built-in tools."
    )
    report.table(
        ("server", "version", "tools", "schema bytes", "say draft-07"),
        [
            (each.name, each.version, len(each.tools), surface_of(map(shown, each.tools)).bytes, each.older)
            for each in servers()
        ],
    )
    report.say(
        "The host takes JSON Schema 2020-12 and refuses a schema that names an older dialect. Those that do use no"
        " keyword that changed, so the line that names it was left out, and is not counted."
    )
    report.say(MEASURES)
    report.section("Result")
    report.table(
        ("arm", "tools shown", "schema bytes", "tokens, about", "root calls", "turns", "bytes read", "right"),
        [
            (
                *(arm.name, arm.surface.tools, arm.surface.bytes, arm.surface.tokens),
                *(sum(run.root_calls for run in totals[arm.name]), sum(run.turns for run in totals[arm.name])),
                sum(run.read_bytes for run in totals[arm.name]),
                f"{sum(run.right for run in totals[arm.name])} of {len(totals[arm.name])}",
            )
            for arm in arms
        ],
    )
    report.runs(runs)
    report.plot(
        "schema.svg",
        bars(
            "What the tools take before anything is asked",
            "bytes",
            [arm.name.replace(" search", "\nsearch") for arm in arms],
            {"": [surface.bytes for surface in surfaces.values()]},
        ),
        "Schema bytes by arm",
    )
    first, listed = sum(rank == 1 for rank in ranks), sum(0 < rank <= HITS for rank in ranks)
    report.say(
        f"Search on its own: {len(QUERIES)} wishes of somebody who has not read the listings. The tool that is meant"
        f" comes first for {first} of them and is among the {HITS} shown for {listed}. The rest:"
    )
    report.table(
        ("wish", "tool", "rank (0: not found)"),
        [(query, name, rank) for (query, name), rank in zip(QUERIES, ranks, strict=True) if not 0 < rank <= HITS],
    )
    raw, search, facade = (sum(run.root_calls for run in totals[name]) for name in ("raw", "search", "facade"))
    report.conclusions(
        [
            (
                "search saves schema for twice the calls",
                f"{surfaces['search'].bytes:,} bytes against {surfaces['raw'].bytes:,}; {search} calls against {raw}",
                surfaces["search"].bytes < surfaces["raw"].bytes and search == 2 * raw,
            ),
            (
                "a facade saves schema for no more calls",
                f"{surfaces['facade'].bytes:,} bytes against {surfaces['raw'].bytes:,}; {facade} calls against {raw}",
                surfaces["facade"].bytes < surfaces["raw"].bytes and facade <= raw,
            ),
            (
                "every arm gets it right",
                f"{sum(run.right for run in runs)} of {len(runs)}",
                all(run.right for run in runs),
            ),
        ]
    )
    report.not_shown(
        [
            "Results. The servers are not run, so right means that the right tools were called with arguments that"
            " their"
            " schemas admit.",
            "Searching as a stranger. In the arm `search` the script's words are those of somebody who has read the"
            " listings, and it always finds; the wishes above are what happens otherwise, and no arm is made of them.",
            "Breadth. The facade covers what its operations are about and nothing else; `facade beside search` is the"
            " arm that still reaches every tool.",
            "Other listings. These eight are small servers; nothing here was tuned to them but the operations.",
        ]
    )
    return report
