"""examples/refactoring.md is executed, from analyze to promote, in a venv that has capdeco and the plugin before."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.verify.conftest import Machine, Run

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "examples" / "refactoring.md"

BLOCK = re.compile(r"<!-- (run|file: (?P<file>.*?)) -->\n```\w+\n(?P<text>.*?)```", re.DOTALL)
FENCE = re.compile(r"^```\w+$", re.MULTILINE)
SECONDS = re.compile(r" *\d+\.\d s  ")


def test_every_block_of_the_document_is_proved() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert len(FENCE.findall(text)) == len(BLOCK.findall(text))


@pytest.fixture
def shell(run_of: Callable[[str], Run], machine: Machine, tmp_path: Path) -> Callable[[str], str]:
    """Run one command where the plugin is installed as it was before, and give what it prints."""
    venv, user = tmp_path / "venv", tmp_path / "user"
    shutil.copytree(run_of("good").kept / "venv", venv, symlinks=True)
    shutil.copytree(ROOT / "examples" / "refactoring", tmp_path / "examples" / "refactoring")
    (tmp_path / "capdeco.toml").write_text('plugins = ["notes"]\n')
    # The scripts of a copied venv name the Python of the one that it was copied from.
    (venv / "bin" / "capdeco").write_text(f'#!/bin/sh\nexec "{venv}/bin/python" -m capdeco "$@"\n')
    user.mkdir()
    env = {
        "PATH": f"{venv / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(user),
        "TMPDIR": str(user),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(machine.root / "wheels"),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PYTHONPATH": "",
    }

    def run(command: str) -> str:
        done = subprocess.run(
            command, shell=True, cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert done.returncode == 0, done.stdout
        return done.stdout.replace(f"{venv / 'bin'}{os.sep}", "").replace(f"{tmp_path.resolve()}{os.sep}", "")

    run("python -m ensurepip")
    run(
        "python -m pip uninstall --quiet --yes verify-good && python -m pip install --quiet examples/refactoring/before"
    )
    return run


def test_the_document_is_what_happens(shell: Callable[[str], str], tmp_path: Path) -> None:
    def proved(block: re.Match[str]) -> str:
        shown = block["text"]
        if block["file"]:
            now = (tmp_path / block["file"]).read_text(encoding="utf-8")
        else:
            first = shown.split("\n")[0]
            now = f"{first}\n{shell(first.removeprefix('$ '))}"
        now = SECONDS.sub(lambda seconds: "… s  ".rjust(len(seconds[0])), now)
        return block[0][: block.start("text") - block.start()] + now + "```"

    text = DOCUMENT.read_text(encoding="utf-8")
    now = BLOCK.sub(proved, text)
    if os.environ.get("CAPDECO_UPDATE_GOLDEN"):
        DOCUMENT.write_text(now, encoding="utf-8")
    assert now == text
