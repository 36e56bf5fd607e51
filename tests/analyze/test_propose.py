"""What `--propose` prints is a module: it passes ruff, has ruff's format, and imports without registering anything."""

# ruff: noqa: E501, RUF001 - a source that is odd on purpose
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from capdeco.check.analyze.analysis import analyze_folder
from capdeco.check.analyze.propose import propose
from tests.analyze import plugins

ODD = {
    "odd.py": """
        from typing import Annotated, Literal
        from fastmcp import FastMCP
        from pydantic import Field
        m = FastMCP("x")

        @m.tool
        def Class_one(l: int, entityType: str = "a", opts: dict[str, int] = {}, why: str = None, cb: Unknown = 1): ...

        @m.tool
        def Class_two(l: int, n: Annotated[int, Field(description='He said "\\\\x" – \\u202e, and went on '
            'and on and on until no line of eighty-eight characters could hold him any longer.')] = 3,
            kind: Literal["a", 'b"c'] = "a", none: str | None = None): ...

        @m.tool(name="1_a")
        def f(**rest: int): ...

        @m.tool(name="1_b")
        def g(x: int): ...

        @m.tool(name="class-a", description="x")
        def h(x: "list[str | None]"): ...

        @m.tool(name="class-b")
        def i(x: int, self_: int): ...

        @m.tool(name="dots.a")
        def j(): ...

        @m.tool(name="dots.b")
        def k(): ...

        @m.tool(name="Class.a b")
        def o(): ...

        SPECS = [
            {"name": "data_a", "description": "D", "parameters": {"type": "object", "properties": {
                "for": {"type": "string"}, "a-b": {"type": "string"}, "__x": {"type": "string"}, "self": {"type": "string"},
                "deep": {"type": "object", "properties": {"x": {"type": "integer"}}}}, "required": ["deep", "for"]}},
            {"name": "data_b", "description": "D", "parameters": COMPUTED},
        ]
    """
}

PLUGINS = {**plugins.ALL, "odd": ODD}


@pytest.mark.parametrize("name", PLUGINS)
def test_a_proposal_is_a_module_that_passes_ruff_and_imports(name: str, tmp_path: Path) -> None:
    text = propose(analyze_folder(plugins.write(PLUGINS[name], tmp_path / "plugin")))
    assert text.startswith("# PROPOSAL")
    assert "TODO" in text
    file = tmp_path / "proposal.py"
    file.write_text(text, "utf-8")
    for command in (["check", "--isolated"], ["format", "--isolated", "--check", "--diff"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *command, str(file)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr + text
    done = subprocess.run(
        [sys.executable, "-c", "import proposal; from capdeco.declare.capabilities import capability_carried_by as found\n"
         "print(sum(found(each) is not None for each in vars(proposal).values() if isinstance(each, type)))"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr + text
    assert int(done.stdout) == text.count("@capability(")


def test_parameters_are_merged_where_the_tools_agree(tmp_path: Path) -> None:
    source = """
        from fastmcp import FastMCP
        m = FastMCP("x")
        @m.tool
        def pdf_one(path: str, page: int, limit: int = 10): ...
        @m.tool
        def pdf_two(path: str, page: str, limit: int = 10): ...
    """
    text = propose(analyze_folder(plugins.write({"a.py": source}, tmp_path)))
    assert "        path: str,\n        limit: int = 10,\n    ) -> None:" in text
    assert "TODO: the tools do not agree on page: pdf_one takes int; pdf_two takes str" in text
