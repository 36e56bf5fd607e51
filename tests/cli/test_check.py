"""`capdeco check` and `capdeco explain`, as commands."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from capdeco.check.explain import EXPLANATIONS
from capdeco.codes import HOST

ROOT = Path(__file__).parents[2]


def capdeco(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "capdeco", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "MYPY_CACHE_DIR": str(cwd / "cache")},
    )


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The codes that one run over every example of every page prints, by file."""
    folder = tmp_path_factory.mktemp("explain")
    for each in EXPLANATIONS:
        name = each.code.removeprefix("capdeco-")
        (folder / f"{name}_failing.py").write_text(each.failing)
        (folder / f"{name}_mended.py").write_text(each.mended)
    files = sorted(path.name for path in folder.glob("*.py"))
    done = capdeco("check", "--strict", "--enable-error-code", "capdeco-unchecked", *files, cwd=folder)
    found: dict[str, list[str]] = {name: [] for name in files}
    for line in done.stdout.splitlines():
        file = line.split(":")[0]
        if file in found:
            found[file] += [each.code for each in EXPLANATIONS if each.code in line]
    return found


@pytest.mark.parametrize("code", [each.code for each in EXPLANATIONS])
def test_the_failing_example_of_a_page_fails_with_its_code_and_the_mended_one_is_clean(
    checked: dict[str, list[str]], code: str
) -> None:
    name = code.removeprefix("capdeco-")
    assert checked[f"{name}_failing.py"] == [code]
    assert checked[f"{name}_mended.py"] == []


@pytest.mark.parametrize("given", ["capdeco-from", "from"])
def test_explain_prints_the_page_of_a_code(given: str, tmp_path: Path) -> None:
    done = capdeco("explain", given, cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("capdeco-from: ")
    assert 'from_="layuot"' in done.stdout


def test_explain_of_no_code_lists_them_all(tmp_path: Path) -> None:
    done = capdeco("explain", cwd=tmp_path)
    assert [line.split()[0] for line in done.stdout.splitlines()] == [*(each.code for each in EXPLANATIONS), HOST]


def test_explain_of_an_unknown_code_names_the_near_miss(tmp_path: Path) -> None:
    done = capdeco("explain", "capdeco-form", cwd=tmp_path)
    assert done.returncode == 2
    assert 'did you mean "capdeco-from"' in done.stderr


def test_exit_codes_are_mypys(tmp_path: Path) -> None:
    (tmp_path / "clean.py").write_text("x: int = 1\n")
    (tmp_path / "wrong.py").write_text('x: int = "1"\n')
    (tmp_path / "broken.py").write_text("def f(:\n")
    codes = [capdeco("check", name, cwd=tmp_path).returncode for name in ("clean.py", "wrong.py", "broken.py")]
    assert codes == [0, 1, 2]
    assert capdeco("check", cwd=tmp_path).returncode == 2
    assert capdeco("check", "--no-such-option", "clean.py", cwd=tmp_path).returncode == 2


def test_a_configuration_that_is_there_is_honoured_and_the_plugin_is_on(tmp_path: Path) -> None:
    (tmp_path / "mypy.ini").write_text("[mypy]\ndisallow_untyped_defs = True\n")
    wrong = EXPLANATIONS[2].failing + "\n\ndef untyped(x): ...\n"
    (tmp_path / "notes.py").write_text(wrong)
    shown = capdeco("check", "notes.py", cwd=tmp_path).stdout
    assert "[capdeco-from]" in shown
    assert "[no-untyped-def]" in shown


def test_help_of_the_whole_names_every_command(tmp_path: Path) -> None:
    shown = capdeco("--help", cwd=tmp_path).stdout
    for command in ("analyze", "check", "demo", "explain", "lab", "list", "stubs", "verify"):
        assert f"\n  {command} " in shown


def test_the_demo_says_where_it_can_run(tmp_path: Path) -> None:
    shown = capdeco("demo", "--help", cwd=tmp_path).stdout
    assert "PDF" in shown


def test_a_wrong_setting_stops_the_check_and_nothing_is_called_a_success(tmp_path: Path) -> None:
    (tmp_path / "fine.py").write_text("x = 1\n")
    (tmp_path / "pyproject.toml").write_text('[tool.capdeco]\ntool_modules = ["no_such_tools"]\n')
    done = capdeco("check", "fine.py", cwd=tmp_path)
    assert done.returncode == 2
    assert 'there is no module "no_such_tools"' in done.stderr + done.stdout
    assert "Success" not in done.stdout
