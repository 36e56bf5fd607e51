"""`make test-real`: real packages that know nothing of capdeco, checked without the mypy plugin and with it.

    python -m tests.typing.real_projects [--runs 5]

The messages have to be the same, line by line. The cost is processor seconds of a whole run of mypy that has nothing
cached, medians: without the plugin, with it, and their ratio.
"""

from __future__ import annotations

import argparse
import difflib
import shutil
import statistics
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Final

from tests.benchmarks.mypy_cost import NOTHING, cost, say

PROJECTS: Final = {
    "openai": "3.57.0",  # some thousand pydantic models: the plugin has a hook for those
    "litestar": "2.25.0",  # msgspec, attrs and dataclasses
    "sqlalchemy": "2.1.9",  # classes of its own that mypy takes for dataclasses
    "textual": "8.2.8",  # none of these, and many messages
}
PLUGINS: Final = {"without": "./nothing.py", "with": "capdeco.check.mypy_plugin"}
# mypy ends with 1 where it has something to say, and with 2 where it could not check.
CHECK: Final = """
"$@" >said 2>&1
status=$?
test $status -le 1 || { cat said; exit $status; }
"""


def fetch(package: str, version: str, folder: Path) -> None:
    """Unpack a package into *folder*: mypy is to check it, nothing is to run it."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    with tempfile.TemporaryDirectory() as downloads:
        what = ["--no-deps", "--only-binary=:all:", f"--dest={downloads}", f"{package}=={version}"]
        subprocess.run([*pip, *what], check=True)
        (wheel,) = Path(downloads).glob("*.whl")
        zipfile.ZipFile(wheel).extractall(folder)


def check(package: str, plugin: str, folder: Path) -> tuple[float, list[str]]:
    """Check a package with nothing cached: the processor seconds, and what mypy says."""
    shutil.rmtree(folder / ".mypy_cache", ignore_errors=True)
    mypy = [sys.executable, "-m", "mypy", f"--config-file={plugin}.ini", "--package", package]
    seconds, _ = cost(["sh", "-c", CHECK, "sh", *mypy], folder)
    return seconds, (folder / "said").read_text().splitlines(keepends=True)


def compare(package: str, folder: Path, runs: int) -> bool:
    """Check a package with both plugins in turns, say what that costs, and tell whether they say the same."""
    seconds: dict[str, list[float]] = {plugin: [] for plugin in PLUGINS}
    said: dict[str, list[str]] = {}
    same = True
    for run in range(runs):
        for plugin in sorted(PLUGINS, reverse=not run % 2):
            took, said[plugin] = check(package, plugin, folder)
            seconds[plugin].append(took)
        if same and said["without"] != said["with"]:
            same = False
            sys.stdout.writelines(difflib.unified_diff(said["without"], said["with"], "without", "with", n=0))
    medians = [statistics.median(seconds[plugin]) for plugin in PLUGINS]
    name = f"{package} {PROJECTS[package]}"
    verdict = f"the same {len(said['with'])} lines" if same else "DIFFERENT MESSAGES"
    say(f"  {name:20} {medians[0]:8.2f} {medians[1]:8.2f}   x {medians[1] / medians[0]:.3f}   {verdict}")
    return same


def main() -> int:
    """Compare every package."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    say(f"{runs} runs, processor seconds: without, with, ratio")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "nothing.py").write_text(NOTHING)
        for plugin, setting in PLUGINS.items():
            (folder / f"{plugin}.ini").write_text(f"[mypy]\nplugins = {setting}\nignore_missing_imports = True\n")
        for package, version in PROJECTS.items():
            fetch(package, version, folder)
        same = [compare(package, folder, runs) for package in PROJECTS]
    return 0 if all(same) else 1


if __name__ == "__main__":
    sys.exit(main())
