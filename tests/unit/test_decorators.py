"""The life of a declaration: what stands above and below it, what carries it, and what becomes of it in subclasses."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import inspect
import pickle
import timeit
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Concatenate, ParamSpec, TypeVar

import pytest

from capdeco.bind.codec import body_of
from capdeco.declare.capabilities import capability, capability_carried_by, operations_of
from capdeco.declare.functions import FunctionInput
from capdeco.declare.operations import operation, operation_carried_by
from capdeco.declare.steps import Step
from capdeco.declare.tools import Tool, tool, tool_carried_by, tool_of
from capdeco.errors import DeclarationError
from capdeco.reading import read_function

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
NO_CONTEXT: Any = None
STEPS = [{"tool": "some_tool"}]


def retry(function: Callable[P, R]) -> Callable[P, R]:
    """Call again, as such decorators do."""

    @functools.wraps(function)
    def again(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except OSError:
            return function(*args, **kwargs)

    return again


def call(declared: Any, **arguments: Any) -> Any:
    record = tool_of(declared)
    result = body_of(record.takes, read_function(record.takes))(arguments, NO_CONTEXT)
    if inspect.isawaitable(result):

        async def finish(pending: Awaitable[Any]) -> Any:
            return await pending

        return asyncio.run(finish(result))
    return result


def fields(declared: Any) -> list[str]:
    return list(read_function(tool_of(declared).takes).takes.fields)


# Giving back what was given


def plain(number: int, *, text: str = "x") -> str:
    """Repeat a text."""
    return text * number


def test_a_decorated_function_is_the_same_function() -> None:
    signature, name = inspect.signature(plain), plain.__qualname__

    def copy(number: int, *, text: str = "x") -> str:
        """Repeat a text."""
        return text * number

    assert tool(copy) is copy
    assert tool()(plain) is plain
    assert inspect.signature(plain) == signature
    assert plain.__qualname__ == name
    assert plain(2, text="a") == "aa"
    assert pickle.loads(pickle.dumps(plain)) is plain


def test_decorating_costs_microseconds() -> None:
    def declare() -> None:
        def function(number: int) -> None:
            """Do it."""

        tool(function)

    # Reading types or docstrings here would cost milliseconds.
    assert min(timeit.repeat(declare, number=20, repeat=5)) / 20 < 0.001


# Below and above others


def test_a_tool_above_a_wrapper_reads_the_function_and_runs_the_wrapper() -> None:
    tries: list[int] = []

    @tool
    @retry
    def flaky(number: int) -> int:
        """Fail once."""
        tries.append(number)
        if len(tries) == 1:
            raise OSError
        return number

    assert fields(flaky) == ["number"]
    assert call(flaky, number=2.0) == 2
    assert tries == [2, 2]
    place = tool_of(flaky).place
    assert place is not None
    assert place.line == flaky.__wrapped__.__code__.co_firstlineno + 2  # type: ignore[attr-defined]


class Database:
    """No field of an input: it has no JSON form."""


def with_database(function: Callable[Concatenate[Database, P], R]) -> Callable[P, R]:
    @functools.wraps(function)
    def connected(*args: P.args, **kwargs: P.kwargs) -> R:
        return function(Database(), *args, **kwargs)

    return connected


def connected_to(
    name: str,
) -> Callable[[Callable[Concatenate[T, Database, P], R]], Callable[Concatenate[T, P], R]]:
    def decorate(function: Callable[Concatenate[T, Database, P], R]) -> Callable[Concatenate[T, P], R]:
        @functools.wraps(function)
        def connected(self: T, /, *args: P.args, **kwargs: P.kwargs) -> R:
            return function(self, Database(), *args, **kwargs)

        return connected

    return decorate


def test_what_a_decorator_fills_in_by_its_type_is_no_field() -> None:
    @tool
    @retry
    @with_database
    @retry
    def count(database: Database, number: int) -> int:
        """Count."""
        assert isinstance(database, Database)
        return number

    class Store:
        @connected_to("main")
        def count(self, database: Database, number: int) -> int:
            """Count."""
            assert isinstance(database, Database)
            return number

    for declared in (count, Tool.of(Store().count)):
        assert fields(declared) == ["number"]
        assert call(declared, number=3) == 3


def test_a_signature_that_a_wrapper_states_counts() -> None:
    def connect(function: Callable[..., int]) -> Callable[[int], int]:
        @functools.wraps(function)
        def connected(*args: Any, **kwargs: Any) -> int:
            return function(Database(), *args, **kwargs)

        said = inspect.signature(function)
        connected.__signature__ = said.replace(  # type: ignore[attr-defined]
            parameters=list(said.parameters.values())[1:]
        )
        return connected

    @tool
    @connect
    def count(database: Database, number: int) -> int:
        """Count."""
        return number

    assert fields(count) == ["number"]
    assert call(count, number=3) == 3


def test_a_wrapper_that_cannot_be_called_as_it_says_is_refused() -> None:
    def connect(function: Callable[[Database, int], int]) -> Callable[[int], int]:
        @functools.wraps(function)
        def connected(number: int) -> int:
            return function(Database(), number)

        return connected

    def for_tenant(function: Callable[[int], int]) -> Callable[[str, int], int]:
        @functools.wraps(function)
        def served(tenant: str, *args: Any, **kwargs: Any) -> int:
            return function(*args, **kwargs)

        return served

    def count(database: list[str], number: int) -> int:
        """Count."""
        return number

    def double(number: int) -> int:
        """Double."""
        return 2 * number

    with pytest.raises(DeclarationError, match=r'"database" of "count".*does not take it') as caught:
        fields(Tool.of(connect(count)))  # type: ignore[arg-type]
    assert "__signature__" in str(caught.value)
    with pytest.raises(DeclarationError, match='requires "tenant" too'):
        fields(Tool.of(for_tenant(double)))


def test_a_wrapper_of_an_async_function_hands_on_its_coroutine() -> None:
    @tool
    @retry
    async def later(number: int) -> int:
        """Wait."""
        return number

    assert call(later, number=1) == 1


def test_a_tool_below_a_wrapper_is_lost() -> None:
    @retry  # type: ignore[capdeco-declaration]
    @tool
    def function(number: int) -> None:
        """Do it."""

    with pytest.raises(DeclarationError, match="put @tool above that decorator"):
        tool_of(function)
    with pytest.raises(DeclarationError, match="loses @"):
        tool_carried_by(function)


def test_an_operation_below_a_wrapper_is_lost_and_its_capability_refused() -> None:
    class Group:
        @retry  # type: ignore[capdeco-declaration]
        @operation(steps=STEPS)
        def run(self, number: int) -> None:
            """Do it."""

    with pytest.raises(DeclarationError, match="put @operation above that decorator"):
        capability(id="group", description="A group.")(Group)


def test_an_operation_above_a_wrapper_is_the_function_below() -> None:
    @operation(steps=STEPS)
    @retry
    def run(number: int) -> None:
        """Do it."""

    record = operation_carried_by(run)
    assert record is not None
    assert isinstance(record.takes, FunctionInput)
    assert list(read_function(record.takes).takes.fields) == ["number"]

    with pytest.raises(DeclarationError, match="would never run"):

        @operation(steps=STEPS)
        @retry
        def walk(number: int) -> None:
            """Do it."""
            del number  # type: ignore[capdeco-declaration]


def test_a_tool_on_a_cached_function() -> None:
    runs: list[int] = []

    @tool
    @functools.lru_cache
    def cached(number: int) -> int:
        """Count."""
        runs.append(number)
        return number

    assert [call(cached, number=1), call(cached, number=1), runs] == [1, 1, [1]]


def test_a_cache_on_a_tool_loses_it() -> None:
    @functools.lru_cache  # type: ignore[capdeco-declaration]
    @tool
    def cached(number: int) -> int:
        """Count."""
        return number

    with pytest.raises(DeclarationError, match="loses @"):
        tool_of(cached)


def test_a_generator_gives_more_than_one_result_and_a_context_manager_none() -> None:
    @tool
    def several(number: int) -> Iterator[int]:  # type: ignore[capdeco-declaration]
        """Yield."""
        yield number

    @tool
    @contextlib.contextmanager
    def managed(number: int) -> Iterator[int]:  # type: ignore[capdeco-declaration]
        """Yield."""
        yield number

    for each in (several, managed):
        takes = tool_of(each).takes
        with pytest.raises(DeclarationError, match=r"Iterator has no JSON form|it makes a generator"):
            body_of(takes, read_function(takes))


@pytest.mark.parametrize("again", [tool, operation(steps=STEPS)])
def test_the_same_decorator_twice_is_refused(again: Callable[[Any], Any]) -> None:
    def function(number: int) -> None:
        """Do it."""

    again(function)
    with pytest.raises(DeclarationError, match="twice: it is declared once"):
        again(function)


def test_a_function_is_declared_once() -> None:
    def both() -> None:
        @tool  # type: ignore[capdeco-declaration]
        @operation(steps=STEPS)
        def function(number: int) -> None:
            """Do it."""

    def both_the_other_way() -> None:
        @operation(steps=STEPS)  # type: ignore[capdeco-declaration]
        @tool
        def function(number: int) -> None:
            """Do it."""

    def twice() -> None:
        @tool  # type: ignore[capdeco-declaration]
        @tool
        def function(number: int) -> None:
            """Do it."""

    for declare, said in (
        (both, "both @tool and @operation"),
        (both_the_other_way, "both @operation and @tool"),
        (twice, "@tool twice"),
    ):
        with pytest.raises(DeclarationError, match=f'"function" has {said}: it is declared once') as caught:
            declare()
        place = caught.value.diagnostics[0].place
        assert place is not None
        assert place.line in range(declare.__code__.co_firstlineno + 2, declare.__code__.co_firstlineno + 5)


class Store:
    @tool
    def read(self, word: str) -> str:
        """Read."""
        return word


@capability(id="cap", description="C.")
class Cap:
    @operation(steps=STEPS)
    def go(self, word: str) -> None:
        """Go."""


@capability(id="alone", description="A.")
@operation(steps=STEPS, name="run")
def alone(word: str) -> None:
    """Go."""


def test_what_a_step_cannot_name_is_told_what_it_is_and_what_to_name() -> None:
    store = Store()

    @operation(steps=STEPS)
    def free(word: str) -> None:
        """Go."""

    for target, what, fix in (
        (store.read, '"read" is a method of an object', 'READ = Tool.of(instance.read, name="read")'),
        (Cap.go, '"go" is an operation', 'Step("cap_go")'),
        (Cap().go, '"go" is an operation', 'Step("cap_go")'),
        (alone, '"alone" is an operation', 'Step("alone_run")'),
        (free, '"free" is an operation', 'Step("<id>_free")'),
        (Cap, '"Cap" is a capability', 'Step("cap_go")'),
    ):
        for use in (Step, lambda each: Tool.of(plain, uses=[each])):
            with pytest.raises(DeclarationError) as caught:
                use(target)
            (found,) = caught.value.diagnostics
            assert what in found.what
            assert fix in found.fix
            assert found.place is not None
            assert found.place.file == __file__
    assert Step(Tool.of(store.read)).tool == "read"
    with pytest.raises(DeclarationError, match="is an operation"):
        Tool.of(Cap.go)  # type: ignore[capdeco-declaration]


# Methods


class Methods:
    factor = 3

    @staticmethod
    @tool
    def static_outside(number: int) -> int:
        """Count."""
        return number

    @tool
    @staticmethod
    def static_inside(number: int) -> int:
        """Count."""
        return number

    @classmethod
    @tool
    def class_outside(cls, number: int) -> int:
        """Count."""
        return number * cls.factor

    @tool
    @classmethod
    def class_inside(cls, number: int) -> int:
        """Count."""
        return number * cls.factor

    @tool
    def bound(self, number: int) -> int:
        """Count."""
        return number * self.factor


@pytest.mark.parametrize(
    ("name", "result"), [("static_outside", 2), ("static_inside", 2), ("class_outside", 6), ("class_inside", 6)]
)
def test_static_and_class_methods_are_tools_on_either_side(name: str, result: int) -> None:
    declared = vars(Methods)[name]
    assert fields(declared) == ["number"]
    assert call(declared, number=2) == result


def test_a_method_needs_an_instance() -> None:
    assert fields(Methods.bound) == ["number"]
    with pytest.raises(DeclarationError) as refused:
        call(Methods.bound, number=2)
    (found,) = refused.value.diagnostics
    assert found.what == "it is a method, and there is no instance to call it on"
    assert found.fix == "make it a static method, or declare the bound one with Tool.of(instance.method)"
    assert call(Tool.of(Methods().bound), number=2) == 6
    assert call(Tool.of(Methods.class_outside), number=2) == 6


def test_a_class_method_of_a_class_that_cannot_be_found() -> None:
    class Local:
        @tool
        @classmethod
        def method(cls, number: int) -> int:
            """Count."""
            return number

    with pytest.raises(DeclarationError, match=r"declare it with Tool.of\(TheClass.method\)"):
        call(vars(Local)["method"], number=2)
    assert call(Tool.of(Local.method), number=2) == 2


# Callables of every kind


class Adder:
    """Add to what it holds."""

    def __init__(self, held: int) -> None:
        self.held = held

    def __call__(self, number: int) -> int:
        return self.held + number


class Later:
    """Add later."""

    async def __call__(self, number: int) -> int:
        return number


def add(one: int, two: int, *, three: int = 0) -> int:
    """Add."""
    return one + two + three


def test_partials_take_what_is_left() -> None:
    assert fields(Tool.of(functools.partial(add, 1), name="add")) == ["two", "three"]
    assert call(Tool.of(functools.partial(add, 1), name="add"), two=2) == 3
    assert fields(Tool.of(functools.partial(add, three=1))) == ["one", "two"]
    assert call(Tool.of(functools.partial(functools.partial(add, 1), three=1)), two=2) == 4
    assert call(Tool.of(functools.partial(Adder(1).__call__, 2), name="add", description="Add.")) == 3


def test_objects_that_can_be_called() -> None:
    assert fields(Tool.of(Adder(2), name="add")) == ["number"]
    assert call(Tool.of(Adder(2), name="add"), number=1) == 3
    assert call(Tool.of(Later(), name="later"), number=1) == 1


def test_a_class_is_called_to_make_its_object() -> None:
    record = Tool.of(Adder, name="adder")
    assert fields(record) == ["held"]


@pytest.mark.parametrize("builtin", [len, print, dict.get, max])
def test_builtins_say_too_little(builtin: Callable[..., Any]) -> None:
    record = Tool.of(builtin, name="builtin")
    with pytest.raises(DeclarationError, match=r"annotate it|wrap it in a function of your own"):
        read_function(record.takes)


def test_what_cannot_be_called_or_carries_nothing() -> None:
    nothing: Any = 3
    with pytest.raises(DeclarationError, match="3 is not callable"):
        Tool.of(nothing, name="nothing")
    with pytest.raises(DeclarationError, match=r"Tool\.of\(callable, name=\.\.\.\)"):
        tool(len)
    with pytest.raises(DeclarationError, match="on a function, not on"):
        operation(steps=STEPS)(Adder(1))
    with pytest.raises(DeclarationError, match="is no tool: it does not carry @tool"):
        tool_of(add)


def test_a_partial_is_described_by_its_function() -> None:
    def silent(number: int) -> None: ...

    with pytest.raises(DeclarationError, match="has no description"):
        Tool.of(functools.partial(silent, 1))
    assert read_function(Tool.of(functools.partial(add, 1)).takes).description == "Add."


# Subclasses


class First:
    @operation(steps=STEPS)
    def one(self, number: int) -> None:
        """One of First."""

    @operation(steps=STEPS)
    def two(self, number: int) -> None:
        """Two of First."""


class Mixin:
    @operation(steps=STEPS)
    def mixed(self) -> None:
        """Mixed in."""


def names(owner: type) -> list[str]:
    return [each.name for each in operations_of(owner)]


def test_inherited_operations_come_first_and_an_override_keeps_its_place() -> None:
    class Second(Mixin, First):
        @operation(steps=STEPS)
        def three(self) -> None:
            """Three of Second."""

        @operation(steps=STEPS)
        def one(self, text: str) -> None:  # type: ignore[override]  # other parameters are the point
            """One of Second."""

    assert names(Second) == ["one", "two", "mixed", "three"]
    assert operations_of(Second)[0].takes.function is Second.one  # type: ignore[union-attr]


def test_an_operation_can_be_taken_away_and_not_be_lost() -> None:
    class Less(First):
        one = None  # type: ignore[assignment]

    assert names(Less) == ["two"]
    with pytest.raises(DeclarationError, match=r'"Lost.one" overrides an operation and is none itself'):

        @capability(id="lost", description="Lost.")
        class Lost(First):
            def one(self, number: int) -> None:  # type: ignore[capdeco-declaration]
                """Forgotten."""


def test_a_subclass_is_not_a_second_capability() -> None:
    @capability(id="base", description="Base.")
    class Base(First):
        pass

    class Derived(Base):
        pass

    assert capability_carried_by(Base)
    assert capability_carried_by(Derived) is None
    again = capability(id="derived", description="Derived.")(Derived)
    record = capability_carried_by(again)
    assert record is not None
    assert record.id == "derived"
    assert pickle.loads(pickle.dumps(First)) is First
