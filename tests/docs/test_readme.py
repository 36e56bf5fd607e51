"""README is executed: its files are the repository's, its commands are run, and what they print is what it shows."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import attrs
import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")

MARKED = re.compile(r"<!-- (file|run|config|skip): (.*?) -->\n```(\w+)\n(.*?)```", re.DOTALL)
FENCE = re.compile(r"^```\w+$", re.MULTILINE)


@attrs.frozen
class Snippet:
    kind: str
    subject: str
    text: str


SNIPPETS = [Snippet(kind, subject, text) for kind, subject, _, text in MARKED.findall(README)]


def of_kind(kind: str) -> list[Snippet]:
    return [each for each in SNIPPETS if each.kind == kind]


def test_every_code_block_says_what_proves_it() -> None:
    assert len(FENCE.findall(README)) == len(SNIPPETS)


@pytest.mark.parametrize("snippet", of_kind("file"), ids=lambda each: each.subject)
def test_a_file_in_the_readme_is_the_file_in_the_repository(snippet: Snippet) -> None:
    assert snippet.text == (ROOT / snippet.subject).read_text(encoding="utf-8")


@pytest.mark.parametrize("snippet", of_kind("run"), ids=lambda each: each.subject)
def test_a_command_prints_what_the_readme_shows(snippet: Snippet) -> None:
    program, *arguments = shlex.split(snippet.subject)
    # The commands of the environment that runs the tests, not whatever is on PATH.
    command = [sys.executable] if program == "python" else [str(Path(sys.executable).parent / program)]
    done = subprocess.run([*command, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    shown = snippet.text.removeprefix(f"$ {snippet.subject}\n")
    assert (done.stdout + done.stderr).strip() == shown.strip()
