"""What the mypy plugin costs: the same project under it and under a plugin that does nothing, run in turns.

    python -m tests.benchmarks.mypy_cost [--runs 7] [1000] [bodies] [4000] [models]

Processor seconds of a whole mypy process, medians; `dmypy` is wall time of a check in a running daemon. The projects of
1,000 and 4,000 operations are nothing but declarations, which is the worst case; with `bodies` the tools of the first
do a little work, as tools do. `models` is what pydantic's own plugin costs on 1,000 models.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

NOTHING: Final = "from mypy.plugin import Plugin\n\n\ndef plugin(version: str) -> type[Plugin]:\n    return Plugin\n"
PER_FILE: Final = 20

TYPES: Final = """\
import attrs

@attrs.frozen
class Options{n}:
    columns: int = 1
    ocr: bool = False
    names: list[str] = attrs.Factory(list)
"""
TOOLS: Final = """\
@tool
def tool_{n}(path: str, options: Options{m}, number: int = {n}) -> dict[str, int]:
    '''Do number {n}.'''
{body}    return {{path: number}}

@tool(name="part-{n}")
def part_{n}(columns: int, ocr: bool = False) -> None:
    '''Do part {n}.'''
"""
BODY: Final = """\
    pages = [line.strip() for line in Path(path).read_text().splitlines() if line]
    found: dict[str, list[int]] = {}
    for place, page in enumerate(pages, start=1):
        words = page.split()
        if not words:
            continue
        for word in words[: options.columns]:
            found.setdefault(word.lower(), []).append(place)
    if options.ocr and not found:
        raise ValueError(f"{path}: nothing to read on {len(pages)} pages")
    best = max(found, key=lambda word: len(found[word]), default="")
    names = [*options.names, best] if best else list(options.names)
    number += sum(len(places) for word, places in found.items() if word in names)
"""
OPERATIONS: Final = """\
@capability(id="case_{n}", description="Case {n}.")
class Case{n}:
    @operation(steps=[Step({by_function}), Step("part-{part}", from_="options"), Step(part_{other}, from_="options")])
    def run(self, path: str, options: Options{m}, number: int = 1) -> None:
        '''Run case {n}.'''
"""
MODELS: Final = """\
class Model{n}(pydantic.BaseModel):
    a: int = pydantic.Field(1, description="a")
    b: str = "b"
    c: list[int] = pydantic.Field(default_factory=list)
    d: float | None = None

Model{n}(a=1, b="c", c=[1])
"""


def project(operations: int, tools: int, body: str = "") -> dict[str, str]:
    """Give the sources: tools in files of 20, operations in files of 20."""
    files: dict[str, str] = {}
    modules = range(0, tools // 2, PER_FILE)
    for start in modules:
        head = TYPES.format(n=start) + "\nfrom pathlib import Path\nfrom capdeco import tool\n\n"
        files[f"tools_{start}.py"] = head + "\n".join(
            TOOLS.format(n=n, m=start, body=body) for n in range(start, min(start + PER_FILE, tools // 2))
        )
    for start in range(0, operations, PER_FILE):
        home = (start * 7) % max(len(modules), 1) * PER_FILE
        names = list(range(home, min(home + PER_FILE, tools // 2)))
        head = (
            "from capdeco import Step, capability, operation\n"
            f"from tools_{home} import Options{home}\n"
            f"from tools_{home} import {', '.join(f'tool_{n}, part_{n}' for n in names)}\n\n"
        )
        files[f"operations_{start}.py"] = head + "\n".join(
            OPERATIONS.format(
                n=n,
                m=home,
                by_function=f"tool_{names[n % len(names)]}",
                part=(n * 13) % (tools // 2),
                other=names[(n + 1) % len(names)],
            )
            for n in range(start, min(start + PER_FILE, operations))
        )
    files["mypy.ini"] = "[mypy]\nplugins = PLUGIN\n[capdeco]\ntool_modules =\n" + "".join(
        f"    tools_{start}\n" for start in modules
    )
    return files


def cost(command: list[str], directory: Path) -> tuple[float, int]:
    """Run a process: its processor seconds, and its largest size in MiB."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, cwd=directory, stdout=output, stderr=output)
        _, status, used = os.wait4(process.pid, 0)
        output.seek(0)
        printed = output.read().decode()
    assert os.waitstatus_to_exitcode(status) == 0, printed
    return used.ru_utime + used.ru_stime, used.ru_maxrss // 1024


def edit(path: Path, old: str, new: str) -> None:
    """Change a file, a second later than before."""
    source = path.read_text()
    assert old in source, f"{old} is not in {path.name}"
    path.write_text(source.replace(old, new, 1))
    later = path.stat().st_mtime + 2
    os.utime(path, (later, later))


MYPY: Final = [sys.executable, "-m", "mypy", "--no-error-summary", "."]
DMYPY: Final = [sys.executable, "-m", "mypy.dmypy"]


