"""`capdeco list`: the rows of a profile, in the venv that the good plugin was verified in."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from tests.verify.conftest import Run

List = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def listing(run_of: Callable[[str], Run], tmp_path: Path) -> List:
    """Run `capdeco list` where good and quiet are installed, in an empty folder."""
    venv = run_of("good").kept / "venv"

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        program = str(venv / "bin" / "capdeco")
        return subprocess.run([program, "list", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)

    return run


def test_each_plugin_has_a_row_with_the_bytes_that_the_model_is_sent(listing: List, tmp_path: Path) -> None:
    (tmp_path / "capdeco.toml").write_text('plugins = ["good", "quiet"]\n')
    done = listing("--json")
    assert done.returncode == 0
    # Written down, not computed by what is tested.
    shown = {
        "name": "notes_review",
        "description": (
            "Find the notes on a subject, and say whether there are enough.\n\n"
            "[capability notes] The keeper's notes.\n"
            "Steps (run in this order by the harness, one call): 1. note_find → 2. note_count"
        ),
        "input_schema": {
            "type": "object",
            "properties": {"word": {"type": "string"}, "minimum": {"type": "integer", "default": 1}},
            "required": ["word"],
            "additionalProperties": False,
        },
    }
    good, quiet = json.loads(done.stdout)["plugins"]
    assert good == {
        "plugin": "good",
        "version": "1.0",
        "tools": ["notes_review"],
        "capabilities": ["notes"],
        "bytes": len(msgspec.json.encode(shown)),
        "error": "",
    }
    assert quiet == {**good, "plugin": "quiet", "tools": [], "capabilities": [], "bytes": 0}


def test_the_table_says_the_same(listing: List, tmp_path: Path) -> None:
    (tmp_path / "profile.toml").write_text('plugins = ["quiet", "good"]\n')
    done = listing("--profile", "profile.toml")
    head, quiet, good, total = (line.split() for line in done.stdout.splitlines())
    assert head == ["plugin", "version", "tools", "capabilities", "bytes"]
    assert quiet == ["quiet", "1.0", "-", "-", "0"]
    assert good[:4] == ["good", "1.0", "notes_review", "notes"]
    assert good[4] == total[0]


def test_one_that_fails_is_said_so_and_the_others_are_listed(listing: List, tmp_path: Path) -> None:
    (tmp_path / "capdeco.toml").write_text('plugins = [{name = "quiet", options = {loud = true}}, "good"]\n')
    done = listing()
    assert done.returncode == 1
    assert done.stdout.splitlines()[1].split() == ["quiet", "1.0", "failed"]
    assert "notes_review" in done.stdout
    assert "quiet takes no options" in done.stderr


def test_without_a_profile_nothing_is_loaded_and_what_is_installed_is_named(listing: List) -> None:
    done = listing()
    assert (done.returncode, done.stdout) == (0, "no profile names a plugin; installed: good, quiet\n")


def test_a_profile_that_names_what_is_not_installed_fails(listing: List, tmp_path: Path) -> None:
    (tmp_path / "capdeco.toml").write_text('plugins = ["god"]\n')
    done = listing()
    assert done.returncode == 1
    assert 'did you mean "good"?' in done.stderr


def test_a_profile_that_is_not_there_is_a_bad_argument(listing: List) -> None:
    assert listing("--profile", "nowhere.toml").returncode == 2
