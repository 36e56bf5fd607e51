"""What a folder settles about itself, as the mypy plugin is told it: which modules hold the tools that steps name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from capdeco.settings import SettingsError, from_ini, from_pyproject

_FILES: Final[Mapping[str, Callable[[str], Mapping[str, Any] | None]]] = {
    "mypy.ini": from_ini,
    ".mypy.ini": from_ini,
    "setup.cfg": from_ini,
    "pyproject.toml": from_pyproject,
}


def tool_modules(load: Callable[[str], bytes | None]) -> tuple[str, ...]:
    """Give `tool_modules` of the first file that names some; *load* reads a file.

    What cannot be read settles nothing: whether it is right is for mypy to say.
    """
    for name, read in _FILES.items():
        try:
            found = read((load(name) or b"").decode("utf-8"))
        except (SettingsError, UnicodeDecodeError):
            continue
        if found and found.get("tool_modules"):
            return tuple(found["tool_modules"])
    return ()
