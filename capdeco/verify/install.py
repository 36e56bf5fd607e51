"""Stage one: a fresh venv, and in it the plugin and capdeco itself, from the registry that this machine uses."""

from __future__ import annotations

import json
import shutil
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

import attrs

import capdeco
from capdeco.verify.client import configuration, demand, make_venv
from capdeco.verify.throwaway import Failed, Throwaway

_CACHES: Final = ("__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".tox", ".nox")


@attrs.frozen
class Package:
    """The distribution that was installed for the plugin."""

    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}, with what it depends on and capdeco itself"


def install(profile: Throwaway, path: Path, *, types: bool, build: bool) -> Package:
    """Make the venv and install the package at *path*: a folder, which is copied first, or a wheel.

    Raises:
        Failed: there is no venv, or pip could not install it.
    """
    target = _copy(profile, path)
    itself = _own_wheel(profile.root)
    pip = make_venv(profile)
    report = profile.root / "installed.json"
    command: list[str | Path] = [*pip, "install", "--no-compile", "--report", report]
    command += [] if build else ["--only-binary=:all:"]
    command += [f"{itself}[mypy]" if types else itself, target]
    # From the folder of the caller: its configuration may name paths from there.
    done = profile.run(command, cwd=Path.cwd(), env=configuration(profile, pip))
    demand(done, "pip could not install it")
    for each in json.loads(report.read_text(encoding="utf-8"))["install"]:
        if each["requested"] and each["metadata"]["name"] != "capdeco":
            return Package(each["metadata"]["name"], each["metadata"]["version"])
    raise Failed("pip installed no package from it")


def _copy(profile: Throwaway, path: Path) -> Path:
    """A build writes into the folder that it builds, so it gets one of its own."""
    if path.is_file():
        return Path(shutil.copy(path, profile.root / path.name))

    def ignored(folder: str, names: list[str]) -> list[str]:
        profile.heed_signals()
        return [name for name in names if _is_no_part(Path(folder, name)) or Path(folder, name) == profile.root]

    try:
        shutil.copytree(path, profile.source, symlinks=True, ignore=ignored, dirs_exist_ok=True)
    except OSError as error:
        raise Failed("the folder could not be copied", str(error).splitlines()) from None
    return profile.source


def _is_no_part(path: Path) -> bool:
    """Caches, venvs, and sockets and pipes, reading which might never end."""
    if path.name in _CACHES or (path / "pyvenv.cfg").is_file():
        return True
    return not (path.is_symlink() or path.is_file() or path.is_dir())


def _own_wheel(folder: Path) -> Path:
    """Pack capdeco as it runs here, installed or from a checkout: nothing is built, and nothing downloaded for it."""
    try:
        itself = distribution("capdeco")
    except PackageNotFoundError:
        raise Failed("capdeco runs from a folder and is not installed: pip install -e that folder") from None
    package = Path(capdeco.__file__).parent
    wheel = folder / f"capdeco-{itself.version}-py3-none-any.whl"
    info = f"capdeco-{itself.version}.dist-info"
    files = [path for path in sorted(package.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    names = [f"capdeco/{path.relative_to(package).as_posix()}" for path in files]
    texts = {
        "METADATA": itself.read_text("METADATA") or "",
        "entry_points.txt": itself.read_text("entry_points.txt") or "",
        "WHEEL": "Wheel-Version: 1.0\nGenerator: capdeco\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    texts["RECORD"] = "".join(f"{name},,\n" for name in (*names, *(f"{info}/{each}" for each in (*texts, "RECORD"))))
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, name in zip(files, names, strict=True):
            archive.write(path, name)
        for name, text in texts.items():
            archive.writestr(f"{info}/{name}", text)
    return wheel
