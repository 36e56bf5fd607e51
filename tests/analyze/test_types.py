"""Annotations are read from source as they are read at run time."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from capdeco.check.analyze.analysis import analyze_folder
from capdeco.check.analyze.records import Found
from capdeco.declare.functions import FunctionInput
from capdeco.declare.json_schema import render
from capdeco.declare.shape import Object
from capdeco.errors import DeclarationError
from capdeco.reading import read_function
from tests.typing.test_readers_agree import PARAMETERS, PRELUDE, _without_notes

SOURCE = PRELUDE + "\n\n".join(
    f'@tool\ndef f{number}({parameters}) -> None:\n    """d"""\n' for number, parameters in enumerate(PARAMETERS)
)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    folder = tmp_path_factory.mktemp("types")
    (folder / "all_types.py").write_text(SOURCE, "utf-8")
    return analyze_folder(folder)


@pytest.fixture(scope="module")
def functions() -> Iterator[Mapping[str, Any]]:
    module = sys.modules["all_types_of_source"] = ModuleType("all_types_of_source")
    exec(compile(SOURCE, "all_types.py", "exec", dont_inherit=True), vars(module))
    yield vars(module)
    del sys.modules["all_types_of_source"]


@pytest.mark.parametrize("number", range(len(PARAMETERS)), ids=PARAMETERS)
def test_source_and_run_time_agree(number: int, found: Found, functions: Mapping[str, Any]) -> None:
    tool = next(each for each in found.tools if each.name == f"f{number}")
    refused = [each for each in found.diagnostics if each.place and each.place.line == tool.place.line]
    takes = FunctionInput(functions[f"f{number}"])
    if refused:
        with pytest.raises(DeclarationError):
            read_function(takes)
        return
    read = read_function(takes)
    assert isinstance(tool.takes, Object)
    assert _without_notes(render(tool.takes)) == _without_notes(render(read.takes))


def _takes(folder: Path, body: str) -> tuple[Any, list[str]]:
    """What the tool `f` takes, as schemas of its parameters, and what is refused."""
    (folder / "m.py").write_text(PRELUDE + textwrap.dedent(body), "utf-8")
    read = analyze_folder(folder)
    tool = next(each for each in read.tools if each.name == "f")
    assert isinstance(tool.takes, Object)
    schemas = render(tool.takes)["properties"]
    return schemas, [each.what for each in read.diagnostics]


def test_a_default_is_the_value_that_the_mixin_makes(tmp_path: Path) -> None:
    body = '''
    @tool
    def f(a: TextOfAny = TextOfAny.A, b: list[TextOfAny] = [TextOfAny.A]) -> NoReturn:
        """d"""
    '''
    schemas, refused = _takes(tmp_path, body)
    assert not refused
    assert schemas["a"] == {"type": "string", "enum": ["1", "True", "1.5", "d"], "default": "1"}
    assert "default" not in schemas["b"]


def test_how_a_class_is_made_is_not_always_known(tmp_path: Path) -> None:
    body = '''
    class Made(str, enum.Enum):
        def __new__(cls, value): ...
        A = 1

    class Stub(enum.Enum):
        A: int

    @attrs.define
    class New:
        a: int
        def __new__(cls, *a): ...

    @attrs.define
    class Wrapped:
        a: int
        @show
        def __init__(self, b): ...

    @tool
    def f(a: Made, b: Stub, c: New, d: Wrapped) -> None:
        """d"""
    '''
    schemas, refused = _takes(tmp_path, body)
    assert not refused
    assert schemas == {"a": {}, "b": {}, "c": {}, "d": {}}


def test_arguments_that_multiply_are_not_written_out(tmp_path: Path) -> None:
    body = '''
    @dataclass
    class Four(Generic[T]):
        a: T
        b: T
        c: T
        d: T

    @dataclass
    class Wide(Generic[T]):
        wide: "Wide[Four[Four[Four[T]]]] | None"

    @tool
    def f(a: Wide[int]) -> None:
        """d"""
    '''
    schemas, refused = _takes(tmp_path, body)
    assert not refused
    assert schemas["a"]["type"] == "object"
