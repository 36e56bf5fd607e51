"""Options of tools that are written out, and tools that are made of other callables by `Tool.of`."""

import functools
import math
from collections.abc import Awaitable, Callable
from typing import Any, Final, ParamSpec, TypeVar

import attrs
from typing_extensions import Unpack

from capdeco import Context, Step, Tool, capability, operation, tool

from tests.typing.cases.catalog import plain_elsewhere as elsewhere

SECONDS: Final = -2
HINT: Final = "read_only"


@tool(timeout=2.5, annotations={"title": "It", "read_only": True})
def right(path: str) -> None:
    """d"""


@tool(timeout=-1)  # E: capdeco-declaration
def negative(path: str) -> None:
    """d"""


@tool(timeout=0.0)  # E: capdeco-declaration
def zero(path: str) -> None:
    """d"""


@tool(timeout=math.inf)  # E: capdeco-declaration
def endless(path: str) -> None:
    """d"""


@tool(timeout=SECONDS)  # E: capdeco-declaration
def by_name(path: str) -> None:
    """d"""


def seconds() -> float:
    return 3.0


@tool(timeout=seconds())
def computed(path: str) -> None:
    """d"""


@tool(annotations={"readonly": True})  # E: capdeco-declaration
def misspelt(path: str) -> None:
    """d"""


@tool(annotations={HINT: "yes", "title": "t"})  # E: capdeco-declaration
def text_for_truth(path: str) -> None:
    """d"""


@tool(annotations={"title": True})  # E: capdeco-declaration
def truth_for_text(path: str) -> None:
    """d"""


def plain(path: str) -> None:
    """d"""


@tool(uses=[right, "anything"])
def uses_tools(path: str) -> None:
    """d"""


@tool(uses=[plain])  # E: capdeco-declaration
def uses_function(path: str) -> None:
    """d"""


@tool(uses=(right, len))  # E: capdeco-declaration
def uses_builtin(path: str) -> None:
    """d"""


tool(lambda: None)  # E: capdeco-declaration
tool(name="fine", description="d")(lambda: None)
tool(name="no-words")(lambda: None)  # E: capdeco-declaration
tool(name="no-types", description="d")(lambda path: None)  # E: capdeco-declaration


@tool
def one_context(context: Context, path: str) -> None:
    """d"""


@tool
def two_contexts(
    context: Context,
    path: str,
    other: Context | None = None,  # E: capdeco-declaration
) -> None:
    """d"""


@tool
def unpacked(path: tuple[int, Unpack[tuple[str, ...]]]) -> None:  # E: capdeco-declaration
    """d"""


# Tool.of


class Reader:
    def read(self, path: str) -> str:
        """d"""
        return path


READ = Tool.of(Reader().read, name="reader-read")
SAME = Tool.of(plain)
COMPUTED = Tool.of(plain, name=f"{seconds()}")
Tool.of(plain, name="no spaces")  # E: capdeco-declaration
Tool.of(plain, description=" ")  # E: capdeco-declaration
Tool.of(plain, timeout=-1)  # E: capdeco-declaration
Tool.of(lambda path: None, name="x", description="d")  # E: capdeco-declaration


class Plain:
    x: int


def takes_plain(thing: Plain) -> None:
    """d"""


Tool.of(takes_plain)  # E: capdeco-declaration


@capability(id="made", description="d")
class Made:
    @operation(steps=[Step(READ)])
    def right(self, path: str) -> None:
        """d"""

    @operation(steps=[Step(READ)])  # E: capdeco-missing
    def missing(self, file: str) -> None:
        """d"""

    @operation(steps=[Step(READ)])  # E: capdeco-type
    def type(self, path: int) -> None:
        """d"""

    @operation(steps=[Step("reader-read")])  # E: capdeco-type
    def by_name(self, path: int) -> None:
        """d"""

    @operation(steps=[Step(SAME)])
    def unused(self, path: str, more: str) -> None:  # E: capdeco-unused
        """d"""

    @operation(steps=[Step(Tool.of(plain, name="inline"))])  # E: capdeco-missing
    def inline(self) -> None:
        """d"""

    @operation(steps=[Step(COMPUTED)])  # E: capdeco-missing
    def name_only_is_computed(self) -> None:
        """d"""

    @operation(steps=[Step("plain")])
    def made_under_its_own_name(self, path: str) -> None:
        """d"""


# Steps that are wrong in themselves, whatever type their `from_` has


def steps_of(source: str | None, anything: Any, perhaps: Any | None) -> None:
    Step("bad name", source)  # E: capdeco-declaration
    Step("bad name", anything)  # E: capdeco-declaration
    Step("bad name", perhaps)  # E: capdeco-declaration
    Step("bad name", from_=None)  # E: capdeco-declaration
    Step(plain, source)  # E: capdeco-declaration
    Step(right, source)
    Step(right, perhaps)


# Methods and classes


