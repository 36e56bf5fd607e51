"""Whatever a file holds, the run ends with a report of the published form."""

from __future__ import annotations

import ast
import json
import tempfile
from pathlib import Path

import jsonschema_rs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from capdeco.check.analyze.analysis import analyze_folder
from capdeco.check.analyze.as_json import report_schema, to_json
from capdeco.check.analyze.as_text import to_text
from capdeco.check.analyze.listing import analyze_listing
from capdeco.check.analyze.propose import propose
from capdeco.errors import AnalysisError
from tests.analyze import plugins
from tests.shared.wiring_cases import CASES

VALIDATOR = jsonschema_rs.Draft202012Validator(report_schema())
SETTINGS = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))

PYTHON = [source for plugin in (plugins.MCP, plugins.AGENTS, plugins.DECLARED) for source in plugin.values()]
PYTHON += [case.source for case in CASES[::5]]
JAVASCRIPT = list(plugins.JAVASCRIPT.values())


def check(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, data in files.items():
            (Path(folder) / name).write_bytes(data)
        found = analyze_folder(Path(folder))
        report = json.loads(json.dumps(to_json(found, with_proposal=True), allow_nan=True))
        assert VALIDATOR.is_valid(report)
        assert all(line.isprintable() for line in to_text(found).split("\n"))
        ast.parse(propose(found))
        assert found.read + len([each for each in found.unread if not each.partly]) == len(files)


@st.composite
def damaged(draw: st.DrawFn, sources: list[str]) -> bytes:
    """A good source with pieces cut out, repeated, or replaced by pieces of another."""
    text = draw(st.sampled_from(sources))
    other = draw(st.sampled_from(sources))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, max(0, len(text) - 1)))
        end = draw(st.integers(start, min(len(text), start + 80)))
        piece = draw(
            st.sampled_from(["", text[start:end] * 2, other[start:end], "\n", "(", "'", '"', "`", "{", "}", "\\", "*"])
        )
        text = text[:start] + piece + text[end:]
    return text.encode("utf-8", "surrogatepass")


@st.composite
def swapped_lines(draw: st.DrawFn, sources: list[str]) -> bytes:
    """Lines of good sources in any order: often still Python, and never what was meant."""
    lines = draw(st.sampled_from(sources)).splitlines()
    picked = draw(st.lists(st.sampled_from(lines), max_size=30))
    return "\n".join(picked).encode()


@SETTINGS
@given(st.one_of(damaged(PYTHON), swapped_lines(PYTHON), st.binary(max_size=300)))
def test_python(data: bytes) -> None:
    check({"a.py": data})


@SETTINGS
@given(
    st.one_of(damaged(JAVASCRIPT), swapped_lines(JAVASCRIPT), st.binary(max_size=300)),
    st.sampled_from(["js", "ts", "tsx"]),
)
def test_javascript(data: bytes, suffix: str) -> None:
    check({f"a.{suffix}": data})


VALUES = [
    "None",
    "1",
    "-1.5",
    "'x'",
    "b'x'",
    "f'{x}'",
    "...",
    "[]",
    "[*x]",
    "{}",
    "{**x}",
    "{1:2}",
    "x.y",
    "x[0]",
    "x()",
    "Args",
    "Args()",
    "int",
    "list[int]",
    "'list['",
    "Args|None",
    "Literal[1,None]",
    "Annotated[int]",
    "*x",
    "(lambda:0)",
    'float("nan")',
]


@SETTINGS
@given(st.data())
def test_values_of_every_kind_where_a_value_is_wanted(data: st.DataObject) -> None:
    value = st.sampled_from(VALUES)
    a, b, c, d, e, f = (data.draw(value) for _ in range(6))
    check(
        {
            "a.py": f"""
from typing import Annotated, Literal
import attrs
from capdeco import Step, capability, operation, tool
from fastmcp import FastMCP
from langchain_core.tools import BaseTool, StructuredTool, tool as lc
from mcp.types import Tool
m = FastMCP({a})
@attrs.frozen
class Args:
    x: {b} = {c}
@tool(name={a}, description={c})
def one(x: {b} = {d}): ...
@m.tool(name={d})
def two(x: {e}, y={f}): ...
@lc(args_schema={e})
def three(): ...
class Four(BaseTool):
    name = {f}
    args_schema = {a}
five = Tool(name={b}, inputSchema={c})
six = StructuredTool.from_function({d}, name={e})
seven = {{"name": {a}, "description": {b}, "parameters": {c}, "input_schema": {f}}}
eight = {{"id": {a}, "description": {b}, "operations": [{{"name": {c}, "steps": {d}, "parameters": {e}}}]}}
@capability(id={a}, description={b})
class C:
    @operation(steps=[Step({c}, {d}), {e}], name={f})
    def op(self, x: {b} = {c}, y: Args = {d}) -> {e}: ...
""".encode()
        }
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda below: (
        st.lists(below, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["name", "tools", "inputSchema", "type", "properties", "required", "$ref", "anyOf", "enum", "items"]
            ),
            below,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@SETTINGS
@given(JSON)
def test_listings(value: object) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "x.json"
        file.write_text(json.dumps(value))
        try:
            found = analyze_listing(file)
        except AnalysisError:
            return
        assert VALIDATOR.is_valid(json.loads(json.dumps(to_json(found, with_proposal=True))))
        to_text(found)
        ast.parse(propose(found))
