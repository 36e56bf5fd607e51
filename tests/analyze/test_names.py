"""Names are followed as far as the source tells, and no further."""

from __future__ import annotations

from pathlib import Path

import pytest

from capdeco.check.analyze.analysis import analyze_folder
from capdeco.check.analyze.records import Dynamic
from tests.analyze import plugins

HEAD = 'from fastmcp import FastMCP\nm = FastMCP("x")\n'


def names(root: Path, **files: str) -> list[object]:
    plugins.write({path.replace("__", "/") + ".py": source for path, source in files.items()}, root)
    return [None if isinstance(tool.name, Dynamic) else tool.name for tool in analyze_folder(root).tools]


@pytest.mark.parametrize(
    "source",
    [
        '@m.tool(name="a" + B)\ndef f(): ...',
        '@m.tool(name=f"{B}")\ndef f(): ...',
        "@m.tool(name=make())\ndef f(): ...",
        'B = "a"\nB = "b"\n@m.tool(name=B)\ndef f(): ...',
        'B = "a"\nB += "b"\n@m.tool(name=B)\ndef f(): ...',
        'B = "a"\ndef g():\n    global B\n    B = "b"\n@m.tool(name=B)\ndef f(): ...',
        'for B in ("a", "b"):\n    @m.tool(name=B)\n    def f(): ...',
        "def g(B):\n    @m.tool(name=B)\n    def f(): ...",
        "from elsewhere import B\n@m.tool(name=B)\ndef f(): ...",
        'if x:\n    B = "a"\nelse:\n    B = "b"\n@m.tool(name=B)\ndef f(): ...',
    ],
)
def test_a_name_that_is_computed_is_dynamic(source: str, tmp_path: Path) -> None:
    assert names(tmp_path, a=HEAD + source) == [None]


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("from .names import B", "B"),
        ("from .names import B as C", "C"),
        ("from . import names", "names.B"),
        ("from .names import *", "B"),
        ("from .again import B", "B"),
        ("import pkg.names", "pkg.names.B"),
        ("from pkg.names import Names", "Names.B"),
        ("from .names import Names", "Names.B.value"),
        ("from .names import Names", 'Names["B"]'),
        ("from .names import Plain", "Plain.B"),
        ("from .names import TABLE", 'TABLE["b"]'),
        ("C = D = 'found'", "D"),
        ("C, D = 'x', 'found'", "D"),
        ("", '"fou" "nd"'),
    ],
)
def test_constants_imports_and_enums_are_followed(head: str, name: str, tmp_path: Path) -> None:
    constants = """
        from enum import Enum
        B = "found"
        TABLE = {"a": "x", "b": B}
        class Names(str, Enum):
            A = "x"
            B = "found"
        class Plain:
            B = "found"
    """
    user = f"{head}\n{HEAD}@m.tool(name={name})\ndef f(): ...\n"
    assert names(tmp_path, pkg__names=constants, pkg__again="from .names import B", pkg__a=user) == ["found"]


def test_a_bare_tool_means_what_its_import_says(tmp_path: Path) -> None:
    homes = {
        "capdeco": "capdeco",
        "langchain_core.tools": "langchain",
        "langchain.tools": "langchain",
        "smolagents": "smolagents",
        "fastmcp.tools": "fastmcp",
    }
    for number, home in enumerate(homes):
        (tmp_path / f"m{number}.py").write_text(
            f'from {home} import tool\n@tool\ndef f(x: int) -> int:\n    """D."""\n'
        )
    (tmp_path / "none.py").write_text(
        "from elsewhere import tool\n@tool\ndef f(x: int): ...\n@registry.tool\ndef g(): ...\n"
    )
    assert [tool.framework for tool in analyze_folder(tmp_path).tools] == list(homes.values())


def test_registrars_are_found_wherever_they_come_from(tmp_path: Path) -> None:
    app = HEAD + (
        "class Holder:\n    def __init__(self): self.m = m\n"
        "holder = Holder()\n"
        "def annotated() -> FastMCP: ...\n"
        "def returned():\n    server = FastMCP('y')\n    return server\n"
        "class Mine(FastMCP): ...\n"
    )
    user = """
        from . import app
        from .app import Mine, annotated, holder, m, returned
        import pkg.app
        one, two, three = annotated(), returned(), Mine("x")
        @m.tool
        def a(): ...
        @app.m.tool
        def b(): ...
        @pkg.app.m.tool()
        def c(): ...
        @holder.m.tool
        def d(): ...
        @one.tool
        def e(): ...
        @two.tool
        def f(): ...
        @three.tool
        def g(): ...
        with Mine("w") as w:
            @w.tool
            def h(): ...
        class Service:
            server = m
            @server.tool
            def i(self): ...
            def start(self, other: "Mine | None" = None):
                self.server.add_tool(self.j)
                other.add_tool(self.i, name="k")
            def j(self): ...
    """
    assert names(tmp_path, pkg__app=app, pkg__user=user) == list("abcdefghijk")


CLASS_HEAD = '''\
from capdeco import Step, capability, operation, tool

@tool
def spell(text: str) -> None:
    """d"""

@tool
def list(n: int) -> None:
    """d"""

'''


@pytest.mark.parametrize(
    ("body", "tools"),
    [
        ("{op}\n    def spell(self, text: str) -> None: '''d'''", ["spell"]),
        ("{op}\n    def a(self, text: str) -> None: '''d'''\n    spell = None", ["spell"]),
        ("spell = 'other'\n    {op}\n    def spell(self, text: str) -> None: '''d'''", ["other"]),
        ("spell: str\n    {op}\n    def spell(self, text: str) -> None: '''d'''", ["spell"]),
        ("class Inner:\n        spell = 'other'\n    {op}\n    def a(self, text: str) -> None: '''d'''", ["spell"]),
        ("spell = 'a'\n    {op}\n    def a(self, text: str) -> None: '''d'''\n    spell = 'b'", ["a"]),
    ],
)
def test_a_name_in_a_class_body_means_what_was_bound_before(body: str, tools: list[str], tmp_path: Path) -> None:
    body = body.format(op="@operation(steps=[Step(spell)])")
    source = f'{CLASS_HEAD}@capability(id="c", description="d")\nclass C:\n    {body}\n'
    (tmp_path / "plugin.py").write_text(source)
    found = analyze_folder(tmp_path)
    assert [each for each in found.diagnostics if each.code != "capdeco-unchecked"] == []
    assert [step.tool for each in found.capabilities for op in each.operations for step in op.steps] == tools


def test_what_a_class_binds_further_down_is_what_its_annotations_mean(tmp_path: Path) -> None:
    (tmp_path / "plugin.py").write_text("""\
from __future__ import annotations
import attrs
from capdeco import tool

@attrs.frozen
class Outer:
    inner: Inner
    @attrs.frozen
    class Inner:
        x: int
    int: int

@tool
def a(outer: Outer) -> None:
    '''d'''
""")
    [tool] = analyze_folder(tmp_path).tools
    assert "Unknown" not in repr(tool.takes)
