"""Stage two: the composed profile has the plugin's row. Metadata and files are read; nothing of the plugin runs."""

from __future__ import annotations

import json
import re
import sysconfig
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import Distribution, DistributionFinder, EntryPoint, MetadataPathFinder
from pathlib import Path

import attrs

from capdeco import settings
from capdeco.bind.profile import GROUP, Wanted, choose, find_profile, read_profile
from capdeco.errors import BindError, near_misses
from capdeco.verify.install import Package
from capdeco.verify.throwaway import Failed, Throwaway


@attrs.frozen
class Located:
    """Where a module is."""

    file: str
    top: str
    """The folder of its top-level package; the file of a module that is in none."""


@attrs.frozen
class ComposedRow:
    """One plugin of the profile: what it is, and the file that will be loaded."""

    name: str
    version: str
    entry: str
    files: Located

    def __str__(self) -> str:
        return f"{self.name} {self.version}: {self.entry}"


@attrs.frozen
class Composed:
    """The profile that the plugin is loaded by, and its rows."""

    profile: Path
    rows: tuple[ComposedRow, ...]

    def __str__(self) -> str:
        return "; ".join(map(str, self.rows))


def compose(profile: Throwaway, package: Package) -> Composed:
    """Compose the profile of the plugin's own folder; where it has none, all that the package registers.

    Raises:
        Failed: no entry point, or the profile and the package do not name the same plugins, or a module has no file.
    """
    folder = _site_packages(profile)
    found = list(MetadataPathFinder.find_distributions(DistributionFinder.Context(path=[folder])))
    installed = {entry.name: entry for each in found for entry in _plugins_of(each)}
    (own,) = (each for each in found if each.metadata["Name"] == package.name)
    names = [entry.name for entry in _plugins_of(own)]
    if not names:
        raise Failed(f"{package.name} has no entry point in the group {GROUP}", _how_to(own))
    try:
        path = find_profile(profile.source)
        if path is None:
            path = profile.source / "capdeco.toml"
            project = profile.source / "pyproject.toml"
            said = (settings.read(project) or {}) if project.is_file() else {}
            modules = json.dumps(list(said.get("tool_modules", [])))
            path.write_text(f"plugins = {json.dumps(names)}\ntool_modules = {modules}\n", encoding="utf-8")
        chosen = choose(read_profile(path), installed)
    except BindError as error:
        each = error.diagnostics[0]
        raise Failed(f"its profile is wrong: {each.what}", [each.fix]) from None
    if not {wanted.name for wanted, _ in chosen} & set(names):
        hint = f"the package registers {', '.join(names)}"
        raise Failed(f"the profile {path.name} names no plugin of {package.name}", [hint])
    return Composed(path, tuple(_row(wanted, entry, folder) for wanted, entry in chosen))


def _site_packages(profile: Throwaway) -> str:
    venv = str(profile.root / "venv")
    return sysconfig.get_path("purelib", "venv", vars={"base": venv, "platbase": venv})


def _plugins_of(package: Distribution) -> list[EntryPoint]:
    return list(package.entry_points.select(group=GROUP))


def _how_to(package: Distribution) -> list[str]:
    near = near_misses(GROUP, {entry.group for entry in package.entry_points})
    name = re.sub(r"\W+", "_", package.metadata["Name"]).lower()
    meant = [f'the group "{group}" is not read; did you mean "{GROUP}"?' for group in near]
    return [*meant, f'write [project.entry-points."{GROUP}"] and below it {name} = "module"']


def _row(wanted: Wanted, entry: EntryPoint, folder: str) -> ComposedRow:
    found = locate(entry.module, [folder])
    if isinstance(found, str):
        raise Failed(
            f'the plugin "{wanted.name}" is the module {entry.module}, and there is no file of it',
            [f"not found: {found}; is it part of what is packaged?"],
        )
    version = entry.dist.version if entry.dist else ""
    return ComposedRow(wanted.name, version, entry.value, found)


def locate(module: str, path: Sequence[str]) -> Located | str:
    """Find the files of *module* on *path*, or say which module there is none of; nothing is imported."""
    parts = module.split(".")
    places: Sequence[str] = path
    found: list[ModuleSpec] = []
    for depth in range(1, len(parts) + 1):
        # Step by step: importlib.util.find_spec would import what is above.
        name = ".".join(parts[:depth])
        spec = PathFinder.find_spec(name, places)
        if spec is None:
            return name
        places = list(spec.submodule_search_locations or ())
        found.append(spec)
    top = list(found[0].submodule_search_locations or ()) or [found[0].origin or ""]
    return Located(found[-1].origin or places[0], top[0])
