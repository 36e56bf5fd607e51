"""157 tools beside 25 built-in ones: show them all, search them, show fifteen operations; and two of it together."""

from __future__ import annotations

from collections.abc import Callable, Generator
from random import Random
from typing import Any, Final

from capdeco.lab.driver import Reply, Request, Script, call
from capdeco.lab.experiment import Lab
from capdeco.lab.measure import Arm, Run, Task, perform
from capdeco.lab.plots import bars
from capdeco.lab.report import MEASURES, Report
from capdeco.lab.search import HITS, Index
from examples.lab.scale import arms
from examples.lab.scale.finding import find_and_call
from examples.scale import pool, world
from examples.scale.store import Store, serving
from examples.scale.world import Document, Repository

PAGES: Final = "how many pages has a document"
DIVERGED: Final = "has a repository diverged from its upstream"

Ranks = list[tuple[str, str, str, int]]


async def run(lab: Lab) -> Report:
    records, random = world.build(lab.seed), Random(lab.seed)
    document = random.choice([each for each in records if isinstance(each, Document)])
    repo = random.choice([each for each in records if isinstance(each, Repository)])
    right = _answer(len(document.pages), repo.ahead > 0 and repo.behind > 0)
    prompt = f"How many pages has the document {document.id}, and has the repository {repo.id} diverged?"
    task = Task("two-questions", prompt, lambda given: given == right)
    done: dict[Arm, Run] = {}
    async with serving(records) as store:
        for make, plan in (
            (arms.raw, _direct),
            (arms.search, _searching),
            (arms.facade, _by_operation),
            (arms.facade_under_search, _searching),
            (arms.facade_beside_search, _by_operation),
        ):
            arm = make(store, lab.trail)
            done[arm] = await perform(lab.driver, arm, task, plan(document.id, repo.id))
    # Where nobody listens: there must be no other way to the data.
    cut_off = arms.raw(Store(port=1), lab.trail, "cut off")
    without = await perform(lab.driver, cut_off, task, _direct(document.id, repo.id))
    return _report(lab, task, done, without, _ranks(cut_off))


def _answer(pages: int, diverged: bool) -> str:
    return f"{pages} pages; {'diverged' if diverged else 'not diverged'}"


def _direct(document: str, repo: str) -> Callable[[], Script]:
    def plan() -> Script:
        pages = yield from call("pdf_pages", document=document)
        status = yield from call("git_status", repo=repo)
        return _answer(pages.value["pages"], status.value["diverged"]) if pages.ok and status.ok else "unknown"

    return plan


def _by_operation(document: str, repo: str) -> Callable[[], Script]:
    def plan() -> Script:
        digest = yield from call("pdf_digest", document=document)
        inspected = yield from call("git_inspect", repo=repo)
        return _answer(first_step(digest)["pages"], first_step(inspected)["diverged"])

    return plan


def _searching(document: str, repo: str) -> Callable[[], Script]:
    def plan() -> Script:
        pages = yield from _found(PAGES, "pdf_pages", "pdf_digest", {"document": document})
        status = yield from _found(DIVERGED, "git_status", "git_inspect", {"repo": repo})
        return _answer(pages["pages"], status["diverged"]) if pages and status else "not found"

    return plan


def _found(
    query: str, primitive: str, operation: str, arguments: dict[str, Any]
) -> Generator[tuple[Request, ...], tuple[Reply, ...], Any]:
    found = yield from find_and_call([query], {primitive, operation}, arguments)
    if found is None:
        return None
    name, reply = found
    return first_step(reply) if name == operation else reply.value


def first_step(reply: Reply) -> Any:
    """Give the value of an operation's first step."""
    return reply.value["steps"][0]["value"]


def _ranks(arm: Arm) -> Ranks:
    """Say where search puts what the task needs, in both of its indexes."""
    primitives, operations = arms.primitives(arm.host), arms.operations(arm.host)
    return [
        (query, label, wanted, index_rank(index, query, wanted))
        for label, index in (("primitives", Index(primitives)), ("both", Index([*operations, *primitives])))
        for query, names in ((PAGES, ("pdf_pages", "pdf_digest")), (DIVERGED, ("git_status", "git_inspect")))
        for wanted in names
        if wanted in index.specs
    ]


def index_rank(index: Index, query: str, wanted: str) -> int:
    """Give the place of *wanted* among all that *query* finds, from 1; 0 if it is not found."""
    names = [hit.name for hit in index.search(query, limit=len(index.specs))]
    return names.index(wanted) + 1 if wanted in names else 0


