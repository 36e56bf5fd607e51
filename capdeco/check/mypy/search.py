"""Tool modules that are nowhere: mypy would say so at each file that declares something, and not say why.

mypy looks beside the files that it is given, too, and a plugin is not told of those: only a module that is neither
where mypy always looks, nor anywhere in the project, is surely missing. Of any other mypy has the last word.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from mypy.options import Options

from capdeco.check.mypy.config import Config


def missing_modules(config: Config, options: Options, loaded: Collection[str]) -> str:
    """Say which tool modules are nowhere, or not read; empty if none is. *loaded* are those that mypy has found."""
    roots = [Path.cwd(), *map(Path, options.mypy_path)]
    places = [*map(str, roots)]
    lost = [each for each in config.tool_modules if each not in loaded and not _is_in(each, places)]
    if not lost:
        return ""
    from capdeco.check.mypy.internals import search  # noqa: PLC0415 - seldom needed, and slow to import

    said = []
    for each in lost:
        found = search(each, options)
        if found == "without types":
            said.append(f'mypy does not read "{each}": it is installed without types (py.typed, or a stub package)')
        elif found == "nowhere" and not any(_is_in(each, _folders(root)) for root in _project(options)):
            said.append(f'there is no module "{each}"{_near(each, roots)}')
    return "\n".join(f"{config.where}: tool_modules: {each}" for each in said)


def _project(options: Options) -> set[Path]:
    return {Path.cwd(), Path(options.config_file or "").resolve().parent}


def _is_in(module: str, places: Iterable[str]) -> bool:
    # Every run asks this of every tool module, and pathlib is ten times slower.
    parts = module.split(".")
    for place in places:
        path = os.path.join(place, *parts)
        if os.path.isfile(f"{path}.py") or os.path.isdir(path) or os.path.isfile(f"{path}.pyi"):
            return True
    return False


def _folders(root: Path) -> Iterator[str]:
    """Give the folders of a project, none of those that are hidden or installed."""
    for folder, below, files in os.walk(root):
        below[:] = [each for each in below if not each.startswith((".", "__")) and each != "node_modules"]
        if "pyvenv.cfg" in files:
            below.clear()
        else:
            yield folder


def _near(module: str, roots: Iterable[Path]) -> str:
    package, _, name = module.rpartition(".")
    known = {
        path.stem
        for root in roots
        for path in root.joinpath(*package.split(".")).glob("*")
        if path.suffix in (".py", ".pyi") or (path.is_dir() and any(path.glob("*.py*")))
    }
    from capdeco.errors import near_misses  # noqa: PLC0415 - only where something is wrong

    close = [f"{package}.{each}" if package else each for each in near_misses(name, known)]
    return "; did you mean " + " or ".join(f'"{each}"' for each in close) + "?" if close else ""
