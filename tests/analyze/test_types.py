"""Annotations are read from source as they are read at run time."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
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