def _report(lab: Lab, task: Task, done: dict[Arm, Run], without: Run, ranks: Ranks) -> Report:
    raw, search, facade, under, beside = done.values()
    surfaces = {arm.name: arm.surface for arm in done}
    tools, operations = len(pool.tools(expose=True)), sum(len(each.operations) for each in pool.operations())
    report = Report("Scale: a pool of 157 tools")
    report.say(
        f"Run: `capdeco lab run scale --seed {lab.seed}`, driver {lab.driver.name}. The pool (`examples/scale`) has"
        f" {tools} typed tools over {len(pool.DOMAINS)} domains, and {operations} operations over them, beside"
        f" {len(pool.builtins())} stand-ins for an agent's built-in tools. All data are behind a loopback service that"
        f" the experiment starts. The task: *{task.prompt}*"
    )
    report.points(
        [
            "`raw`: every tool is shown.",
            "`search`: `tool_search` (BM25 by bm25s, over names, descriptions and parameters; shows"
            f" {HITS} hits with their schemas) and `tool_call`, which dispatches what was found.",
            "`facade`: the operations are shown, the pool is internal.",
            "`facade under search`: as `search`, over operations and primitives alike.",
            "`facade beside search`: the operations are shown, and a search over the primitives.",
        ]
    )
    report.say(MEASURES)
    report.section("Result")
    report.table(
        ("arm", "tools shown", "schema bytes", "tokens, about", "root calls", "nested", "turns", "bytes read", "right"),
        [
            (
                *(arm.name, arm.surface.tools, arm.surface.bytes, arm.surface.tokens, run.root_calls),
                *(run.nested_calls, run.turns, run.read_bytes, run.right),
            )
            for arm, run in done.items()
        ],
    )
    names = [arm.name.replace(" search", "\nsearch") for arm in done]
    report.plot(
        "schema.svg",
        bars(
            "What the tools take before anything is asked", "bytes", names, {"": [s.bytes for s in surfaces.values()]}
        ),
        "Schema bytes by arm",
    )
    report.plot(
        "read.svg",
        bars(
            "Read over the whole task, without caching", "bytes", names, {"": [run.read_bytes for run in done.values()]}
        ),
        "Bytes read by arm",
    )
    report.say(
        f"With the service cut off, the script of `raw` makes the same calls and answers *{without.answer}*: there is"
        " no other way to the data. Where search puts what the task needs:"
    )
    report.table(("query", "index", "tool", "rank"), ranks)
    saved = {name: 100 - round(100 * each.bytes / surfaces["raw"].bytes) for name, each in surfaces.items()}
    seed_saved = {"search": 100 - round(100 * 26_680 / 54_310), "facade": 100 - round(100 * 31_040 / 54_310)}
    report.conclusions(
        [
            (
                "182, 27 and 40 tools are shown",
                ", ".join(str(surfaces[name].tools) for name in ("raw", "search", "facade")),
                [surfaces[name].tools for name in ("raw", "search", "facade")] == [182, 27, 40],
            ),
            (
                f"search saves {seed_saved['search']}% of the schema, for twice the calls (4 against 2)",
                f"{saved['search']}%, {search.root_calls} against {raw.root_calls}",
                saved["search"] >= seed_saved["search"] and search.root_calls == 2 * raw.root_calls,
            ),
            (
                f"a facade saves {seed_saved['facade']}% of it, for no more calls",
                f"{saved['facade']}%, {facade.root_calls} against {raw.root_calls}",
                saved["facade"] >= seed_saved["facade"] and facade.root_calls == raw.root_calls,
            ),
            (
                "the two can be stacked (only suggested there)",
                f"under search: {surfaces[under.arm].tools} tools, {under.root_calls} root calls;"
                f" beside it: {surfaces[beside.arm].tools} tools, {beside.root_calls} root calls",
                under.right and beside.right,
            ),
            (
                "every arm gets it right",
                f"{sum(run.right for run in done.values())} of {len(done)}",
                all(run.right for run in done.values()),
            ),
        ]
    )
    report.not_shown(
        [
            "That a model finds its way: the script knows what it wants. What it searches for was written once, before"
            " the ranks were known, and not changed after.",
            "Real work. The bodies are small and deterministic and the data made up; what is real are the declarations:"
            " names, parameters, descriptions.",
            f"A constant. The whole pool is as large as the seed's ({surfaces['raw'].bytes:,} bytes; 54,310 there),"
            " but its"
            f" built-in tools were heavier: `search` has {surfaces['search'].bytes:,} bytes here and 26,680 there. That"
            " alone makes the savings look larger here.",
            "Caching. Where a provider caches the tools, the bytes read of an arm are not its price.",
        ]
    )
    return report
