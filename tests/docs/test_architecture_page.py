"""ARCHITECTURE.md names every module and package at the top of the package, and no other, in their own words."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| `([a-z_]+)` \| (.*) \|$", re.MULTILINE)


def first_line(path: Path) -> str:
    text = ast.get_docstring(ast.parse((path / "__init__.py" if path.is_dir() else path).read_text(encoding="utf-8")))
    assert text, f"{path} has no docstring"
    return text.split("\n")[0]


def test_the_table_is_the_package() -> None:
    package = ROOT / "capdeco"
    parts = [path for path in package.iterdir() if (path / "__init__.py").is_file() or path.suffix == ".py"]
    expected = {path.stem: first_line(path) for path in parts if not path.stem.startswith("__")}
    assert dict(ROW.findall((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))) == expected


def test_it_is_a_page() -> None:
    assert len((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines()) <= 80
