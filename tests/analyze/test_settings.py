"""A folder that settles where its tools are is held to it, as it is by mypy."""

from __future__ import annotations

from pathlib import Path

import pytest

from capdeco.check.analyze.analysis import analyze_folder
from capdeco.codes import TOOL, UNCHECKED

INI = "[mypy]\nstrict = True\n[capdeco]\ntool_modules = tools,\n    more\n"
TOML = '[tool.capdeco]\ntool_modules = ["tools", "more"]\n'
TOOLS = 'from capdeco import tool\n@tool\ndef read() -> None:\n    """d"""\n'
PLUGIN = '''\
import helpers
from capdeco import Step, capability, operation, tool

@capability(id="c", description="d")
class C:
    @operation(steps=[Step("{name}")])
    def run(self) -> None:
        """d"""

@tool
def own() -> None:
    """d"""

@helpers.wrapping
def perhaps() -> None:
    """d"""
'''


def found_in(folder: Path, name: str, settings: dict[str, str], **modules: str) -> list[str]:
    sources = {"tools": TOOLS, "more": "", "plugin": PLUGIN.format(name=name), **modules}
    files = settings | {f"{module}.py": source for module, source in sources.items()}
    for file, text in files.items():
        (folder / file).write_text(text, "utf-8")
    return [each.code for each in analyze_folder(folder).diagnostics]


@pytest.mark.parametrize("settings", [{"mypy.ini": INI}, {"setup.cfg": INI}, {"pyproject.toml": TOML}])
def test_a_name_that_no_tool_has_is_refused(settings: dict[str, str], tmp_path: Path) -> None:
    assert found_in(tmp_path, "raed", settings) == [TOOL]
    assert found_in(tmp_path, "read", settings) == []
    assert found_in(tmp_path, "own", settings) == []


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"mypy.ini": "[capdeco]\n"},
        {"mypy.ini": "no ini", "pyproject.toml": "no toml"},
        {"pyproject.toml": "[tool]\ncapdeco = 3\n"},
        {"pyproject.toml": '[tool.capdeco]\ntool_modules = "tools"\n'},
        {"pyproject.toml": '[tool.capdeco]\ntool_modules = ["tools", "missing"]\n'},
    ],
)
def test_what_settles_nothing_leaves_the_name_unchecked(settings: dict[str, str], tmp_path: Path) -> None:
    assert found_in(tmp_path, "raed", settings) == [UNCHECKED]


def test_a_name_that_may_be_a_tool_s_is_left_unchecked(tmp_path: Path) -> None:
    settings = {"pyproject.toml": TOML}
    assert found_in(tmp_path, "perhaps", settings) == [UNCHECKED]
    computed = "from capdeco import tool\n@tool(name=str())\ndef a() -> None:\n    '''d'''\n"
    assert found_in(tmp_path, "raed", settings, more=computed) == [UNCHECKED]
    assert found_in(tmp_path, "raed", settings, more="no Python") == [UNCHECKED]


def test_a_tool_of_the_same_file_comes_before_others_of_its_name(tmp_path: Path) -> None:
    other = TOOLS.replace("read()", "own(n: int)")
    assert found_in(tmp_path, "own", {}, elsewhere=other) == []
    assert found_in(tmp_path, "read", {"pyproject.toml": TOML}, elsewhere=TOOLS.replace("read()", "read(n: int)")) == []


def test_an_operation_is_a_tool_too(tmp_path: Path) -> None:
    operation = 'from capdeco import Step, capability, operation\n@capability(id="d", description="d")\n'
    operation += '@operation(steps=[Step("read")])\ndef do() -> None:\n    """d"""\n'
    assert found_in(tmp_path, "d_do", {}, elsewhere=operation) == []


def test_an_operation_that_takes_the_name_of_a_tool_elsewhere(tmp_path: Path) -> None:
    tools = TOOLS.replace("read()", "c_run()")
    assert found_in(tmp_path, "own", {}, elsewhere=tools) == []
    assert found_in(tmp_path, "own", {"pyproject.toml": TOML}, more=tools) == ["capdeco-declaration"]
