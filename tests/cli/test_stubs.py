"""`capdeco stubs`: a typed, deterministic picture of a module's tools that every checker accepts."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from capdeco.bind.tooling import tool_spec
from capdeco.declare.json_schema import parse_schema
from capdeco.declare.tools import Tool, tool_of
from capdeco.host.protocol import ToolSpec
from capdeco.stubgen import stub_of

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent


def spec(name: str, schema: dict[str, Any], description: str = "Do it.", **options: Any) -> ToolSpec:
    return ToolSpec(name=name, description=description, input_schema=schema, body=lambda _, __: None, **options)


TREE: dict[str, Any] = {
    "type": "object",
    "properties": {"label": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}},
    "required": ["label"],
    "additionalProperties": False,
}
CATALOG = [
    spec("no_parameters", {"type": "object", "properties": {}, "additionalProperties": False}),
    spec(
        "every-scalar",
        {
            "type": "object",
            "properties": {
                "when": {"type": "string", "format": "date"},
                "data": {"type": "string", "contentEncoding": "base64"},
                "mode": {"enum": ["fast", 'with "quotes"', None]},
                "ratio": {"type": "number", "default": 0.5},
                "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
                "any": {},
            },
            "required": ["when", "any"],
            "additionalProperties": False,
        },
    ),
    spec(
        "reserved-words",
        {
            "type": "object",
            "properties": {"from": {"type": "string"}, "a-b": {"type": "integer"}},
            "required": ["from"],
            "additionalProperties": False,
        },
        expose=False,
    ),
    spec(
        "open_tool", {"type": "object", "properties": {"path": {"type": "string"}}}, 'Says """quotes""" and \\slashes.'
    ),
    spec(
        "tree_walk",
        {
            "type": "object",
            "properties": {"tree": {"$ref": "#/$defs/Tree"}},
            "required": ["tree"],
            "additionalProperties": False,
            "$defs": {"Tree": TREE},
        },
        output_schema={"type": "array", "items": {"type": "string"}},
    ),
]
PROBE = """
from capdeco_stub_probe import every_scalar, tree_walk
from datetime import date

