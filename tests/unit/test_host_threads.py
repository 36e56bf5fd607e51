"""`call_sync`: from scripts, from their threads, and from worker threads of a loop that somebody runs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

import anyio
import anyio.from_thread
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


@asynccontextmanager
async def one_counted_thread() -> AsyncIterator[None]:
    """anyio gives one thread at a time. Whoever waits for a second gets it in the end, and has failed."""
    limiter = anyio.to_thread.current_default_thread_limiter()
    many, limiter.total_tokens = limiter.total_tokens, 1

    async def give() -> None:
        await anyio.sleep(10)
        limiter.total_tokens = many

    try:
        async with anyio.create_task_group() as group:
            group.start_soon(give)
            yield
            group.cancel_scope.cancel()
        assert limiter.total_tokens == 1, "it waited for a thread that others held"
    finally:
        limiter.total_tokens = many


WAYS: dict[str, Callable[[EmbeddedHost, Context, str], Success | Failure]] = {
    "call_sync": lambda host, context, name: called(host, name),
    "the context": lambda host, context, name: anyio.from_thread.run(context.call, name),
    "invoke": lambda host, context, name: anyio.from_thread.run(host.invoke, Call(name)),
}


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@pytest.mark.parametrize("way", WAYS)
def test_a_sync_body_that_waits_for_another_holds_no_thread_that_the_other_needs(way: str, backend: str) -> None:
    host = host_with("inner", body=lambda arguments, context: "done")
    host.register(tool("middle", lambda arguments, context: WAYS[way](host, context, "inner").text))
    host.register(tool("outer", lambda arguments, context: WAYS[way](host, context, "middle").text, concurrency=True))

    async def main() -> None:
        async with one_counted_thread():
            outcomes = await host.invoke_all([Call("outer")] * 5, limit=5)
        assert [outcome.text for outcome in outcomes] == ["done"] * 5

    anyio.run(main, backend=backend)


async def test_threads_of_an_application_that_wait_for_sync_bodies_hold_no_thread_that_these_need() -> None:
    host = host_with("a", body=lambda arguments, context: "done")
    async with one_counted_thread():
        outcome = await anyio.to_thread.run_sync(anyio.from_thread.run, host.invoke, Call("a"))
    assert outcome.text == "done"


async def test_what_a_sync_body_calls_through_its_context_is_nested_in_its_call() -> None:
    async def inner(arguments: dict[str, Any], context: Context) -> Any:
        return [context.nested, context.root_id, arguments]

    def outer(arguments: dict[str, Any], context: Context) -> Any:
        outcome = anyio.from_thread.run(context.dispatch, "inner", {"n": 1})
        assert outcome.ok
        return outcome.value

    host = EmbeddedHost()
    host.register(tool("inner", inner, expose=False), tool("outer", outer, uses=frozenset({"inner"})))
    outcome = await host.invoke(Call("outer", call_id="c1"))
    assert outcome.ok
    assert outcome.value == [True, "c1", {"n": 1}]


def test_where_no_thread_can_be_started_the_call_fails_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    host = host_with("a", body=lambda arguments, context: "done")

    def no_more(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", no_more)
    assert called(host, "a").text == "Error: a has no thread to run in: can't start new thread"


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
