"""One table, `[tool.capdeco]`, is read by all who look for a part of it; wrong input is refused in the same words."""

from __future__ import annotations

from pathlib import Path

import pytest

from capdeco.settings import SettingsError, read


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "pyproject.toml",
            '[tool.capdeco]\nplugins = ["a"]\ntool_modules = ["b"]\n',
            {"plugins": ["a"], "tool_modules": ["b"]},
        ),
        ("pyproject.toml", "[project]\nname = 'x'\n", None),
        ("pyproject.toml", "[tool.other]\n", None),
        ("pyproject.toml", "[tool.capdeco]\n", {}),
        ("capdeco.toml", 'plugins = ["a"]\n', {"plugins": ["a"]}),
        ("agents.toml", 'tool_modules = ["b"]\n', {"tool_modules": ["b"]}),
        ("checks.toml", '[tool.mypy]\nstrict = true\n[tool.capdeco]\ntool_modules = ["b"]\n', {"tool_modules": ["b"]}),
        ("mypy.ini", "[capdeco]\ntool_modules = a, b.c\n", {"tool_modules": ["a", "b.c"]}),
        ("mypy.ini", "[capdeco]\ntool_modules =\n    a\n    b.c\n", {"tool_modules": ["a", "b.c"]}),
        ("mypy.ini", "[mypy]\nstrict = True\n", None),
    ],
)
def test_the_file_says_what_is_meant(name: str, text: str, expected: object, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert read(path) == expected


@pytest.mark.parametrize(
    ("name", "text", "what", "fix"),
    [
        ("pyproject.toml", "[tool.capdeco]\nplugin = []\n", 'there is no setting "plugin"', 'did you mean "plugins"?'),
        (
            "pyproject.toml",
            "[tool.capdeco.own]\na = 1\n",
            'there is no setting "own"',
            "settings: plugins, tool_modules",
        ),
        ("pyproject.toml", "tool = 3\n", "tool is a table, not 3", "write [tool.capdeco]"),
        ("pyproject.toml", "[tool]\ncapdeco = 3\n", "tool.capdeco is a table, not 3", "write [tool.capdeco]"),
        (
            "pyproject.toml",
            '[tool.capdeco]\ntool_modules = "a"\n',
            "tool_modules is a list of module names, not 'a'",
            "write",
        ),
        ("capdeco.toml", 'tool_modules = ["a-b"]\n', 'tool_modules: "a-b" is no module name', "name a module"),
        ("capdeco.toml", "plugins = [", "cannot be read: ", "correct the file"),
        ("mypy.ini", "[capdeco]\nplugins = a\n", 'there is no setting "plugins"', "settings: tool_modules"),
        ("mypy.ini", "tool_modules = a\n", "cannot be read: ", "correct the file"),
    ],
)
def test_what_cannot_be_meant_is_refused(name: str, text: str, what: str, fix: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as caught:
        read(path)
    assert caught.value.what.startswith(what)
    assert caught.value.fix.startswith(fix)


def test_a_file_that_is_not_there_is_no_broken_one(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="there is no such file"):
        read(tmp_path / "capdeco.toml")


def test_what_is_no_text_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "capdeco.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match="cannot be read"):
        read(tmp_path / "capdeco.toml")
