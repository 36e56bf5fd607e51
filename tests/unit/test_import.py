"""`import capdeco` is light, and stays so."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import capdeco


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def loaded_after(code: str) -> set[str]:
    out = run(f"import sys\nbefore = set(sys.modules)\n{code}\nprint(*(set(sys.modules) - before))")
    return {name.split(".")[0] for name in out.split()}


HEAVY = {
    "msgspec",
    "cattrs",
    "jsonschema_rs",
    "beartype",
    "asyncio",
    "anyio",
    "mypy",
    "click",
    "rich",
    "docstring_parser",
}


def test_importing_capdeco_loads_no_library() -> None:
    assert not loaded_after("import capdeco") & (HEAVY | {"attrs", "attr"})


def test_a_checker_knows_the_names_that_there_are_and_no_others(tmp_path: Path) -> None:
    (tmp_path / "misspelt.py").write_text("from capdeco import tol\nimport capdeco\n\ncapdeco.regster\n")
    names = "".join(f"from capdeco import {name}\n" for name in capdeco.__all__)
    (tmp_path / "right.py").write_text(names)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "misspelt.py", "right.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert [line.split(" error: ")[0] for line in done.stdout.splitlines()[:-1]] == ["misspelt.py:1:", "misspelt.py:4:"]
    assert 'maybe "tool"?' in done.stdout


def test_declaring_loads_attrs_and_typing_extensions_at_most() -> None:
    used = loaded_after("from capdeco import Doc, Step, Tool, capability, operation, tool")
    third_party = used - set(sys.stdlib_module_names) - {"capdeco"}
    assert third_party <= {"attr", "attrs", "typing_extensions"}
    assert not used & HEAVY


def test_every_public_name_is_there_and_is_the_one_that_checkers_see() -> None:
    assert all(hasattr(capdeco, name) for name in capdeco.__all__)
    assert set(capdeco.__all__) <= set(dir(capdeco))


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    assert not hasattr(capdeco, "no_such_name")