@capability(id="methods", description="d")
class Methods:
    @operation(steps=[Step(right)])
    def with_context(
        self,
        path: str,
        context: Context,  # E: capdeco-declaration
    ) -> None:
        """d"""

    @operation(steps=[Step(right)])
    def no_self(path: str) -> None:  # type: ignore[misc]  # E: capdeco-declaration
        """d"""

    @operation(steps=[Step(right)])
    @staticmethod
    def static(path: str) -> None:
        """d"""


@capability(id="twice", description="d")
class Twice:
    @operation(steps=[Step(right)])
    def run(self, path: str) -> None:
        """d"""

    @operation(steps=[Step(right)])  # type: ignore[no-redef]
    def run(self, path: str) -> None:  # E: capdeco-declaration
        """d"""


@attrs.define  # E: capdeco-declaration
@capability(id="slotted", description="d")
class Slotted:
    @operation(steps=[Step(right)])
    def run(self, path: str) -> None:
        """d"""


@capability(id="below", description="d")
@attrs.define
class Below:
    @operation(steps=[Step(right)])
    def run(self, path: str) -> None:
        """d"""


@attrs.define(slots=False)
@capability(id="without_slots", description="d")
class WithoutSlots:
    @operation(steps=[Step(right)])
    def run(self, path: str) -> None:
        """d"""


# What only looks wrong


KeepT = TypeVar("KeepT", bound=Callable[..., Any])
P = ParamSpec("P")
R = TypeVar("R")


def keep(function: KeepT) -> KeepT:
    return function


def keep_as(name: str) -> Callable[[KeepT], KeepT]:
    del name
    return keep


def again(function: Callable[P, Awaitable[R]]) -> Callable[P, Awaitable[R]]:
    @functools.wraps(function)
    async def called(*args: P.args, **kwargs: P.kwargs) -> R:
        return await function(*args, **kwargs)

    return called


def in_background(function: Callable[P, R]) -> Callable[P, Awaitable[R]]:
    @functools.wraps(function)
    async def called(*args: P.args, **kwargs: P.kwargs) -> R:
        return function(*args, **kwargs)

    return called


def anything(function: Any) -> Any:
    return function


@tool
@again
async def awaited(path: str) -> str:
    """d"""
    return path


@tool
@in_background
def made_async(path: str) -> str:
    """d"""
    return path


@tool
def gives_awaitable(path: str) -> Awaitable[str]:  # E: capdeco-declaration
    """d"""
    raise NotImplementedError


@keep
@tool
def kept(path: str) -> None:
    """d"""


@keep_as("it")
@tool
def kept_as(path: str) -> None:
    """d"""


@tool
@functools.wraps(plain)
def wrapped(*args: Any, **kwargs: Any) -> Any:
    return plain(*args, **kwargs)


def called(path: str) -> None:
    """d"""


def called_later(path: str) -> None:
    """d"""


def undocumented(path: str) -> None:
    return None


tool(called)
tool(name="later")(called_later)
tool(elsewhere)
tool(undocumented)  # E: capdeco-declaration
Tool.of(undocumented)  # E: capdeco-declaration


@tool  # E: capdeco-declaration
@tool
def twice(path: str) -> None:
    """d"""


class Store:
    @tool(expose=False)
    def read(self, path: str) -> str:
        """d"""
        return path


@capability(id="looks", description="d")
class Looks:
    @operation(steps=[Step(called), Step(called_later)])
    def tagged_by_a_call(self, path: str) -> None:
        """d"""

    @operation(steps=[Step(called_later)])  # E: capdeco-missing
    def tagged_by_a_call_and_wrong(self, file: str) -> None:
        """d"""

    @operation(steps=[Step(elsewhere)])
    def tagged_here_though_declared_elsewhere(self, n: int) -> None:
        """d"""

    @operation(steps=[Step(Store.read)])
    def method_of_a_class(self, path: str) -> None:
        """d"""

    @operation(steps=[Step(Store().read)])  # E: capdeco-declaration
    def method_of_an_object(self, path: str) -> None:
        """d"""

    @operation(steps=[Step(Made.right)])  # E: capdeco-declaration
    def operation_as_a_step(self, path: str) -> None:
        """d"""

    @operation(steps=[Step(right, from_=None)])  # E: capdeco-missing
    def explicitly_none(self, file: str) -> None:
        """d"""

    @keep
    @operation(steps=[Step(right)])
    def kept(self, path: str) -> None:
        """d"""

    @operation(steps=[Step(right)])
    def constants(self, path: str) -> None:
        """d"""
        3
        None
        name: int


@capability(id="unknown_above", description="d")
class UnknownAbove:
    @anything  # E: capdeco-unchecked
    @operation(steps=[Step(right)])
    def run(self, path: str) -> None:
        """d"""


@capability(id="conditional", description="d")
class Conditional:
    if seconds() > 1:

        @operation(steps=[Step(right)], name="run")
        def quick(self, path: str) -> None:
            """d"""

    else:

        @operation(steps=[Step(right)], name="run")
        def slow(self, path: str) -> None:
            """d"""
