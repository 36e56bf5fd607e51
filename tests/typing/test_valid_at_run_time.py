"""What is clean under mypy is registered by the binder, and clean under other checkers, which have no plugin."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from capdeco import Binder, EmbeddedHost
from capdeco.bind.loading import declared_in

PACKAGE = "tests.typing.valid"
HERE = Path(__file__).parent / "valid"
MODULES = sorted(path.stem for path in HERE.glob("*.py") if path.stem != "__init__")


def test_there_are_enough_of_them() -> None:
    operations = sum(path.read_text().count("@operation(") for path in HERE.glob("*.py"))
    assert operations >= 150


@pytest.mark.parametrize("name", MODULES)
def test_the_binder_registers_it(name: str) -> None:
    if name == "steps":
        pytest.skip("names operations of other modules: see the test of them all together")
    modules = [importlib.import_module(f"{PACKAGE}.{each}") for each in {"tools", name}]
    tools, capabilities = declared_in(modules, PACKAGE)
    Binder(EmbeddedHost()).register(*tools, *capabilities)


def test_the_binder_registers_them_together() -> None:
    tools, capabilities = declared_in([importlib.import_module(f"{PACKAGE}.{each}") for each in MODULES], PACKAGE)
    unique = {each.id: each for each in capabilities}
    Binder(EmbeddedHost()).register(*tools, *unique.values())


def test_the_binder_registers_what_a_function_declares() -> None:
    tools, _ = declared_in([importlib.import_module(f"{PACKAGE}.tools")], PACKAGE)
    local = importlib.import_module(f"{PACKAGE}.functions").factory()
    Binder(EmbeddedHost()).register(*tools, local)


CHECKERS = {
    "pyright": ["pyright", "--level", "error", "--pythonpath", sys.executable],
    "pyrefly": ["pyrefly", "check", "--preset=default", f"--python-interpreter-path={sys.executable}"],
    "ty": ["ty", "check", "--python", sys.prefix],
}


@pytest.mark.parametrize("checker", CHECKERS)
def test_other_checkers_find_nothing(checker: str) -> None:
    program, *options = CHECKERS[checker]
    command = [str(Path(sys.executable).parent / program), *options, str(HERE)]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
