"""README is executed: its files are the repository's, its commands are run, and what they print is what it shows."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import attrs
import pytest

from capdeco.bind.profile import read_profile
from capdeco.check.explain import EXPLANATIONS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")

MARKED = re.compile(r"<!-- (file|run|proved): (.*?) -->\n```(\w+)\n(.*?)```", re.DOTALL)
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
    wide = {**os.environ, "COLUMNS": "80"}
    done = subprocess.run([*command, *arguments], cwd=ROOT, capture_output=True, text=True, check=False, env=wide)
    shown = snippet.text.removeprefix(f"$ {snippet.subject}\n")
    assert (done.stdout + done.stderr).strip() == shown.strip()


# What is neither a file nor a command is proved by the test that it names.


def proved_by(test: str) -> list[str]:
    return [each.text for each in of_kind("proved") if each.subject == test]


def test_every_proof_that_the_readme_names_is_here() -> None:
    assert all(each.subject in globals() for each in of_kind("proved"))


def test_the_two_commands_are_targets() -> None:
    """tests/packaging runs `make demo` in a clone; `make test` is what runs this."""
    (text,) = proved_by("test_the_two_commands_are_targets")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^\$ make (\S+)", text, re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_the_configuration_shown_is_enough(tmp_path: Path) -> None:
    (text,) = proved_by("test_the_configuration_shown_is_enough")
    (tmp_path / "mypy.ini").write_text(text, encoding="utf-8")
    (tmp_path / "git.py").write_text(EXPLANATIONS[5].failing, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "git.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "[capdeco-unused]" in done.stdout


def test_the_tables_shown_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each alone and both as one table, by whoever loads plugins and by mypy."""
    monkeypatch.setenv("NOTES_DIR", "/notes")
    tables = proved_by("test_the_tables_shown_are_read")
    both = "".join([tables[0], *tables[1].splitlines(keepends=True)[1:]])
    (tmp_path / "mypy.ini").write_text("[mypy]\nplugins = capdeco.check.mypy_plugin\n", encoding="utf-8")
    (tmp_path / "pdf_tools.py").write_text("", encoding="utf-8")
    (tmp_path / "operations.py").write_text(EXPLANATIONS[0].mended, encoding="utf-8")
    path = tmp_path / "pyproject.toml"
    read = []
    for text in (*tables, both):
        path.write_text(text, encoding="utf-8")
        read.append([(each.name, dict(each.options)) for each in read_profile(path).plugins])
        command = [sys.executable, "-m", "mypy", "operations.py"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    plugins = [("pdf", {}), ("notes", {"folder": "/notes"})]
    assert read == [[], plugins, plugins]


def test_the_test_shown_passes(tmp_path: Path) -> None:
    (text,) = proved_by("test_the_test_shown_passes")
    imports = "from capdeco import Binder, EmbeddedHost\nfrom capdeco.testing import call, recorded\n"
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["capdeco.testing"]\n')
    (tmp_path / "pytest.ini").write_text("[pytest]\nanyio_mode = auto\n")
    (tmp_path / "test_shown.py").write_text(imports + text, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={tmp_path}"]
    done = subprocess.run(
        [*command, "-c", str(tmp_path / "pytest.ini"), str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout


def test_the_recipes_run_mypy_with_the_extra() -> None:
    """tests/packaging/test_recipes.py runs both, as they stand here."""
    texts = proved_by("test_the_recipes_run_mypy_with_the_extra")
    assert len(texts) == 2
    assert all("capdeco[mypy]" in text and "mypy" in text for text in texts)
