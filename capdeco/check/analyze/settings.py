"""What a folder settles about itself, as the mypy plugin is told it: which modules hold the tools that steps name."""

from __future__ import annotations

import configparser
import re
import tomllib
from collections.abc import Callable
from typing import Final

_INI: Final = ("mypy.ini", ".mypy.ini", "setup.cfg")


def tool_modules(load: Callable[[str], bytes | None]) -> tuple[str, ...]:
    """Give `tool_modules` of `[capdeco]` in mypy.ini, or of `[tool.capdeco]` in pyproject.toml; *load* reads a file.

    What cannot be read settles nothing: whether it is right is for mypy to say.
    """
    for name in _INI:
        found = _from_ini(load(name) or b"")
        if found:
            return found
    try:
        document = tomllib.loads((load("pyproject.toml") or b"").decode("utf-8"))
        modules = document["tool"]["capdeco"]["tool_modules"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return ()
    is_list = isinstance(modules, list) and all(isinstance(each, str) for each in modules)
    return tuple(modules) if is_list else ()


def _from_ini(data: bytes) -> tuple[str, ...]:
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(data.decode("utf-8"))
        written = parser.get("capdeco", "tool_modules", fallback="")
    except (ValueError, configparser.Error):
        return ()
    return tuple(each.strip() for each in re.split(r"[,\n]", written) if each.strip())
