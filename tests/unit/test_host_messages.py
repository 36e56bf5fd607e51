"""What is refused is refused with a sentence that helps, of a length that somebody reads."""

from __future__ import annotations

import asyncio
import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from capdeco import Binder, Context, EmbeddedHost
from capdeco import tool as declared
from capdeco.errors import CapdecoError, HostError
from capdeco.host.policy import Allow, Ask
from capdeco.host.protocol import Call
from capdeco.host.schema import UnsupportedSchema, compile_schema
from tests.unit import hosting
from tests.unit.hosting import call, declare, host_with

CATALOGS = Path(__file__).parents[3] / "shared" / "mcp-catalogs"
DRAFT_07 = "http://json-schema.org/draft-07/schema#"
CLOSED = {"type": "object", "properties": {"path": {}, "columns": {}}, "additionalProperties": False}
tool: Any = hosting.tool  # what is given here is wrong on purpose

anyio_both = pytest.mark.parametrize("anyio_backend", ["asyncio", "trio"])


@pytest.mark.anyio
async def test_an_author_who_misspells_an_argument_is_told_and_a_step_is_still_given_what_it_declares() -> None:
    host = EmbeddedHost()
    host.register(tool("layout", input_schema=CLOSED))

    async def body(arguments: dict[str, Any], context: Context) -> Any:
        outcome = await context.call("layout", path="x", colums=2)
        assert not outcome.ok
        return [outcome.code, outcome.message]

    host.register(tool("outer", body))
    declare(host, "layout")
    assert (await call(host, "outer")).value == [
        "INVALID_ARGS",
        "layout: colums: not a known field; did you mean columns?",
    ]
    assert (await call(host, "run_all", path="x", colums=2)).value["ok"]


@pytest.mark.anyio
async def test_a_context_that_is_used_after_its_call_says_that_the_call_has_ended() -> None:
    host = host_with("a")
    kept: list[Context] = []

    async def body(arguments: dict[str, Any], context: Context) -> None:
        kept.append(context)

    host.register(tool("slow", body))
    await host.invoke(Call("slow", call_id="c1"))
    for name in ("a", "slow"):
        outcome = await kept[0].call(name)
        assert not outcome.ok
        assert outcome.message == "the call c1 of slow has ended: nothing is called through its context"


@pytest.mark.parametrize("wrong", [5, None, host_with])
@pytest.mark.anyio
async def test_a_context_calls_by_name(wrong: Any) -> None:
    host = EmbeddedHost()

    async def body(arguments: dict[str, Any], context: Context) -> Any:
        return (await context.call(wrong)).ok

    host.register(tool("a", body))
    assert (await call(host, "a")).message.startswith("a tool is called by its name, not with ")


@pytest.mark.anyio
async def test_a_tool_that_calls_itself_without_end_fails_and_names_the_limit() -> None:
    host = EmbeddedHost()

    async def body(arguments: dict[str, Any], context: Context) -> Any:
        outcome = await context.call("a", left=arguments["left"] - 1) if arguments["left"] else None
        return "done" if outcome is None else outcome.value if outcome.ok else outcome.message

    host.register(tool("a", body))
    assert (await call(host, "a", left=90)).value == "done"
    assert (await call(host, "a", left=300)).value == "a: more than 100 calls inside each other"


def deep(levels: int) -> Any:
    value: Any = []
    for _ in range(levels):
        value = [value]
    return value


def cyclic() -> Any:
    value: dict[str, Any] = {}
    value["again"] = [value]
    return value


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (deep(100_000), "is nested too deeply"),
        (cyclic(), "an object that contains itself has no JSON form"),
        ({1: "a", "1": "b"}, "key"),
        ({"n": 10**5000}, "n: an integer of more than 4300 digits"),
    ],
    ids=["deep", "cyclic", "keys", "digits"],
)
@pytest.mark.anyio
async def test_what_has_no_json_form_is_said_in_the_same_words_of_results_and_arguments(value: Any, why: str) -> None:
    @declared
    async def typed() -> Any:
        """Return it."""
        return value

    async def body(arguments: dict[str, Any], context: Context) -> Any:
        return value

    host = EmbeddedHost()
    Binder(host).register(typed)
    host.register(tool("plain", body))
    for name in ("typed", "plain"):
        outcome = await call(host, name)
        assert outcome.code == "INVALID_TOOL_OUTPUT"
        assert outcome.message.startswith(f"{name}: what it returned: ")
        assert why in outcome.message
    refused = await call(host, "plain", it=value)
    assert refused.code is None
    assert why in refused.message