every_scalar(when=date(2026, 1, 2), any=None, counts={"a": 1})
first: str = tree_walk(tree={"label": "root", "children": [{"label": "leaf"}]})[0]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stubs")
    package = folder / "capdeco_stub_probe"
    package.mkdir()
    (package / "__init__.pyi").write_text(stub_of(CATALOG, origin="--module probe"), encoding="utf-8")
    (folder / "use.py").write_text(PROBE, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    "command",
    [
        ["mypy", "--strict", "--config-file="],
        ["pyright", "--pythonpath", sys.executable],
        ["pyrefly", "check", "--preset=strict", f"--python-interpreter-path={sys.executable}", "--search-path=."],
        ["ty", "check", "--python", sys.executable],
    ],
    ids=lambda command: command[0],
)  # fmt: skip
def test_a_stub_of_every_form_is_accepted(folder: Path, command: list[str]) -> None:
    checker, *options = command
    files = ["use.py", "capdeco_stub_probe/__init__.pyi"]
    done = subprocess.run(
        [str(BIN / checker), *options, *files], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@given(st.text(st.sampled_from("\"\\\n \t\r\0\x0c\u2028ab'é") | st.characters(), max_size=20))
@example('Say "hi"')
@example('""""" is \\"')
@example("C:\\new\\")
def test_whatever_a_description_says_it_is_the_docstring_of_the_stub(description: str) -> None:
    text = stub_of([spec("read", {"type": "object"}, description)], origin="x")
    function = next(each for each in ast.parse(text).body if isinstance(each, ast.FunctionDef))
    docstring = ast.get_docstring(function, clean=False)
    assert docstring is not None
    lines = [line.removeprefix("    ") if number else line for number, line in enumerate(docstring.split("\n"))]
    assert lines == [line.rstrip() for line in description.split("\n")]


def test_the_same_catalog_gives_the_same_text() -> None:
    assert stub_of(CATALOG, origin="x") == stub_of(CATALOG, origin="x")


def test_the_stubs_in_the_repository_are_what_the_plugin_declares() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "capdeco", "stubs", "--module", "examples.pdf.plugin", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_a_stub_reads_back_as_the_tools_that_it_was_made_from(folder: Path) -> None:
    """The functions of a stub are declarations too: run as Python, they have the catalog's own input shapes."""
    source = (folder / "capdeco_stub_probe" / "__init__.pyi").read_text(encoding="utf-8")
    names: dict[str, Any] = {"__name__": "probe"}
    exec(compile("from __future__ import annotations\n" + source, "probe.pyi", "exec"), names)
    functions = [each for each in names.values() if getattr(each, "__module__", "") == "probe" and callable(each)]
    read = {tool_of(each).name: each for each in functions if hasattr(each, "__capdeco_tool__")}
    for original in CATALOG:
        if not original.name.isidentifier() or original.name in ("open_tool", "tree_walk"):
            continue
        made: Tool = tool_of(read[original.name])
        assert parse_schema(tool_spec(made).input_schema) == parse_schema(original.input_schema)


TWO_TOOLS = '''
from capdeco import tool

@tool(name="{one}")
def first(word: str) -> str:
    """First."""
    return word

@tool(name="{two}")
def second(number: int) -> int:
    """Second."""
    return number
'''


def stubs(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "capdeco", "stubs", *options]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", ["bad name", "a.b.c", "../up", "class", ""])
def test_a_package_that_cannot_be_imported_is_not_written(tmp_path: Path, name: str) -> None:
    (tmp_path / "plugin_of_two.py").write_text(TWO_TOOLS.format(one="one", two="two"), encoding="utf-8")
    done = stubs(tmp_path, "--module", "plugin_of_two", "--name", name)
    assert done.returncode == 1
    assert f'"{name}"; give one name that Python can spell' in done.stderr
    assert not (tmp_path / "stubs").exists()


def test_a_module_whose_name_makes_no_package_needs_another(tmp_path: Path) -> None:
    (tmp_path / "my-plugin.py").write_text(TWO_TOOLS.format(one="one", two="two"), encoding="utf-8")
    assert '"my-plugin_tools"; give one name' in stubs(tmp_path, "--module", "my-plugin").stderr
    assert stubs(tmp_path, "--module", "my-plugin", "--name", "my_tools").returncode == 0


def test_what_cannot_be_written_is_one_line_and_a_package_is_not_hidden(tmp_path: Path) -> None:
    (tmp_path / "plugin_of_two.py").write_text(TWO_TOOLS.format(one="one", two="two"), encoding="utf-8")
    (tmp_path / "file").write_text("")
    failed = stubs(tmp_path, "--module", "plugin_of_two", "--out", "file")
    assert failed.returncode == 1
    assert "cannot be written" in failed.stderr
    assert "Traceback" not in failed.stderr
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "__init__.py").write_text("")
    failed = stubs(tmp_path, "--module", "plugin_of_two", "--name", "mine", "--out", ".")
    assert failed.returncode == 1
    assert "is a package itself" in failed.stderr
    assert not (tmp_path / "mine" / "__init__.pyi").exists()


def test_two_tools_of_one_name_are_refused_with_the_places_of_both(tmp_path: Path) -> None:
    (tmp_path / "plugin_of_two.py").write_text(TWO_TOOLS.format(one="same", two="same"), encoding="utf-8")
    done = stubs(tmp_path, "--module", "plugin_of_two")
    assert done.returncode == 1
    assert re.search(r'two\.py:10: the tool name "same" is already taken, at \S+two\.py:5 ', done.stderr)
    assert not (tmp_path / "stubs").exists()


def test_names_that_python_spells_alike_or_that_mean_something_else_stay_apart(tmp_path: Path) -> None:
    one = {"type": "object", "properties": {"x": TREE}, "required": ["x"], "additionalProperties": False}
    catalog = [spec(name, one) for name in ("a-b", "a_b", "A-B", "tool", "list", "date", "Any", "AB", "class")]
    text = stub_of(catalog, origin="x")
    defined = re.findall(r"^(?:def|class) (\w+)", text, re.MULTILINE)
    assert len(set(defined)) == len(defined)
    assert not {"tool", "list", "date", "Any"} & set(defined)
    assert re.findall(r'name="([^"]+)"', text) == ["a-b", "a_b", "A-B", "tool", "list", "date", "Any", "class"]
