"""`call_sync`: from scripts, from their threads, and from worker threads of a loop that somebody runs."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anyio
import anyio.to_thread
import pytest

from capdeco.errors import HostError
from capdeco.host.protocol import Call, Context
from capdeco.host.registry import EmbeddedHost
from capdeco.result import Failure, Success
from tests.unit.hosting import call, host_with, tool


async def waits(arguments: dict[str, Any], context: Context) -> Any:
    await anyio.sleep(0.005)
    return threading.get_ident()


def called(host: EmbeddedHost, name: str) -> Success | Failure:
    return host.call_sync(Call(name))


@pytest.mark.parametrize("body", [waits, lambda arguments, context: threading.get_ident()], ids=["async", "sync"])
def test_threads_of_a_script_lose_no_call(body: Any) -> None:
    host = EmbeddedHost()
    host.register(tool("a", body))
    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(lambda _: called(host, "a"), range(40), timeout=30))
    assert [outcome.ok for outcome in outcomes] == [True] * 40


def test_a_sync_body_of_a_script_may_call_the_host_from_its_thread() -> None:
    host = host_with("inner")

    def body(arguments: dict[str, Any], context: Context) -> Any:
        return called(host, "inner").ok

    host.register(tool("outer", body))
    outcome = called(host, "outer")
    assert outcome.ok
    assert outcome.value is True


async def test_more_sync_bodies_than_there_are_threads_wait_for_sync_bodies_that_they_call() -> None:
    at_once = anyio.to_thread.current_default_thread_limiter().total_tokens + 5
    host = EmbeddedHost()
    host.register(tool("inner", lambda arguments, context: "done"))
    host.register(tool("middle", lambda arguments, context: called(host, "inner").text))
    host.register(tool("outer", lambda arguments, context: called(host, "middle").text, concurrency=True))
    with anyio.fail_after(30):
        outcomes = await host.invoke_all([Call("outer")] * int(at_once), limit=int(at_once))
    assert [outcome.text for outcome in outcomes] == ["done"] * int(at_once)


def test_a_script_whose_body_invokes_the_host_lends_its_loop_to_nobody() -> None:
    host = host_with("inner")

    async def body(arguments: dict[str, Any], context: Context) -> Any:
        return (await call(host, "inner")).ok

    host.register(tool("outer", body))
    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(lambda _: called(host, "outer"), range(40), timeout=30))
    assert all(outcome.ok and outcome.value for outcome in outcomes)


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio", "trio"])
async def test_worker_threads_call_in_the_loop_that_somebody_runs() -> None:
    host = EmbeddedHost()
    host.register(tool("a", waits))
    await call(host, "a")
    threads: list[int] = []

    async def work() -> None:
        outcome = await anyio.to_thread.run_sync(called, host, "a")
        assert outcome.ok
        threads.append(outcome.value)

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            for _ in range(20):
                group.start_soon(work)
    assert set(threads) == {threading.get_ident()}


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@pytest.mark.parametrize("shielded", [False, True])
def test_a_loop_that_ends_while_a_thread_waits_is_an_error_and_no_hang(backend: str, shielded: bool) -> None:
    host = host_with("a")
    started = threading.Event()

    async def body(arguments: dict[str, Any], context: Context) -> Any:
        started.set()
        with anyio.CancelScope(shield=shielded):
            await anyio.sleep(0.2 if shielded else 60)
        return "done"

    host.register(tool("slow", body))
    said: list[object] = []

    def work() -> None:
        try:
            said.append(called(host, "slow"))
        except HostError as error:
            said.append(error.diagnostics[0].rule)

    worker = threading.Thread(target=work, daemon=True)

    async def main() -> None:
        await call(host, "a")
        worker.start()
        await anyio.to_thread.run_sync(started.wait)

    anyio.run(main, backend=backend)
    worker.join(10)
    assert len(said) == 1, "it hangs"
    assert shielded or said == ["loop-ended"]
    assert called(host, "a").ok, "afterwards it is a script's host again"


def test_a_loop_that_stops_without_a_word_is_an_error_too() -> None:
    host = host_with("a")
    host.register(tool("slow", waits_long))
    loop = asyncio.new_event_loop()
    loop.run_until_complete(call(host, "a"))

    async def block_until_posted() -> None:
        """The loop stops before it ever looks at what the thread has posted."""
        worker.start()
        worker.join(0.05)
        loop.stop()

    said: list[str] = []

    def work() -> None:
        with pytest.raises(HostError) as refusal:
            called(host, "slow")
        said.append(refusal.value.diagnostics[0].rule)

    worker = threading.Thread(target=work, daemon=True)
    task = loop.create_task(block_until_posted())
    loop.run_forever()
    worker.join(10)
    loop.run_until_complete(task)
    loop.close()
    assert said == ["loop-ended"]


async def waits_long(arguments: dict[str, Any], context: Context) -> None:
    await anyio.sleep(60)
