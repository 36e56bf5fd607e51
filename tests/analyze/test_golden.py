"""The report of each plugin is what its golden file says; `CAPDECO_UPDATE_GOLDEN=1` rewrites them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema_rs
import pytest

from capdeco.check.analyze.as_json import report_schema
from tests.analyze import plugins

GOLDEN = Path(__file__).parent / "golden"


def analyze(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "capdeco", "analyze", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, check=False, env={**os.environ, "COLUMNS": "40"})


def compare(name: str, printed: bytes) -> None:
    file = GOLDEN / name
    if os.environ.get("CAPDECO_UPDATE_GOLDEN"):
        file.write_bytes(printed)
    assert file.read_bytes().decode() == printed.decode()


@pytest.mark.parametrize("name", plugins.ALL)
@pytest.mark.parametrize(
    ("options", "suffix"), [((), ".txt"), (("--json",), ".json"), (("--propose",), ".proposal.txt")]
)
def test_the_report_is_what_the_golden_file_says(
    name: str, options: tuple[str, ...], suffix: str, tmp_path: Path
) -> None:
    plugins.write(plugins.ALL[name], tmp_path / "plugin")
    done = analyze("plugin", *options, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    compare(name + suffix, done.stdout)


@pytest.mark.parametrize("name", plugins.ALL)
def test_the_json_is_of_the_published_schema(name: str, tmp_path: Path) -> None:
    plugins.write(plugins.ALL[name], tmp_path)
    done = analyze(".", "--json", "--propose", cwd=tmp_path)
    validator = jsonschema_rs.Draft202012Validator(report_schema())
    assert [str(error) for error in validator.iter_errors(json.loads(done.stdout))] == []


def test_the_schema_refuses_another_report() -> None:
    validator = jsonschema_rs.Draft202012Validator(report_schema())
    assert not validator.is_valid({"version": 2})


def test_the_command_prints_the_schema(tmp_path: Path) -> None:
    assert json.loads(analyze("--schema", cwd=tmp_path).stdout) == report_schema()
