"""What the plugin is told in pyproject.toml or mypy.ini: the tool modules."""

from __future__ import annotations

import configparser
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from mypy.options import Options

_MODULE: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_KEYS: Final = ("tool_modules",)


class ConfigError(Exception):
    """A setting that cannot be meant as it is written."""


class Config(NamedTuple):  # nothing that costs an import: every run of mypy pays for it
    """The settings of the plugin."""

    tool_modules: tuple[str, ...] = ()
    """Modules or stub packages whose tools steps may name by string."""
    where: str = ""
    """The file and section that say so."""


def load_config(options: Options) -> Config:
    """Read `[tool.capdeco]` of the pyproject.toml, or `[capdeco]` of the ini file, that mypy itself was configured by.

    Where the ini file says nothing, the pyproject.toml beside it is asked.

    Raises:
        ConfigError: the file cannot be read, or says something else than it may.
    """
    if not options.config_file:
        return Config()
    path = Path(options.config_file)
    if path.suffix == ".toml":
        return _from_toml(path)
    config = _from_ini(path)
    beside = path.parent / "pyproject.toml"
    return config if config is not None else _from_toml(beside) if beside.is_file() else Config()


def _from_toml(path: Path) -> Config:
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from None
    section = document.get("tool", {})
    table = section.get("capdeco", {}) if isinstance(section, dict) else {}
    if not isinstance(table, dict):
        raise ConfigError(f"{path}: [tool.capdeco] is a table")
    modules = table.get("tool_modules", [])
    if not isinstance(modules, list) or not all(isinstance(each, str) for each in modules):
        raise ConfigError(f"{path}: [tool.capdeco]: tool_modules is a list of module names, not {modules!r}")
    return _checked(modules, table, f"{path}: [tool.capdeco]")


def _from_ini(path: Path) -> Config | None:
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, configparser.Error) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from None
    if not parser.has_section("capdeco"):
        return None
    section = dict(parser.items("capdeco"))
    modules = [each.strip() for each in re.split(r"[,\n]", section.get("tool_modules", "")) if each.strip()]
    return _checked(modules, section, f"{path}: [capdeco]")


def _checked(modules: list[str], keys: Mapping[str, object], where: str) -> Config:
    # Other tools of capdeco's may have tables of their own below; a stray value is a misspelt setting.
    for key, value in keys.items():
        if key not in _KEYS and not isinstance(value, dict):
            from capdeco.errors import did_you_mean  # noqa: PLC0415 - only where something is wrong

            raise ConfigError(f'{where}: there is no setting "{key}"; {did_you_mean(key, _KEYS, "settings")}')
    for module in modules:
        if not _MODULE.fullmatch(module):
            raise ConfigError(f'{where}: tool_modules: "{module}" is no module name')
    return Config(tuple(dict.fromkeys(modules)), where)
