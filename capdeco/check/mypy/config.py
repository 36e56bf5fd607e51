"""What the plugin is told in pyproject.toml or mypy.ini: the tool modules."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from mypy.options import Options

from capdeco import settings


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

    Where that says nothing, the pyproject.toml of the working directory is asked, then the one beside that file: a
    project of several may be checked by the configuration of them all.

    Raises:
        ConfigError: the file cannot be read, or says something else than it may.
    """
    if not options.config_file:
        return Config()
    path = Path(options.config_file)
    others = (each for each in (Path("pyproject.toml"), path.parent / "pyproject.toml") if each.is_file())
    return next(filter(None, map(_read, (path, *others))), Config())


def _read(path: Path) -> Config | None:
    try:
        said = settings.read(path)
    except settings.SettingsError as error:
        where = f"{path}: {error.section}" if error.section else f"{path}"
        raise ConfigError(f"{where}: {error.what}; {error.fix}") from None
    if said is None:
        return None
    where = f"{path}: {settings.TABLE if path.suffix == '.toml' else settings.SECTION}"
    return Config(tuple(dict.fromkeys(said.get("tool_modules", []))), where)