@anyio_both
@pytest.mark.anyio
@pytest.mark.parametrize("given", [True, "approved", Allow(), None], ids=str)
@pytest.mark.anyio
async def test_a_wrong_answer_of_the_approval_names_the_right_ones(given: Any) -> None:
    host = host_with("a")
    host.pre_execute(lambda call: Ask("really?"))
    host.approval(lambda question: given)
    outcome = await call(host, "a", host.scope("ann"))
    assert not outcome.ok
    for right in ("allowed-once", "rejected", "cancelled", "unavailable"):
        assert right in outcome.message


@pytest.mark.anyio
async def test_whatever_equals_everything_approves_nothing() -> None:
    class Anything(str):
        __hash__ = str.__hash__

        def __eq__(self, other: object) -> bool:
            return True

    host = host_with("a")
    host.pre_execute(lambda call: Ask("really?"))
    host.approval(lambda question: Anything("no"))  # type: ignore[arg-type, return-value]
    assert not (await call(host, "a", host.scope("ann"))).ok


class Stop(BaseException):
    pass


@anyio_both
@pytest.mark.anyio
@pytest.mark.parametrize("stop", [KeyboardInterrupt, Stop])
@pytest.mark.parametrize("budget", [None, 30.0])
@pytest.mark.anyio
async def test_what_is_no_exception_comes_out_of_a_thread_as_itself(
    stop: type[BaseException], budget: float | None
) -> None:
    def body(arguments: dict[str, Any], context: Context) -> None:
        raise stop

    host = EmbeddedHost()
    host.register(tool("a", body, timeout=budget))
    with pytest.raises(stop):
        await call(host, "a")


@anyio_both
@pytest.mark.anyio
async def test_a_tool_or_hook_that_tries_to_exit_has_only_failed() -> None:
    def leave(*facts: Any) -> Any:
        raise SystemExit(3)

    host = EmbeddedHost()
    host.register(tool("a", leave), tool("b"))
    assert (await call(host, "a")).message == "a tried to exit the process"
    points: list[Any] = [host.guard, host.pre_execute, host.post_execute, host.around]
    for point in points:
        with point(lambda call, more=None: leave()):
            assert (await call(host, "b")).message == "policy of b tried to exit the process"
    with host.observe(lambda call, outcome: leave()):
        assert (await call(host, "b")).ok


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("error", "message"),
    [
        (KeyError("path"), "KeyError: 'path'"),
        (KeyError(), "a failed (KeyError)"),
        (RecursionError(), "a went too deep: RecursionError"),
    ],
    ids=repr,
)
async def test_what_an_exception_leaves_out_is_said(error: Exception, message: str) -> None:
    def body(arguments: dict[str, Any], context: Context) -> Any:
        raise error

    host = EmbeddedHost()
    host.register(tool("a", body))
    assert (await call(host, "a")).message == message


@anyio_both
@pytest.mark.anyio
async def test_a_cancellation_of_another_library_is_a_failure() -> None:
    async def body(arguments: dict[str, Any], context: Context) -> None:
        raise asyncio.CancelledError

    host = EmbeddedHost()
    host.register(tool("a", body))
    assert not (await call(host, "a")).ok


@pytest.mark.anyio
async def test_messages_are_bounded_whatever_is_sent() -> None:
    host = EmbeddedHost()
    host.register(tool("a", input_schema=CLOSED), tool("b", input_schema={"additionalProperties": {"type": "null"}}))
    unknown = await host.invoke(Call("a", {f"field_{number}": 1 for number in range(500)}))
    many = await host.invoke(Call("b", {f"field_{number}": 1 for number in range(500)}))
    longest = await host.invoke(Call("a", {"x" * 100_000: 1}))
    nowhere = await host.invoke(Call("x" * 100_000))
    for outcome in (unknown, many, longest, nowhere):
        assert not outcome.ok
        assert len(outcome.message) < 1500
    assert "495 more unknown fields" in unknown.text
    assert "480 more problems" in many.text


def one(call: Any, more: Any) -> Any: ...


