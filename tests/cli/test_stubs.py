"""`capdeco stubs`: a typed, deterministic picture of a module's tools that every checker accepts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from capdeco.declare.json_schema import parse_schema
from capdeco.declare.tools import Tool, tool_of
from capdeco.host.protocol import ToolSpec
from capdeco.stubgen import stub_of
from capdeco.tooling import tool_spec

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