def measure(directory: Path, run: int) -> dict[str, float]:
    """Measure every situation once in one copy of the project."""
    found: dict[str, float] = {}
    shutil.rmtree(directory / ".mypy_cache", ignore_errors=True)
    found["cold"], size = cost(MYPY, directory)
    found["cold, MiB"] = size
    found["warm"], _ = cost(MYPY, directory)
    edit(directory / "operations_0.py", "number: int = ", f"number: int = {run + 1}")
    found["one operation edited"], _ = cost(MYPY, directory)
    edit(directory / "tools_0.py", "part_0(columns: int,", "part_0(columns: int | float,")
    found["one tool edited"], _ = cost(MYPY, directory)
    edit(directory / "tools_0.py", "part_0(columns: int | float,", "part_0(columns: int,")
    edit(directory / "operations_0.py", f"number: int = {run + 1}", "number: int = ")
    return found


def measure_daemon(directory: Path) -> dict[str, float]:
    """Wall time of a check in a running daemon after an edit of one tool."""
    shutil.rmtree(directory / ".mypy_cache", ignore_errors=True)
    run = [*DMYPY, "run", "--", "--no-error-summary", "."]
    try:
        subprocess.run(run, cwd=directory, check=True, capture_output=True)
        edit(directory / "tools_0.py", "part_0(columns: int,", "part_0(columns: int | float,")
        start = time.perf_counter()
        subprocess.run(run, cwd=directory, check=True, capture_output=True)
        took = time.perf_counter() - start
        edit(directory / "tools_0.py", "part_0(columns: int | float,", "part_0(columns: int,")
    finally:
        subprocess.run([*DMYPY, "stop"], cwd=directory, check=False, capture_output=True)
    return {"dmypy, one tool edited (wall)": took}


def compare(
    files: Mapping[str, str], plugins: Mapping[str, str], runs: int, once: Callable[[Path, int], dict[str, float]]
) -> None:
    """Run both plugins in turns, and print medians and their ratio."""
    with tempfile.TemporaryDirectory() as name:
        results: dict[str, list[dict[str, float]]] = {plugin: [] for plugin in plugins}
        for plugin, setting in plugins.items():
            directory = Path(name) / plugin
            directory.mkdir()
            for file, source in files.items():
                (directory / file).write_text(source.replace("PLUGIN", setting))
            (directory / "nothing.py").write_text(NOTHING)
        for run in range(runs):
            for plugin in sorted(plugins, reverse=bool(run % 2)):
                results[plugin].append(once(Path(name) / plugin, run))
        without, with_ = list(plugins)
        for key in results[with_][0]:
            medians = [statistics.median(each[key] for each in results[plugin]) for plugin in (without, with_)]
            say(f"  {key:32} {medians[0]:8.2f} {medians[1]:8.2f}   x {medians[1] / medians[0]:.3f}")


def _situations(directory: Path, run: int) -> dict[str, float]:
    return {**measure(directory, run), **measure_daemon(directory)}


def _cold(directory: Path, _run: int) -> dict[str, float]:
    shutil.rmtree(directory / ".mypy_cache", ignore_errors=True)
    cold, size = cost(MYPY, directory)
    return {"cold": cold, "cold, MiB": size}


def say(text: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    """Measure what the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; everything by default")
    chosen = parser.parse_args()
    unknown = [part for part in chosen.parts if part not in PARTS]
    if unknown:
        parser.error(f"there is no part {unknown[0]!r}: choose of {', '.join(PARTS)}")
    for part in chosen.parts or PARTS:
        PARTS[part](chosen.runs)


def _declarations(operations: int, tools: int, runs: int, body: str = "") -> None:
    kind = "tools with bodies" if body else "nothing but declarations"
    say(f"{operations} operations over {tools} tools, {kind}, {runs} runs: without, with, ratio")
    plugins = {"without": "./nothing.py", "with": "capdeco.check.mypy_plugin"}
    compare(project(operations, tools, body), plugins, runs, _situations)


def _models(runs: int) -> None:
    say(f"pydantic's plugin over 1000 models, {runs} runs: without, with, ratio")
    models = {
        f"models_{start}.py": "import pydantic\n\n" + "\n".join(MODELS.format(n=n) for n in range(start, start + 20))
        for start in range(0, 1000, 20)
    }
    models["mypy.ini"] = "[mypy]\nplugins = PLUGIN\n"
    compare(models, {"without": "./nothing.py", "with": "pydantic.mypy"}, runs, _cold)


PARTS: Final[Mapping[str, Callable[[int], None]]] = {
    "1000": partial(_declarations, 1000, 300),
    "bodies": partial(_declarations, 1000, 300, body=BODY),
    "4000": partial(_declarations, 4000, 1200),
    "models": _models,
}
"""What is measured, in this order."""


if __name__ == "__main__":
    main()
