"""The recipes of the README's "In CI", as they stand there: by the real pre-commit, and the workflow's commands.

Only where things come from is another: the wheel of this checkout, and a repository with the same hook as mypy's own.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
PLUGIN = '''\
from capdeco import Step, capability, operation, tool


@tool
def read(path: str) -> str:
    """Read a page."""
    return path


@capability(id="pages", description="Pages.")
class Pages:
    @operation(steps=[Step(read)])
    def show(self, path: str, language: str = "en") -> None:
        """Show a page."""
'''
PROJECT = """\
[project]
name = "acme-pages"
version = "1"

[tool.setuptools]
py-modules = ["acme_pages"]

[tool.mypy]
files = ["acme_pages.py"]
plugins = ["capdeco.check.mypy_plugin"]
"""
HOOK = """\
- id: mypy
  name: mypy
  entry: mypy
  language: python
  types_or: [python, pyi]
  args: ["--ignore-missing-imports", "--scripts-are-modules"]
  require_serial: true
"""


def recipe(file: str) -> str:
    (found,) = re.findall(rf"```yaml\n# {re.escape(file)}\n(.*?)```", README, re.DOTALL)
    return str(found)


def run(*command: str, cwd: Path, path: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("VIRTUAL_ENV", "PYTHON"))}
    environment |= {"PATH": f"{path}{os.pathsep}{environment['PATH']}", **variables}
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, env=environment)


def git(directory: Path, *arguments: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *who, *arguments], cwd=directory, check=True, capture_output=True)


def venv(directory: Path, *packages: str) -> Path:
    subprocess.run([sys.executable, "-m", "venv", str(directory)], check=True)
    bin_ = directory / "bin"
    if packages:
        subprocess.run([str(bin_ / "python"), "-m", "pip", "install", "--quiet", *packages], check=True)
    return bin_


@pytest.fixture
def project(tmp_path: Path) -> Path:
    directory = tmp_path / "project"
    directory.mkdir()
    (directory / "acme_pages.py").write_text(PLUGIN)
    (directory / "pyproject.toml").write_text(PROJECT)
    return directory


def mend(project: Path) -> None:
    (project / "acme_pages.py").write_text(PLUGIN.replace(', language: str = "en"', ""))


def test_pre_commit_runs_mypy_with_the_plugin(wheel: Path, project: Path, tmp_path: Path) -> None:
    config = recipe(".pre-commit-config.yaml")
    (version,) = re.findall(r"rev: v(\S+)", config)
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    (mirror / ".pre-commit-hooks.yaml").write_text(HOOK)
    (mirror / "setup.py").write_text(
        f"from setuptools import setup\nsetup(name='hook', py_modules=[], install_requires=['mypy=={version}'])\n"
    )
    git(mirror, "init", "-q")
    git(mirror, "add", ".")
    git(mirror, "commit", "-qm", "The hook")
    git(mirror, "tag", f"v{version}")

    config = config.replace("https://github.com/pre-commit/mirrors-mypy", str(mirror))
    config = config.replace('"capdeco[mypy]"', f'"capdeco[mypy] @ file://{wheel}"')
    (project / ".pre-commit-config.yaml").write_text(config)
    git(project, "init", "-q")
    git(project, "add", ".")
    bin_ = venv(tmp_path / "venv", "pre-commit")

    def check() -> subprocess.CompletedProcess[str]:
        command = (str(bin_ / "pre-commit"), "run", "--all-files")
        return run(*command, cwd=project, path=bin_, PRE_COMMIT_HOME=str(tmp_path / "cache"))

    done = check()
    assert done.returncode == 1, done.stdout + done.stderr
    assert 'acme_pages.py:13: error: the parameter "language" reaches no step' in done.stdout, done.stdout
    mend(project)
    git(project, "add", ".")
    done = check()
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_workflow_s_commands_check_a_project(wheel: Path, project: Path, tmp_path: Path) -> None:
    commands = re.findall(r"- run: (.*)", recipe(".github/workflows/types.yml"))
    bin_ = venv(tmp_path / "venv")

    def check() -> subprocess.CompletedProcess[str]:
        *before, last = [
            run(
                *(word.replace("capdeco[mypy]", f"{wheel}[mypy]") for word in shlex.split(each)), cwd=project, path=bin_
            )
            for each in commands
        ]
        assert not any(each.returncode for each in before), before
        return last

    done = check()
    assert done.returncode == 1, done.stdout + done.stderr
    assert 'acme_pages.py:13: error: the parameter "language" reaches no step' in done.stdout, done.stdout
    mend(project)
    done = check()
    assert done.returncode == 0, done.stdout + done.stderr
