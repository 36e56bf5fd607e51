"""`make test-matrix`: the tests of the plugin under each Python that is here, with the oldest and the newest mypy.

The versions are what the `mypy` extra in pyproject.toml says. `MATRIX_PYTHONS` names interpreters that are not on PATH,
separated as PATH is.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAMES = ("python3.11", "python3.12", "python3.13", "python3.14", "python3.15")
TESTS = ("tests/typing", "tests/unit", "tests/cli/test_check.py")


def pythons() -> Iterator[str]:
    """Give the interpreters that start; a version manager's shim may be found and not start."""
    named = filter(None, os.environ.get("MATRIX_PYTHONS", "").split(os.pathsep))
    seen: set[str] = set()
    for each in (*named, *filter(None, map(shutil.which, NAMES)), sys.executable):
        said = subprocess.run(
            [each, "-c", "import sys, ensurepip; print(sys.version_info[:2])"],
            capture_output=True,
            text=True,
            check=False,
        )
        if said.returncode == 0 and said.stdout not in seen:
            seen.add(said.stdout)
            yield each


def mypys() -> list[str]:
    """Give the requirement of the oldest release that the extra admits, and of the newest."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (wanted,) = project["optional-dependencies"]["mypy"]
    oldest = re.search(r">=([\d.]+)", wanted)
    if oldest is None:
        raise SystemExit(f"the mypy extra names no oldest release: {wanted}")
    return [f"mypy=={oldest.group(1)}.*" if oldest.group(1).count(".") == 1 else f"mypy=={oldest.group(1)}", wanted]


def run(python: str, mypy: str, folder: Path) -> bool:
    """Install the development extra with that mypy into a venv of its own, and run the tests there."""
    if not (folder / "bin" / "python").exists():
        subprocess.run([python, "-m", "venv", str(folder)], check=True)
    inside = str(folder / "bin" / "python")
    subprocess.run([inside, "-m", "pip", "install", "--quiet", "--editable", f"{ROOT}[dev]", mypy], check=True)
    done = subprocess.run(
        [inside, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS],
        cwd=ROOT,
        check=False,
        env={**os.environ, "MYPY_CACHE_DIR": str(folder / "mypy_cache")},
    )
    return done.returncode == 0


def main() -> int:
    """Run every cell, and print a line for each."""
    failed = False
    for python in pythons():
        version = subprocess.run(
            [python, "-c", "import platform; print(platform.python_version())"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for mypy in mypys():
            folder = ROOT / "build" / "matrix" / f"{version}-{re.sub('[^0-9.]', '', mypy)}"
            passed = run(python, mypy, folder)
            failed |= not passed
            sys.stdout.write(f"Python {version}, {mypy}: {'passed' if passed else 'FAILED'}\n")
            sys.stdout.flush()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
