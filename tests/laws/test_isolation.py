"""Nobody who sees a call can change what another sees of it."""

from __future__ import annotations

import json
import math
from collections.abc import Awaitable, Callable
from copy import deepcopy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from capdeco import Call, Context, EmbeddedHost
from capdeco.host.policy import ToolCall
from capdeco.host.protocol import ToolSpec
from capdeco.result import Failure, Success
from tests.laws.running import run

finite = st.floats(allow_nan=False, allow_infinity=False).filter(lambda number: str(number) != "-0.0")
scalars = st.none() | st.booleans() | st.integers() | finite | st.text()
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3), max_leaves=8
)
objects = st.dictionaries(st.text(), values, max_size=3)


def spoil(value: Any) -> None:
    """Change everything that can be changed."""
    if isinstance(value, dict):
        for inner in value.values():
            spoil(inner)
        value.clear()
        value["spoilt"] = True
    elif isinstance(value, list | tuple):
        for inner in value:
            spoil(inner)
        if isinstance(value, list):
            value[:] = ["spoilt"]


class Spoilers:
    """Hooks and bodies that write down what they are given, and then spoil it."""

    def __init__(self, returns: Any) -> None:
        self.returns = returns
        self.arguments: list[str] = []
        self.values: list[str] = []
        self.contents: list[str] = []
        self.kept: list[Any] = []

    def take(self, seen: list[str], value: Any) -> None:
        seen.append(json.dumps(value))
        spoil(value)

    def before(self, call: ToolCall) -> None:
        self.take(self.arguments, call.arguments)
        self.take(self.arguments, call.arguments)

    def after(self, call: ToolCall, outcome: Success | Failure) -> None:
        self.before(call)
        self.result(outcome)
        self.result(outcome)

    async def around(self, call: ToolCall, proceed: Callable[[], Awaitable[Any]]) -> Any:
        self.before(call)
        outcome = await proceed()
        self.after(call, outcome)
        return outcome

    async def twice(self, call: ToolCall, proceed: Callable[[], Awaitable[Any]]) -> Any:
        await proceed()
        return await proceed()

    async def inner(self, arguments: dict[str, Any], context: Context) -> Any:
        self.take(self.arguments, arguments)
        self.kept.append(deepcopy(self.returns))
        return self.kept[-1]

    async def outer(self, arguments: dict[str, Any], context: Context) -> Any:
        outcome = await context.dispatch("inner", arguments)
        self.take(self.arguments, arguments)
        self.result(outcome)
        self.kept.append(deepcopy(self.returns))
        return self.kept[-1]

    def result(self, outcome: Success | Failure) -> None:
        assert outcome.ok
        spoil(self.kept)  # what the bodies returned is theirs, and they may go on changing it
        self.take(self.values, outcome.value)
        self.take(self.contents, outcome.content)


@given(arguments=objects, returns=values)
def test_everybody_sees_what_the_caller_gave_and_what_the_body_returned(arguments: Any, returns: Any) -> None:
    everybody = Spoilers(returns)
    host = EmbeddedHost()
    host.pre_execute(everybody.before)
    host.guard(everybody.before)
    host.around(everybody.around)
    host.around(everybody.twice)
    host.around(everybody.around)
    host.post_execute(everybody.after)
    host.observe(everybody.after)
    host.observe(everybody.after)
    for name, body in (("inner", everybody.inner), ("outer", everybody.outer)):
        host.register(ToolSpec(name=name, description=name, input_schema={"type": "object"}, body=body))

    given_arguments = deepcopy(arguments)
    outcome = run(host.invoke(Call("outer", given_arguments)))
    assert given_arguments == arguments
    everybody.result(outcome)
    assert set(everybody.arguments) == {json.dumps(arguments)}
    assert set(everybody.values) == {json.dumps(returns)}
    assert len(set(everybody.contents)) == 1


@given(arguments=objects)
def test_what_the_caller_does_to_its_arguments_afterwards_is_not_seen(arguments: Any) -> None:
    """The first hook runs the caller's next line: the call must have its own copy by then."""
    seen = []
    host = EmbeddedHost()
    mine = deepcopy(arguments)
    host.pre_execute(lambda call: spoil(mine))

    async def body(arguments: dict[str, Any], context: Context) -> None:
        seen.append(json.dumps(arguments))

    host.register(ToolSpec(name="tool", description="tool", input_schema={"type": "object"}, body=body))
    assert run(host.invoke(Call("tool", mine))).ok
    assert seen == [json.dumps(arguments)]


def test_what_its_author_does_to_a_schema_after_registration_concerns_nobody() -> None:
    schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    before = json.dumps(schema)
    host = EmbeddedHost()

    async def body(arguments: dict[str, Any], context: Context) -> Any:
        return arguments

    host.register(ToolSpec(name="tool", description="tool", input_schema=schema, output_schema=schema, body=body))
    spoil(schema)
    spec = host.catalog()["tool"]
    assert json.dumps(spec.input_schema) == json.dumps(spec.output_schema) == before
    assert not run(host.invoke(Call("tool", {"spoilt": True}))).ok


odd = st.sampled_from(
    [math.nan, math.inf, -math.inf, -0.0, (), {1: 2}, {None: 1}, b"", object(), "\ud800", {"\udfff": 1}]
)
anything = st.recursive(
    scalars | odd,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


def is_lossless(value: Any) -> bool:
    """The contract's list of what is JSON, type by type."""
    match value:
        case None | bool() | int():
            return True
        case float():
            return math.isfinite(value) and not (value == 0 and str(value).startswith("-"))
        case str():
            return not any("\ud800" <= character <= "\udfff" for character in value)
        case list():
            return all(map(is_lossless, value))
        case dict():
            return all(isinstance(key, str) and is_lossless(key) and is_lossless(item) for key, item in value.items())
    return False


@given(value=anything)
def test_exactly_what_has_a_json_form_is_taken_as_an_argument_and_as_a_result(value: Any) -> None:
    host = EmbeddedHost()

    async def body(arguments: dict[str, Any], context: Context) -> Any:
        return value

    host.register(ToolSpec(name="tool", description="tool", input_schema={"type": "object"}, body=body))
    returned = run(host.invoke(Call("tool")))
    passed = run(host.invoke(Call("tool", {"value": value})))
    if is_lossless(value):
        assert returned.ok
        assert returned.value == value
        assert passed.ok
    else:
        assert not returned.ok
        assert returned.code == "INVALID_TOOL_OUTPUT"
        assert not passed.ok
        assert passed.code is None
