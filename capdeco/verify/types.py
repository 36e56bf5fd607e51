"""Stage three, on request: mypy with capdeco's plugin on the package as it is installed."""

from __future__ import annotations

import shutil
from pathlib import Path

import attrs

from capdeco import settings
from capdeco.verify.compose import Composed
from capdeco.verify.throwaway import Failed, Throwaway


@attrs.frozen
class Typed:
    """A clean run, in mypy's words."""

    summary: str

    def __str__(self) -> str:
        return self.summary


def check_types(profile: Throwaway, composed: Composed) -> Typed:
    """Check what the profile loads, with mypy's defaults and the tool modules that the profile names.

    Raises:
        Failed: mypy found errors, or could not check.
    """
    config = profile.root / "mypy.ini"
    modules = ", ".join(_tool_modules(composed))
    # Whether other packages ship types is not this package's fault.
    config.write_text(
        "[mypy]\nplugins = capdeco.check.mypy_plugin\ndisable_error_code = import-untyped\n"
        f"[capdeco]\ntool_modules = {modules}\n",
        encoding="utf-8",
    )
    # What is in site-packages mypy trusts and leaves alone, so it gets the installed files in a folder of their own.
    folder = profile.root / "checked"
    folder.mkdir()
    tops = sorted({Path(row.files.top) for row in composed.rows})
    for top in tops:
        (shutil.copytree if top.is_dir() else shutil.copy)(top, folder / top.name)
    command: list[str | Path] = [profile.python, "-I", "-m", "mypy", "--config-file", config]
    done = profile.run([*command, "--cache-dir", profile.root / "cache", *(top.name for top in tops)], cwd=folder)
    lines = (done.out + done.err).splitlines()
    if done.status is None:
        raise Failed("mypy was not done in time", lines[-12:])
    if done.status != 0:
        raise Failed(lines[-1] if lines else f"mypy ended with exit code {done.status}", lines[:-1])
    return Typed(lines[-1] if lines else "clean")


def _tool_modules(composed: Composed) -> list[str]:
    modules: list[str] = (settings.read(composed.profile) or {}).get("tool_modules", [])
    return modules
