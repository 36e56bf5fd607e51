"""Profiles: which installed plugins a host loads, in which order, with which options."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Final

import attrs

from capdeco import settings
from capdeco.codes import HOST
from capdeco.declare.names import quoted
from capdeco.errors import BindError, Diagnostic, Place, did_you_mean

GROUP: Final = "capdeco.plugins"
"""The entry point group: each is a module, or a function `setup(binder, options)`."""

VARIABLE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
"""What an option's text asks of the environment."""

_ENTRY_KEYS: Final = ("name", "options", "probe")


@attrs.frozen
class Wanted:
    """One plugin that a profile names."""

    name: str
    options: Mapping[str, Any] = attrs.field(factory=dict)
    probe: Mapping[str, Any] | None = None
    """A call that shows that the plugin works: `{tool = "...", arguments = {...}}`."""


@attrs.frozen
class Profile:
    """What a profile file says; `path` is None where there is no file, and then nothing is wanted."""

    path: Path | None
    plugins: Sequence[Wanted] = ()


def find_profile(start: Path) -> Path | None:
    """Find `capdeco.toml`, else a `pyproject.toml` whose `[tool.capdeco]` names plugins, in *start*."""
    own = start / "capdeco.toml"
    if own.is_file():
        return own
    project = start / "pyproject.toml"
    return project if project.is_file() and "plugins" in (_settings(project) or {}) else None


def read_profile(path: Path | None) -> Profile:
    """Read the profile at *path*, `${VAR}` in its options replaced by the environment's values.

    Raises:
        BindError: it cannot be read, has an unknown key or a wrong value, or a variable is not set.
    """
    if path is None:
        return Profile(None)
    table = _settings(path) or {}
    plugins = table.get("plugins", [])
    if not isinstance(plugins, list):
        raise _refused(path, f"plugins is a list, not {plugins!r}", 'write plugins = ["name", ...]')
    found = [_wanted(each, path) for each in plugins]
    names = [each.name for each in found]
    double = next((name for name in names if names.count(name) > 1), None)
    if double:
        raise _refused(path, f"the plugin {quoted(double)} stands there twice", "keep one of them")
    return Profile(path, found)


def _wanted(entry: object, path: Path) -> Wanted:
    if isinstance(entry, str):
        return Wanted(entry)
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        raise _refused(path, f"a plugin is a name or a table with a name, not {entry!r}", 'write {name = "..."}')
    for key in entry:
        if key not in _ENTRY_KEYS:
            raise _refused(path, f"a plugin has no key {quoted(key)}", did_you_mean(key, _ENTRY_KEYS, "keys"))
    options = _table(entry.get("options", {}), path, "options")
    probe = entry.get("probe")
    if probe is not None:
        probe = _table(probe, path, "probe")
        if not isinstance(probe.get("tool"), str) or not isinstance(probe.get("arguments", {}), dict):
            raise _refused(path, "a probe has a tool and arguments", 'write {tool = "...", arguments = {...}}')
    expanded = {key: _expand(value, path) for key, value in options.items()}
    return Wanted(entry["name"], expanded, probe)


def _expand(value: Any, path: Path) -> Any:
    """`${VAR}` and nothing else: no defaults, no commands, and a plain dollar stays one."""
    if isinstance(value, str):

        def replace(found: re.Match[str]) -> str:
            name = found.group(1)
            if name not in os.environ:
                raise _refused(path, f"the environment has no variable {name}", f"set {name}, or write the value")
            return os.environ[name]

        return VARIABLE.sub(replace, value)
    if isinstance(value, dict):
        return {key: _expand(each, path) for key, each in value.items()}
    if isinstance(value, list):
        return [_expand(each, path) for each in value]
    return value


def installed_plugins() -> dict[str, EntryPoint]:
    """Find every installed plugin, by name; nothing of them is imported."""
    return {entry.name: entry for entry in sorted(entry_points(group=GROUP), key=lambda each: each.name)}


def choose(profile: Profile, installed: Mapping[str, EntryPoint]) -> list[tuple[Wanted, EntryPoint]]:
    """Match what *profile* names with what is installed.

    Raises:
        BindError: a plugin is not installed.
    """
    for wanted in profile.plugins:
        if wanted.name not in installed:
            hint = did_you_mean(wanted.name, installed, "installed plugins")
            raise _refused(profile.path, f"no plugin {quoted(wanted.name)} is installed", hint)
    return [(wanted, installed[wanted.name]) for wanted in profile.plugins]


def refuse_options(wanted: Wanted, entry: EntryPoint) -> None:
    """A module has nothing that could take options: they would be dropped in silence.

    Raises:
        BindError: the profile gives some to a plugin whose entry point is a module.
    """
    if wanted.options:
        raise _refused(
            None,
            f'the plugin "{wanted.name}" is the module {entry.module}, which takes no options',
            "leave the options out, or let its entry point name a function setup(binder, options)",
        )


def _settings(path: Path) -> Mapping[str, Any] | None:
    try:
        return settings.read(path)
    except settings.SettingsError as error:
        raise _refused(path, " ".join(filter(None, [error.section, error.what])), error.fix) from error


def _table(value: object, path: Path, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _refused(path, f"{name} is a table, not {value!r}", f"write [{name}]")
    return value


def _refused(path: Path | None, what: str, fix: str) -> BindError:
    return BindError(Diagnostic(HOST, what, fix, place=Place(str(path)) if path else None, rule="profile"))
