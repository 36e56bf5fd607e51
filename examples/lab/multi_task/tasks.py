"""The five tasks, drawn from the seed's world: what is asked, which tools know it, and what a right answer is."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from random import Random
from typing import Any, TypeVar

import attrs

from capdeco.lab.driver import Reply, Request, Script, call
from capdeco.lab.measure import Task
from examples.lab.scale.experiment import first_step
from examples.lab.scale.finding import find_and_call
from examples.scale.store import Record
from examples.scale.world import WORKSPACE_REPO, Document, File, Repository

T = TypeVar("T")

Asking = Generator[tuple[Request, ...], tuple[Reply, ...], T]

UNKNOWN = "cannot be found out with these tools"


@attrs.frozen
class Question:
    """One task, and what a script needs to know to work on it in any arm."""

    task: Task
    primitive: str
    """The tool that knows the answer."""
    arguments: dict[str, Any]
    read: Callable[[Any], str]
    """The primitive's value -> the answer."""
    queries: Sequence[str]
    """What to search for, one after the other."""
    operation: str | None
    """The operation whose first step is the primitive, if there is one."""
    nearest: Sequence[str]
    """Where no operation covers it: those of the same domain that take the same resource."""
    resource: dict[str, str]


def questions(records: Sequence[Record], seed: int) -> list[Question]:
    """Give the five tasks of *seed*."""
    random = Random(seed)
    documents = random.sample([each for each in records if isinstance(each, Document)], 3)
    log = random.choice([each for each in records if isinstance(each, File)])
    repo = random.choice([each for each in records if isinstance(each, Repository) and each.id != WORKSPACE_REPO])
    titled = documents[2]
    return [
        *(_pages(f"T{number}", document) for number, document in enumerate(documents[:2], start=1)),
        Question(
            _task("T3", f"What is the title of the document {titled.id}?", titled.title),
            "pdf_metadata",
            {"document": titled.id},
            lambda value: str(value["title"]),
            ("title of a document",),
            None,
            ("pdf_digest", "pdf_structure"),
            {"document": titled.id},
        ),
        Question(
            _task(
                "T4",
                f"How many lines of the log {log.id} say ERROR?",
                str(sum("ERROR" in line for line in log.lines)),
            ),
            "fs_count",
            {"file": log.id, "text": "ERROR"},
            str,
            ("ERROR lines in a log", "count lines of a file that hold a text"),
            None,
            ("fs_preview",),
            {"file": log.id},
        ),
        Question(
            _task(
                "T5", f"Has the repository {repo.id} diverged from its upstream?", _diverged(repo.ahead, repo.behind)
            ),
            "git_status",
            {"repo": repo.id},
            lambda value: _diverged(value["ahead"], value["behind"]),
            ("repository diverged from its upstream",),
            "git_inspect",
            (),
            {"repo": repo.id},
        ),
    ]


def _pages(name: str, document: Document) -> Question:
    return Question(
        _task(name, f"How many pages has the document {document.id}?", str(len(document.pages))),
        "pdf_pages",
        {"document": document.id},
        lambda value: str(value["pages"]),
        ("how many pages has a document",),
        "pdf_digest",
        (),
        {"document": document.id},
    )


def _task(name: str, prompt: str, right: str) -> Task:
    return Task(name, prompt, lambda given: given == right)


def _diverged(ahead: int, behind: int) -> str:
    return f"{ahead} ahead, {behind} behind" if ahead and behind else "no"


def directly(question: Question) -> Script:
    """Call the tool that knows."""
    reply = yield from call(question.primitive, **question.arguments)
    return question.read(reply.value)


def by_search(question: Question) -> Script:
    """Search for the tool that knows, and call it."""
    found = yield from find_and_call(question.queries, {question.primitive}, question.arguments)
    return question.read(found[1].value) if found else UNKNOWN


def by_name(question: Question) -> Script:
    """Call the tool that knows through `primitive_call`: its name is listed there, its parameters are not."""
    reply = yield from call("primitive_call", name=question.primitive, arguments=question.arguments)
    return question.read(reply.value)


def by_operation(question: Question, otherwise: Callable[[Question], Script] | None = None) -> Script:
    """Call the operation that covers it; without one, go *otherwise*, or try what is near and give up."""
    if question.operation is not None:
        reply = yield from call(question.operation, **question.resource)
        return question.read(first_step(reply))
    if otherwise is not None:
        return (yield from otherwise(question))
    for name in question.nearest:
        yield from call(name, **question.resource)
    return UNKNOWN
