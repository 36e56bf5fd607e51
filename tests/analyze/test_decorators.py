"""What stands around our decorators: what gives back the function is left alone, what may wrap it is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from capdeco.check.analyze.analysis import analyze_folder
from capdeco.codes import UNCHECKED
from tests.analyze.plugins import said

HEAD = '''\
import functools
from collections.abc import Callable
from typing import Any, TypeVar, final

import elsewhere
from capdeco import Step, Tool, capability, operation, tool

F = TypeVar("F", bound=Callable[..., Any])
G = TypeVar("G")
Keeper = Callable[[F], F]

def keep(function: F) -> F: ...
def keep_text(function: "F") -> "F": ...
def keep_as(name: str) -> Callable[[F], F]: ...
def keep_by() -> Keeper: ...
def swap(function: F) -> G: ...
def swap_as(name: str) -> Callable[[F], G]: ...
def wrap(function: Callable[..., str]) -> Callable[..., str]: ...
async def later(function: F) -> F: ...
def unsaid(function): return function
def anything(function: Any) -> Any: ...
class Wrapper:
    def __init__(self, function: Callable[..., Any]) -> None: ...
kept_it = keep_as("it")
computed = [keep][0]

def plain(path: str) -> None:
    """d"""

def other(path: str) -> None:
    """d"""

@tool
def a(path: str) -> None:
    """d"""

'''


def found_in(source: str, folder: Path) -> tuple[list[tuple[int, str]], list[str]]:
    """Give what is refused in *source*, with its lines, and what is left unchecked."""
    (folder / "plugin.py").write_text(HEAD + source, "utf-8")
    found = analyze_folder(folder).diagnostics
    refused = [(each.place.line - HEAD.count("\n"), said(each)) for each in found if each.place]
    refused = [pair for pair, each in zip(refused, found, strict=True) if each.code != UNCHECKED]
    return refused, [each.what for each in found if each.code == UNCHECKED]


ABOVE = {
    "keep": True,
    "keep_text": True,
    'keep_as("x")': True,
    "keep_by()": True,
    "kept_it": True,
    "final": True,
    "swap": False,
    'swap_as("x")': False,
    "wrap": False,
    "later": False,
    "Wrapper": False,
    "functools.cache": False,
    "unsaid": None,
    "anything": None,
    "computed": None,
    "elsewhere.known": None,
    "elsewhere.made(1)": None,
}


@pytest.mark.parametrize(("above", "keeps"), ABOVE.items(), ids=ABOVE)
def test_a_decorator_above_a_tool(above: str, keeps: bool | None, tmp_path: Path) -> None:
    refused, unchecked = found_in(f'@{above}\n@tool\ndef b(path: str) -> None:\n    """d"""\n', tmp_path)
    shown = above.partition("(")[0]
    lost = f'"b" loses @tool: @{shown} stands above it, and may wrap the function'
    assert refused == ([(1, lost)] if keeps is False else [])
    assert unchecked == (
        [f'"b" may lose @tool: nothing says that @{shown} gives back the function'] if keeps is None else []
    )


OPERATION = '''\
@capability(id="c", description="d")
class C:
    {above}
    @operation(steps=[{step}])
    def run(self, {parameter}: str) -> None:
        """d"""
        {body}
'''


def operation(step: str = "Step(a)", *, above: str = "", parameter: str = "path", body: str = "") -> str:
    return OPERATION.format(step=step, above=above, parameter=parameter, body=body)


@pytest.mark.parametrize("above", ["property", "functools.cached_property"])
def test_a_property_is_no_operation(above: str, tmp_path: Path) -> None:
    refused, _ = found_in(operation(above=f"@{above}"), tmp_path)
    assert refused == [(5, '"run" loses @operation: it is a property')]  # at the def, as mypy says it


def test_a_decorator_above_an_operation(tmp_path: Path) -> None:
    assert found_in(operation(above="@keep"), tmp_path) == ([], [])
    assert found_in(operation(above="@unsaid"), tmp_path)[0] == []
    lost = '"run" loses @operation: @wrap stands above it, and may wrap the function'
    assert found_in(operation(above="@wrap"), tmp_path)[0] == [(3, lost)]


def test_a_function_is_declared_once(tmp_path: Path) -> None:
    twice, _ = found_in('@tool\n@tool\ndef b(path: str) -> None:\n    """d"""\n', tmp_path)
    assert twice == [(1, '"b" has @tool twice: it is declared once')]
    both, _ = found_in(operation(above="@tool(expose=False)"), tmp_path)
    assert both == [(3, '"run" has both @tool and @operation: it is declared once')]


@pytest.mark.parametrize("body", ["3", "None", "name: int", "...", "pass", "global x", "'text'"])
def test_a_body_that_does_nothing(body: str, tmp_path: Path) -> None:
    assert found_in(operation(body=body), tmp_path)[0] == []


@pytest.mark.parametrize("body", ["name: int = 3", "print()", "return None", "x = 1"])
def test_a_body_that_does_something(body: str, tmp_path: Path) -> None:
    [(_, what)] = found_in(operation(body=body), tmp_path)[0]
    assert what.startswith('the body of the operation "run" would never run')


@pytest.mark.parametrize("wrapped", ["plain", "elsewhere.function", "a"])
def test_a_wrapper_goes_by_what_it_wraps(wrapped: str, tmp_path: Path) -> None:
    source = f"@tool\n@functools.wraps({wrapped})\ndef b(*args: Any, **kwargs: Any) -> Any: ...\n"
    assert found_in(source + operation("Step(b)"), tmp_path)[0] == []
    wrong, _ = found_in(source + operation("Step(b)", parameter="file"), tmp_path)
    assert any("path" in what for _, what in wrong) is (wrapped == "plain")


@pytest.mark.parametrize("call", ["tool(plain)", 'tool(name="x")(plain)', "MADE = tool(plain)", "print(tool(plain))"])
def test_a_function_that_a_call_declared_is_a_tool(call: str, tmp_path: Path) -> None:
    assert found_in(f"{call}\n{operation('Step(plain)')}", tmp_path) == ([], [])
    assert found_in(f"{call}\n@tool(uses=[plain])\ndef b() -> None:\n    '''d'''\n", tmp_path) == ([], [])
    [(_, what)] = found_in(f"{call}\n{operation('Step(plain)', parameter='file')}", tmp_path)[0]
    assert "path" in what


@pytest.mark.parametrize("call", ["Tool.of(plain)", "tool(other)", "elsewhere.tool(plain)"])
def test_another_call_declares_no_function(call: str, tmp_path: Path) -> None:
    refused, _ = found_in(f"{call}\n{operation('Step(plain)')}", tmp_path)
    assert [what for _, what in refused] == ['"plain" is no tool: it does not carry @tool']


STORE = '''\
class Store:
    @tool(name="read")
    def read(self, path: str) -> None:
        """d"""

    @tool(name="all")
    @classmethod
    def all(cls, path: str) -> None:
        """d"""

    @tool(name="fixed")
    @staticmethod
    def fixed(path: str) -> None:
        """d"""

STORE = Store()

@capability(id="old", description="d")
class Old:
    @operation(steps=[Step(a)], name="go")
    def run(self, path: str) -> None:
        """d"""

'''


@pytest.mark.parametrize(
    ("step", "what"),
    [
        ("Step(Store.read)", ""),
        ("Step(STORE.fixed)", ""),
        ("Step(STORE.all)", ""),
        ("Step(STORE.read)", '"read" is a method of an object, and its @tool is the class\'s'),
        ("Step(Store().read)", '"read" is a method of an object, and its @tool is the class\'s'),
        ("Step(Old.run)", '"run" is an operation: what a host has is the tool that it becomes'),
    ],
)
def test_a_method_as_a_step(step: str, what: str, tmp_path: Path) -> None:
    refused, _ = found_in(STORE + operation(step), tmp_path)
    assert [said for _, said in refused] == ([what] if what else [])


def test_an_operation_as_a_step_is_told_its_tool(tmp_path: Path) -> None:
    (tmp_path / "plugin.py").write_text(HEAD + STORE + operation("Step(Old.run)"))
    [found] = analyze_folder(tmp_path).diagnostics
    assert found.fix == 'name that tool, as in Step("old_go")'


TYPES = """\
from typing import TYPE_CHECKING, Annotated, Literal, Optional
if TYPE_CHECKING:
    import decimal
    from datetime import date
    from uuid import UUID
    from enum import Enum as Both
