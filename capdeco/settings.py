"""What a project says of itself: `[tool.capdeco]` in pyproject.toml, or `[capdeco]` in the ini file of mypy."""

from __future__ import annotations

import configparser
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

KEYS: Final = ("plugins", "tool_modules")
"""What the table may hold: whoever reads one of them is not to stumble over the other."""

TABLE: Final = "[tool.capdeco]"
SECTION: Final = "[capdeco]"

_MODULE: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


class SettingsError(ValueError):
    """A setting that cannot be meant as it is written."""

    def __init__(self, what: str, fix: str, section: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.fix = fix
        self.section = section
        """Where in the file, if it could be read."""


def read(path: Path) -> Mapping[str, Any] | None:
    """Give what the file at *path* says: a pyproject.toml, an own file without header, or an ini file of mypy.

    `None` if it has no part for capdeco.

    Raises:
        SettingsError: it cannot be read, or says something else than it may.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise SettingsError("there is no such file", "check the path") from None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"cannot be read: {error}", "correct the file") from None
    if path.suffix != ".toml":
        return from_ini(text)
    document = _toml(text)
    if path.name == "pyproject.toml" or "tool" in document:
        return _table_in(document)
    return _checked(document, KEYS, "")


def from_pyproject(text: str) -> Mapping[str, Any] | None:
    """Give `[tool.capdeco]` of a pyproject.toml; `None` if it has no such table.

    Raises:
        SettingsError: *text* is no TOML, or says something else than it may.
    """
    return _table_in(_toml(text))


def _table_in(document: Mapping[str, Any]) -> Mapping[str, Any] | None:
    tool = document.get("tool", {})
    if not isinstance(tool, dict):
        raise SettingsError(f"tool is a table, not {tool!r}", f"write {TABLE}")
    if "capdeco" not in tool:
        return None
    table = tool["capdeco"]
    if not isinstance(table, dict):
        raise SettingsError(f"tool.capdeco is a table, not {table!r}", f"write {TABLE}")
    return _checked(table, KEYS, TABLE)


def from_ini(text: str) -> Mapping[str, Any] | None:
    """Give `[capdeco]` of an ini file, which holds what mypy is told; `None` if it has no such section.

    Raises:
        SettingsError: *text* is no ini file, or says something else than it may.
    """
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(text)
    except configparser.Error as error:
        raise SettingsError(f"cannot be read: {error}", "correct the file") from None
    if not parser.has_section("capdeco"):
        return None
    section: dict[str, Any] = dict(parser.items("capdeco"))
    if "tool_modules" in section:
        section["tool_modules"] = [each.strip() for each in re.split(r"[,\n]", section["tool_modules"]) if each.strip()]
    return _checked(section, ("tool_modules",), SECTION)


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SettingsError(f"cannot be read: {error}", "correct the file") from None


def _checked(table: Mapping[str, Any], known: Iterable[str], section: str) -> Mapping[str, Any]:
    for key in table:
        if key not in known:
            from capdeco.errors import did_you_mean  # noqa: PLC0415 - only where something is wrong: mypy starts fast

            raise SettingsError(f'there is no setting "{key}"', did_you_mean(key, known, "settings"), section)
    modules = table.get("tool_modules", [])
    if not isinstance(modules, list) or not all(isinstance(each, str) for each in modules):
        what = f"tool_modules is a list of module names, not {modules!r}"
        raise SettingsError(what, 'write tool_modules = ["package.module"]', section)
    for module in modules:
        if not _MODULE.fullmatch(module):
            raise SettingsError(f'tool_modules: "{module}" is no module name', "name a module: package.module", section)
    return table
