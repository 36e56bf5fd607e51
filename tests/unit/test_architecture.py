"""The import table: who may import whom, read from the source, `TYPE_CHECKING` blocks included."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "capdeco"

# The longest prefix wins. Everybody may import `codes`, `errors` and `result`; nobody but the edge imports the edge.
MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "codes": (),
    "errors": (),
    "result": (),
    "settings": (),
    "declare": ("declare",),
    "docstring": (),
    "reading": ("declare", "docstring", "reading", "host.protocol"),
    "dispatch": ("declare", "host.protocol"),
    "bind.codec": ("declare", "reading", "host.protocol"),
    "bind.tooling": ("declare", "reading", "bind.codec", "dispatch", "host.protocol"),
    "bind.batch": ("declare", "bind.tooling", "host.protocol"),
    "bind.loading": ("declare", "host.protocol"),
    "bind.profile": ("declare", "settings"),
    "bind.watching": (),
    "bind.registrations": ("declare", "bind.batch", "bind.watching", "host.protocol"),
    "bind.binder": ("declare", "bind", "misuse", "host.protocol"),
    "bind": (),
    "misuse": (),
    "host": ("host", "misuse"),
    "check": ("declare", "check", "settings"),
    "check.mypy": ("declare", "check.mypy", "check.renames", "settings"),
    "check.analyze": ("declare", "check.analyze", "check.renames", "settings"),
    "stubgen": ("declare", "bind.tooling", "bind.loading", "host.protocol"),
    "testing": ("host", "bind", "dispatch"),
    "": ("bind", "declare", "host.protocol", "host.registry"),
    "cli": ("commands",),
    "__main__": ("cli",),
    "commands": ("",),
    "verify": ("",),
    "lab": ("",),
}
EVERYBODY = ("codes", "errors", "result")


def modules() -> list[str]:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        found.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return found


def rule_for(module: str) -> tuple[str, ...]:
    while module and module not in MAY_IMPORT:
        module = module.rpartition(".")[0]
    return MAY_IMPORT[module]


def imported_by(module: str) -> set[str]:
    path = PACKAGE.joinpath(*module.split(".")) if module else PACKAGE
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports relatively"
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return {name.removeprefix("capdeco").lstrip(".") for name in names if name.split(".")[0] == "capdeco"}


@pytest.mark.parametrize("module", modules())
def test_a_module_imports_only_what_the_table_allows(module: str) -> None:
    allowed = rule_for(module)
    for name in imported_by(module):
        assert any(
            not prefix or name == prefix or name.startswith(f"{prefix}.") for prefix in (*allowed, *EVERYBODY)
        ), f"capdeco.{module} imports capdeco.{name}"


def test_the_table_names_no_module_that_is_gone() -> None:
    known = set(modules())
    assert set(MAY_IMPORT) <= known
