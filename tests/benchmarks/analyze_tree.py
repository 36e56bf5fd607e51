"""`make bench-analyze`: the analyzer on a generated tree, beside plain `ast.parse` of the same files in the same run.

Prints medians, ratios and the growth with the number of files, and writes them as JSON. Exits with 1 if the analyzer
takes more than twice the time of `ast.parse`, or grows faster than the number of files.
"""

from __future__ import annotations

import argparse
import ast
import gc
import json
import platform
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

from capdeco.check.analyze.analysis import analyze_folder
from capdeco.check.analyze.files import Limits

RATIO = 2.0
"""What issue and README promise: at most this many times the time of `ast.parse`."""
GROWTH = 1.25
"""The ratio may grow by this much, mostly noise, from a fifth of the files to all of them: more is not linear."""

_TOOLS = '''\
"""Tools of package {package}, part {part}."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastmcp import FastMCP
from pydantic import Field

from .names import PREFIX_{part}, Names

mcp = FastMCP("part{part}")


@dataclass
class Options{part}:
    columns: int = 1
    title: str = "untitled"


@mcp.tool(name=PREFIX_{part})
def first(path: str, options: Options{part}, limit: Annotated[int, Field(ge=1)] = 10) -> dict[str, object]:
    """Read the first part."""
    found = {{}}
    for number, line in enumerate(open(path)):
        if number >= limit:
            break
        found[str(number)] = line.strip().split(",")
    return {{"path": path, "rows": found, "columns": options.columns}}


@mcp.tool(name=Names.SECOND_{part}.value, description="Write the second part.")
async def second(path: str, rows: list[dict[str, str]], overwrite: bool = False) -> int:
    count = 0
    for row in rows:
        count += len(row) + sum(len(value) for value in row.values())
    return count
'''

_HELPERS = '''

class Table{part}:
    """Rows by key, as the tools above hand them on."""

    def __init__(self, path: str, *, encoding: str = "utf-8") -> None:
        self.path = path
        self.encoding = encoding
        self.rows: dict[str, list[str]] = {{}}

    def read(self) -> None:
        with open(self.path, encoding=self.encoding) as file:
            for number, line in enumerate(file, start=1):
                key, _, rest = line.partition("=")
                if not key.strip():
                    raise ValueError(f"{{self.path}}:{{number}}: no key")
                self.rows.setdefault(key.strip(), []).extend(part.strip() for part in rest.split(",") if part)

    def merge(self, other: "Table{part}", *, prefer_other: bool = False) -> dict[str, list[str]]:
        merged: dict[str, list[str]] = {{}}
        for key in sorted({{*self.rows, *other.rows}}):
            mine, theirs = self.rows.get(key, []), other.rows.get(key, [])
            merged[key] = (theirs or mine) if prefer_other else (mine or theirs)
        return merged

    def columns(self) -> list[int]:
        widths = [0] * max((len(row) for row in self.rows.values()), default=0)
        for row in self.rows.values():
            for index, value in enumerate(row):
                widths[index] = max(widths[index], len(value))
        return widths

    def render(self) -> str:
        widths = self.columns()
        lines = []
        for key, row in self.rows.items():
            cells = [value.ljust(width) for value, width in zip(row, widths, strict=False)]
            lines.append(f"{{key:>20}} | " + " | ".join(cells))
        return "\\n".join(lines)


def normalise(text: str, replace: dict[str, str] | None = None) -> str:
    for old, new in (replace or {{"\\t": " ", "\\r": ""}}).items():
        text = text.replace(old, new)
    parts = [part for part in text.split(" ") if part]
    return " ".join(parts[:100]) + ("..." if len(parts) > 100 else "")
'''

_PLAIN = '''\
"""Helpers of package {package}, part {part}."""

import json
import logging
from pathlib import Path

logger = logging.getLogger(__name__)


class Store{part}:
    """Keep rows."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: list[dict[str, object]] = []

    def load(self) -> None:
        with self.path.open() as file:
            self.rows = [json.loads(line) for line in file if line.strip()]
        logger.info("loaded %d rows from %s", len(self.rows), self.path)

    def select(self, **wanted: object) -> list[dict[str, object]]:
        return [row for row in self.rows if all(row.get(key) == value for key, value in wanted.items())]


def merge(one: dict[str, int], other: dict[str, int]) -> dict[str, int]:
    result = dict(one)
    for key, value in other.items():
        result[key] = result.get(key, 0) + value
    return result
'''


def generate(root: Path, files: int) -> None:
    """Write *files* Python files in packages of twenty: one of names, five of two tools each, the rest without any.

    A file has some 75 lines, so a tree has about one tool in 150 lines: denser than most plugins.
    """
    for number in range(0, files, 20):
        package = root / f"package{number // 20:04}"
        package.mkdir(parents=True)
        parts = range(min(20, files - number) - 1)
        constants = [f'PREFIX_{part} = "p{number}_first_{part}"' for part in parts]
        members = [f'    SECOND_{part} = "p{number}_second_{part}"' for part in parts]
        names = ["from enum import Enum", "", *constants, "", "class Names(Enum):", *(members or ["    NONE = 0"])]
        (package / "names.py").write_text("\n".join(names) + "\n")
        for part in parts:
            source = ((_TOOLS if part % 4 == 0 else _PLAIN) + _HELPERS).format(package=number // 20, part=part)
            (package / f"part{part}.py").write_text(source)


def timed(run: Callable[[], object]) -> float:
    """Give the seconds that *run* takes."""
    gc.collect()
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def parse_all(root: Path) -> None:
    """Do the least that any reader must: read and parse every file."""
    for path in sorted(root.rglob("*.py")):
        ast.parse(path.read_bytes())


def measure(files: int, repeats: int) -> dict[str, float]:
    """Give the medians of *repeats* runs over *files* files, the two taking turns."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        generate(root, files)
        parsing: list[float] = []
        analyzing: list[float] = []
        found = analyze_folder(root, Limits(seconds=600))
        assert found.complete
        assert found.read == files
        assert not any(not isinstance(tool.name, str) for tool in found.tools)
        for _ in range(repeats):
            parsing.append(timed(lambda: parse_all(root)))
            analyzing.append(timed(lambda: analyze_folder(root, Limits(seconds=600))))
    ratios = [mine / least for mine, least in zip(analyzing, parsing, strict=True)]
    return {
        "files": files,
        "tools": len(found.tools),
        "parse_seconds": round(statistics.median(parsing), 4),
        "analyze_seconds": round(statistics.median(analyzing), 4),
        "ratio": round(statistics.median(ratios), 3),
        "worst_ratio": round(max(ratios), 3),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=5_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--output", type=Path, help="where to write the result as JSON")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    sizes = [max(20, options.files // 5), options.files]
    results = [measure(size, options.repeats) for size in sizes]
    # Against parsing, which is linear: a machine that is slower for a while is slower for both.
    growth = round(results[1]["ratio"] / results[0]["ratio"], 3)
    passed = results[1]["ratio"] <= RATIO and growth <= GROWTH
    report = {
        "benchmark": "analyze",
        "python": platform.python_version(),
        "machine": platform.machine(),
        "limits": {"ratio": RATIO, "growth": GROWTH},
        "sizes": results,
        "growth": growth,
        "passed": passed,
    }
    text = json.dumps(report, indent=2)
    sys.stdout.write(text + "\n")
    if options.output is not None:
        options.output.write_text(text + "\n", "utf-8")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