else:
    UUID = str
try:
    from elsewhere import Both
except ImportError:
    pass

"""


@pytest.mark.parametrize(
    ("annotation", "name"),
    [
        ("date", "date"),
        ('"date | None"', "date"),
        ("dict[str, list[decimal.Decimal]]", "decimal"),
        ('Annotated[date, "day"]', "date"),
        ("Optional['date']", "date"),
        ("UUID", ""),
        ("Both", ""),
        ('Literal["date"]', ""),
        ('Annotated[str, "date"]', ""),
    ],
)
def test_a_name_that_is_imported_for_type_checkers_only(annotation: str, name: str, tmp_path: Path) -> None:
    declared = f'def b(x: {annotation}) -> None:\n    """d"""\n'
    refused, _ = found_in(f"{TYPES}@tool\n{declared}", tmp_path)
    said = f'the parameter "x" of "b": the name "{name}" in its annotation is not defined at run time'
    assert [what for _, what in refused] == ([said] if name else [])
    for unclear in ("tool(types={})", "tool(**OPTIONS)", "tool\n@unsaid"):
        assert found_in(f"{TYPES}@{unclear}\n{declared}", tmp_path)[0] == []


def test_a_result_of_a_type_that_is_not_there(tmp_path: Path) -> None:
    refused, _ = found_in(f'{TYPES}@tool\ndef b() -> date:\n    """d"""\n', tmp_path)
    assert [what for _, what in refused] == [
        'the result of "b": the name "date" in its annotation is not defined at run time'
    ]
