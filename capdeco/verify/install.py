"""Stage one: a fresh venv, and in it the plugin and capdeco itself, from the registry that this machine uses."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import shutil
import sys
import zipfile
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

import attrs

import capdeco
from capdeco.verify.throwaway import Ended, Failed, Throwaway

_OF_THE_INDEX: Final = (
    *("index-url", "extra-index-url", "no-index", "find-links", "trusted-host", "cert", "client-cert", "proxy"),
    *("retries", "timeout", "default-timeout", "keyring-provider", "constraint", "build-constraint"),
    *("pre", "only-binary", "no-binary", "prefer-binary"),
)
"""The options of pip that say where packages come from. Others could have it write elsewhere (target, user, root)."""

_OF_THE_NETWORK: Final = (
    *("http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
)
_NO_PART_OF_A_PACKAGE: Final = ("__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".tox", ".nox")


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
    made = profile.run([sys.executable, "-I", "-m", "venv", profile.root / "venv"])
    _demand(made, "the venv could not be made")
    report = profile.root / "installed.json"
    command: list[str | Path] = [profile.python, "-I", "-m", "pip", "install", "--no-compile", "--report", report]
    command += [] if build else ["--only-binary=:all:"]
    command += [f"{itself}[mypy]" if types else itself, target]
    # From the folder of the caller: its configuration may name paths from there.
    done = profile.run(command, cwd=Path.cwd(), env=_package_client(profile))
    _demand(done, "pip could not install it")
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
        return [
            name
            for name in names
            if name in _NO_PART_OF_A_PACKAGE or Path(folder, name, "pyvenv.cfg").is_file() or _is_special(folder, name)
        ]

    shutil.copytree(path, profile.source, symlinks=True, ignore=ignored, dirs_exist_ok=True)
    return profile.source


def _is_special(folder: str, name: str) -> bool:
    """A socket or a pipe; reading one might never end."""
    path = Path(folder, name)
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


def _package_client(profile: Throwaway) -> dict[str, str]:
    """What pip needs to reach the index, and no more: its effective configuration, as environment variables."""
    found = {name: os.environ[name] for name in _OF_THE_NETWORK if name in os.environ}
    netrc = Path(os.environ.get("NETRC", Path.home() / ".netrc"))
    if netrc.is_file():
        found["NETRC"] = str(netrc)
    # pip's own view of its files and variables; this Python's pip, if it has one, knows the file of its venv too.
    python = sys.executable if importlib.util.find_spec("pip") else profile.python
    listed = profile.run([python, "-I", "-m", "pip", "config", "list"], cwd=Path.cwd(), env=os.environ)
    _demand(listed, "pip could not read its configuration")
    sections: dict[str, dict[str, str]] = {"global": {}, "install": {}, ":env:": {}}
    for line in listed.out.splitlines():
        key, _, value = line.partition("=")
        section, _, option = key.rpartition(".")
        if option in _OF_THE_INDEX and section in sections:
            sections[section][option] = ast.literal_eval(value)
    options = {option: value for section in sections.values() for option, value in section.items()}
    found |= {f"PIP_{option.upper().replace('-', '_')}": value for option, value in options.items()}
    return {
        **found,
        "PIP_CONFIG_FILE": os.devnull,  # pip's word for "no file at all"
        "PIP_CACHE_DIR": str(profile.root / "cache"),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_INPUT": "1",
    }


def _demand(ended: Ended, otherwise: str) -> None:
    if ended.status is None:
        why = "it prints without end" if ended.flooded else "the time ran out"
        raise Failed(f"{otherwise}: {why}", _last(ended.out.splitlines()))
    if ended.status != 0:
        lines = ended.err.splitlines()
        errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
        # Which requirements contradict each other pip says as if it were progress.
        _, _, conflict = ended.out.partition("The conflict is caused by:\n")
        shown = [*conflict.partition("\n\n")[0].splitlines(), *lines] or ended.out.splitlines()
        raise Failed(f"{otherwise}: {errors[0]}" if errors else otherwise, _last(shown))


def _last(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if line.strip() and not line.startswith(("WARNING", "Looking in"))][-12:]
