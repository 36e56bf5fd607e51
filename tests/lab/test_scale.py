from __future__ import annotations

from collections import Counter

import pytest

from capdeco import Binder, Call, EmbeddedHost
from capdeco.lab.driver import Scripted
from capdeco.lab.experiment import Lab
from examples.lab.listings.servers import servers
from examples.lab.multi_task import trap
from examples.lab.multi_task.tasks import questions
from examples.lab.scale import arms
from examples.lab.scale.experiment import run as run_scale
from examples.scale import pool, world
from examples.scale.store import Store, serving

COUNTS = {"git": 20, "browser": 22, "db": 19, "pdf": 20, "image": 18, "net": 18, "cloud": 20, "fs": 20}
IDS = {
    "repo": "R-13",
    "page": "W-33",
    "database": "B-6",
    "document": "D-204",
    "image": "P-62",
    "machine": "N-73",
    "instance": "I-42",
    "bucket": "K-92",
    "file": "F-503",
}


def test_the_pool_is_as_large_as_the_seeds() -> None:
    tools = pool.tools(expose=True)
    assert Counter(tool.name.split("_")[0] for tool in tools) == COUNTS
    assert len({tool.name for tool in tools}) == 157
    assert len(pool.builtins()) == 25
    assert sum(len(each.operations) for each in pool.operations()) == 15


async def test_every_tool_of_the_pool_reaches_its_data_through_the_service_and_through_nothing_else() -> None:
    failures = {}
    async with serving(world.build(1)) as store:
        for label, given in (("served", store), ("cut off", Store(port=1))):
            host = EmbeddedHost(given)
            Binder(host).register(*pool.tools(expose=True))
            failures[label] = [await _failure(host, name) for name in _that_only_read(host)]
    assert [each for each in failures["served"] if each] == []
    assert all(failures["cut off"])
    assert len(failures["cut off"]) > 60


def _that_only_read(host: EmbeddedHost) -> list[str]:
    """Those that read, and that need no argument but what they read about."""
    return [
        name
        for name, spec in host.catalog().items()
        if spec.annotations.read_only and set(spec.input_schema.get("required", ())) <= {*IDS}
    ]


async def _failure(host: EmbeddedHost, name: str) -> str:
    properties = host.catalog()[name].input_schema["properties"]
    # A page is a number in a document, and an id in the browser.
    given = {**IDS, "page": 1} if name.startswith("pdf_") else IDS
    outcome = await host.invoke(Call(name, {key: id for key, id in given.items() if key in properties}))
    return "" if outcome.ok else outcome.message


async def test_what_a_tool_writes_others_read_until_the_service_ends() -> None:
    async with serving(world.build(1)) as store:
        host = EmbeddedHost(store)
        Binder(host).register(*pool.tools(expose=True))
        before = await host.invoke(Call("fs_count", {"file": "F-503"}))
        await host.invoke(Call("fs_append", {"file": "F-503", "lines": ["one", "two"]}))
        after = await host.invoke(Call("fs_count", {"file": "F-503"}))
    assert before.ok
    assert after.ok
    assert after.value == before.value + 2
    assert world.build(1) == world.build(1) != world.build(2)


async def test_every_operation_runs_all_of_its_steps() -> None:
    arguments = {**IDS, "width": 100}
    async with serving(world.build(1)) as store:
        arm = arms.facade(store, Lab().trail)
        table = await arm.host.invoke(Call("db_describe", {"database": "B-6", "table": "none"}))
        assert table.ok
        arguments["table"] = table.value["error"].split("there are ")[1].split(",")[0]
        bucket = await arm.host.invoke(Call("cloud_fetch", {"bucket": "K-92", "key": "none"}))
        assert bucket.ok
        arguments["key"] = bucket.value["steps"][0]["value"][0]
        for spec in arms.operations(host_with_pool(store)):
            given = {name: arguments[name] for name in spec.input_schema["properties"] if name in arguments}
            outcome = await arm.host.invoke(Call(spec.name, given))
            assert outcome.ok, spec.name
            # Publishing what is behind its remote is refused, and that is the tool's to say.
            assert outcome.value["ok"] or outcome.value["failedStep"] == "git_push", outcome.value


def host_with_pool(store: Store) -> EmbeddedHost:
    host = EmbeddedHost(store)
    Binder(host).register(*pool.tools(expose=False))
    return host


@pytest.mark.parametrize("seed", [2, 3])
async def test_the_conclusions_do_not_depend_on_the_seed(seed: int) -> None:
    report = await run_scale(Lab(seed=seed, driver=Scripted()))
    text = report.to_markdown()
    assert "**no**" not in text
    assert f"--seed {seed}" in text


def test_a_diverged_repository_is_asked_about_and_the_workspaces_own_is_not() -> None:
    for seed in range(1, 6):
        repo = questions(world.build(seed), seed)[-1].resource["repo"]
        assert repo != world.WORKSPACE_REPO


async def test_the_mis_wired_operation_answers_about_another_repository_when_the_check_is_off() -> None:
    async with serving(world.build(1)) as store:
        assert [(each.code, each.place) for each in trap.by_the_binder(store)] == [
            ("capdeco-unused", "examples/scale/miswired.py:20")
        ]
        wrong = await trap.with_the_check_off(store, "R-13")
    assert wrong["repo"] == world.WORKSPACE_REPO
    assert not wrong["diverged"]


def test_the_listings_are_kept_as_they_were_recorded() -> None:
    assert sum(len(server.tools) for server in servers()) == 61
