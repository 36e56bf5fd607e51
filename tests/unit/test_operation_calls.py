"""Calling operations: what is refused before any step runs, and what a declaration must not say."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Annotated, Any

import msgspec
import pytest

from capdeco import Binder, Call, Context, EmbeddedHost, Step, Tool, capability, operation, tool
from capdeco.errors import CapdecoError
from capdeco.host.policy import Accept, ToolCall
from capdeco.result import Failure, Success
from capdeco.testing import recorded


@tool(expose=False)
async def disk_wipe(path: str) -> str:
    """Wipe a disk."""
    return path


@tool(expose=False)
async def disk_store(data: bytes, day: date, copies: Annotated[int, msgspec.Meta(ge=1)] = 1) -> int:
    """Store data."""
    return len(data) * copies


@capability(id="disk", description="Disks.")
class Disk:
    @operation(steps=[Step(disk_wipe), Step(disk_store)])
    def replace(self, path: str, data: bytes, day: date, copies: Annotated[int, msgspec.Meta(ge=1)] = 1) -> None:
        """Replace what is on a disk."""


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"data": "not base64!"}, "data: is not base64"),
        ({"day": "2026-02-30"}, "day: "),
        ({"copies": 0}, "copies: "),
        ({"path": 3}, "path: "),
    ],
)
async def test_a_value_that_the_operation_itself_does_not_take_stops_it_before_its_first_step(
    wrong: dict[str, Any], says: str
) -> None:
    host = EmbeddedHost()
    Binder(host).register(disk_wipe, disk_store, Disk)
    right = {"path": "/p", "data": "AAAA", "day": "2026-02-28"}
    assert (await host.invoke(Call("disk_replace", right))).ok
    with recorded(host) as dispatches:
        result = await host.invoke(Call("disk_replace", {**right, **wrong}))
    assert not result.ok
    assert result.code == "INVALID_ARGS"
    assert says in result.message
    assert [each.name for each in dispatches] == ["disk_replace"]


@tool
def disk_read(path: str) -> str:
    """Read."""
    raise OSError(f"no {path}")


@tool
def disk_note(path: str) -> bool:
    """Note, and say no."""
    return False


@capability(id="inner", description="Inner.")
@operation(steps=[Step(disk_read)])
def read(path: str) -> None:
    """Read a file."""


@capability(id="outer", description="Outer.")
@operation(steps=[Step("inner_read"), Step(disk_note)])
def read_and_note(path: str) -> None:
    """Read a file, then note it."""


@pytest.mark.parametrize(
    ("replace", "failed_step"),
    [
        (lambda report: report, "inner_read"),
        (lambda report: dict(sorted(report.items(), reverse=True)), "inner_read"),
        (lambda report: {"ok": False}, "inner_read"),
        (lambda report: {"hidden": False}, None),
        (lambda report: {"steps": "hidden", "ok": False}, "inner_read"),
        (lambda report: {"ok": 0}, None),
    ],
)
async def test_an_inner_operation_that_stopped_stops_the_outer_however_policy_writes_its_report(
    replace: Callable[[Any], Any], failed_step: str | None
) -> None:
    host = EmbeddedHost()
    Binder(host).register(disk_read, disk_note, read, read_and_note)
    noted = []

    @host.observe
    def note(call: ToolCall, outcome: Success | Failure) -> None:
        noted.append(call.name)

    @host.post_execute
    def rewrite(call: ToolCall, outcome: Success | Failure) -> Accept | None:
        return Accept(value=replace(outcome.value)) if call.name == "inner_read" and outcome.ok else None

    outcome = await host.invoke(Call("outer_read_and_note", {"path": "a"}))
    assert outcome.ok
    report = outcome.value
    assert report.get("failedStep") == failed_step
    assert report["steps"][0]["ok"] == (failed_step is None)
    assert ("disk_note" in noted) == (failed_step is None)


def refused(declare: Callable[[], object]) -> str:
    with pytest.raises(CapdecoError) as caught:
        declare()
    (found,) = caught.value.diagnostics
    assert found.place is not None
    assert found.place.file == __file__
    return str(found)


def test_there_is_one_context_and_none_for_an_operation() -> None:
    async def two(first: Context, second: Context) -> None:
        """Take two."""

    @capability(id="cap", description="C.")
    @operation(steps=[Step(disk_wipe)])
    def useless(path: str, context: Context) -> None:  # type: ignore[capdeco-declaration]
        """Take one."""

    assert "one context" in refused(lambda: Binder(EmbeddedHost()).register(Tool.of(two)))
    assert "no body that could use it" in refused(lambda: Binder(EmbeddedHost()).register(disk_wipe, useless))


def test_two_operations_of_one_name_in_a_class_are_refused_where_python_would_drop_the_first() -> None:
    def declare() -> None:
        @capability(id="cap", description="C.")
        class Cap:
            @operation(steps=[Step(disk_wipe)])
            def go(self, path: str) -> None:
                """Go."""

            @operation(steps=[Step(disk_wipe)])  # type: ignore[no-redef]
            def go(self, path: str) -> None:  # type: ignore[capdeco-declaration]  # noqa: F811
                """Go again."""

    assert 'two operations "go"' in refused(declare)


def test_a_method_without_self_is_refused() -> None:
    def declare() -> None:
        @capability(id="cap", description="C.")
        class Cap:
            @operation(steps=[Step(disk_wipe)])
            def go(path: str) -> None:  # type: ignore[misc, capdeco-declaration]  # noqa: N805
                """Go."""

    assert "takes no self" in refused(declare)


def test_a_wrong_step_says_where_it_stands() -> None:
    assert "is no tool" in refused(lambda: Step(len))  # type: ignore[capdeco-declaration]
    assert "1 to 64" in refused(lambda: Step("a b"))  # type: ignore[capdeco-declaration]
    assert "must be the name" in refused(lambda: Step("a", from_=""))  # type: ignore[capdeco-declaration]


def test_an_unknown_option_of_tool_is_pythons_own_error_at_the_authors_line() -> None:
    with pytest.raises(TypeError, match=r"^tool\(\) got an unexpected keyword argument 'expsoe'"):
        tool(expsoe=False)  # type: ignore[call-overload]


def test_what_cannot_be_decorated_is_loaded_from_its_module() -> None:
    host = EmbeddedHost()
    Binder(host).load("tests.unit.plugin_of_methods")
    assert list(host.catalog()) == ["counter_next"]