MISUSES: dict[str, tuple[Callable[[Any], object], str, str]] = {
    "hook": (lambda host: host.guard("x"), "guard: 'x' is no function", "give one that takes (call)"),
    "scope": (
        lambda host: host.register(scope="ann"),
        "EmbeddedHost.register: scope is 'ann' (str)",
        "give a scope made by host.scope(name) or None",
    ),
    "spec": (
        lambda host: host.register(one),
        "EmbeddedHost.register: tools is <function one",
        "give a ToolSpec; what carries @tool is registered by Binder(host).register",
    ),
    "name": (lambda host: host.lookup(1), "EmbeddedHost.lookup: name is 1 (int)", "give str"),
    "names": (
        lambda host: host.restrict(scope=host.scope("ann"), deny=[1]),
        "EmbeddedHost.restrict: deny is [1] (list)",
        "give Collection[str] or None",
    ),
    "calls": (
        lambda host: host.invoke_all([Call("a"), "x"]),
        "invoke_all: calls[1] is 'x' (str)",
        "give Call(name, arguments)",
    ),
    "limit": (
        lambda host: host.invoke_all([], limit=0),
        "invoke_all: the limit is 0",
        "let 1 call or more run at once",
    ),
    "binder": (lambda host: Binder(host).load(cast("Any", 3)), "Binder.load: plugin is 3 (int)", "give str"),
    "concurrency": (
        lambda host: host.register(tool("x", concurrency=one)),
        "concurrency does not take (arguments)",
        "let it take them alone",
    ),
}


@pytest.mark.parametrize(("misuse", "what", "fix"), MISUSES.values(), ids=MISUSES)
def test_a_misuse_says_what_was_given_where_and_what_to_give(
    misuse: Callable[[Any], object], what: str, fix: str
) -> None:
    with pytest.raises(CapdecoError) as refusal:
        misuse(EmbeddedHost())
    (diagnostic,) = refusal.value.diagnostics
    assert diagnostic.what.startswith(what)
    assert diagnostic.fix == fix
    assert "beartype" not in str(diagnostic)
    assert "violates" not in str(diagnostic)


def test_a_hook_that_is_refused_is_named_with_its_place() -> None:
    hooks: list[Any] = [one, functools.partial(one)]
    for hook in hooks:
        with pytest.raises(HostError) as refusal:
            EmbeddedHost().guard(hook)
        place = refusal.value.diagnostics[0].place
        assert place is not None
        assert (place.file, place.line) == (__file__, one.__code__.co_firstlineno)
    assert repr(EmbeddedHost().around) == "<hook point around(call, proceed)>"


@pytest.mark.anyio
async def test_a_hook_that_misbehaves_is_named_with_its_file_and_line() -> None:
    host = host_with("a")
    host.guard(lambda call: 7)  # type: ignore[arg-type, return-value]
    message = (await call(host, "a")).message
    assert "(test_host_messages.py:" in message
    assert "a reason (text), a Deny or None" in message
    assert str(Path(__file__).parent) not in message


# Schemas of older dialects


@pytest.mark.skipif(not CATALOGS.is_dir(), reason="there are no catalogs")
def test_the_tools_of_real_servers_are_taken() -> None:
    schemas = [
        each[key]
        for file in sorted(CATALOGS.glob("*.json"))
        for each in _tools(json.loads(file.read_text(encoding="utf-8")))
        for key in ("inputSchema", "outputSchema")
        if each.get(key)
    ]
    assert len(schemas) > 60
    for schema in schemas:
        assert "$schema" not in compile_schema(schema).document


def _tools(catalog: Any) -> list[dict[str, Any]]:
    tools: list[dict[str, Any]] = catalog["tools"] if isinstance(catalog, dict) else catalog
    return tools


@pytest.mark.parametrize(
    ("schema", "keyword"),
    [
        ({"$schema": DRAFT_07, "properties": {"a": {"items": [{}]}}}, "items with a list"),
        ({"$schema": DRAFT_07, "dependencies": {"a": ["b"]}}, "dependencies"),
        ({"$schema": DRAFT_07, "properties": {"a": {"$ref": "#/definitions/b", "minLength": 1}}}, "beside $ref"),
        ({"$schema": DRAFT_07, "unevaluatedProperties": False}, "unevaluatedProperties"),
        ({"$schema": DRAFT_07, "definitions": {"b": {"$id": "#b"}}}, "$id with a name"),
        ({"$schema": "https://json-schema.org/draft/2019-09/schema", "$recursiveRef": "#"}, "$recursiveRef"),
        ({"$schema": "https://json-schema.org/draft/2019-09/schema", "items": [{}]}, "items with a list"),
    ],
)
def test_an_older_dialect_is_refused_where_it_means_something_else(schema: Any, keyword: str) -> None:
    with pytest.raises(UnsupportedSchema) as refusal:
        compile_schema(schema)
    assert keyword in str(refusal.value)


def test_an_older_dialect_that_says_the_same_is_taken() -> None:
    older = compile_schema(
        {
            "$schema": DRAFT_07,
            "type": "object",
            "properties": {"a": {"$ref": "#/definitions/b", "description": "An a."}},
            "definitions": {"b": {"type": "string"}},
            "additionalProperties": False,
        }
    )
    assert older.accepts({"a": "x"})
    assert not older.accepts({"a": 1})
    assert older.closed == frozenset({"a"})
