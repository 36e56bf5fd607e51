"""A folder's source files, read without following a link, blocking, or taking more than the limits allow."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

import attrs

from capdeco.check.analyze.records import Unread

Language = Literal["python", "javascript", "typescript", "tsx"]

LANGUAGES: Final[dict[str, Language]] = {
    ".py": "python",
    ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascript",
    ".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "tsx",
}  # fmt: skip

_NOT_THE_PLUGIN: Final = {
    ".git": "version control",
    ".hg": "version control",
    ".svn": "version control",
    "node_modules": "installed packages",
    "site-packages": "installed packages",
    ".venv": "installed packages",
    "venv": "installed packages",
    ".tox": "installed packages",
    ".nox": "installed packages",
    "__pycache__": "compiled files",
    ".mypy_cache": "a cache",
    ".pytest_cache": "a cache",
    ".ruff_cache": "a cache",
}
"""Folders that hold other people's code or none; each is listed as unread."""


@attrs.frozen
class Limits:
    """What one run may take."""

    seconds: float = 60.0
    file_bytes: int = 2_000_000
    """A larger file is not read: a syntax tree takes some forty times the size of its text."""


class TimeUp(Exception):
    """The time limit was reached."""


class Clock:
    """Raises `TimeUp` once the seconds given are over."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() > self._end

    def check(self) -> None:
        """Raise `TimeUp` if the time is up."""
        if self.over:
            raise TimeUp


@attrs.frozen
class SourceFile:
    """A file that may be read: its path in the folder, with slashes, and where it is."""

    path: str
    full: str
    language: Language


@attrs.define
class Tree:
    """What a walk found."""

    sources: list[SourceFile] = attrs.field(factory=list)
    unread: list[Unread] = attrs.field(factory=list)
    other: int = 0
    complete: bool = True


def shown(path: str) -> str:
    """Spell a path, whose bytes may be no text at all, as text."""
    return os.fsencode(path).decode("utf-8", "backslashreplace").replace(os.sep, "/")


def walk(root: Path, clock: Clock) -> Tree:
    """List the source files below *root*, in the order of their paths."""
    tree = Tree()
    pending = [""]
    while pending:
        folder = pending.pop()
        try:
            clock.check()
            with os.scandir(root / folder) as entries:
                found = sorted(_checked(entries, clock), key=lambda entry: entry.name)
        except TimeUp:
            tree.complete = False
            tree.unread += [Unread(shown(each) or ".", "the time limit was reached") for each in (folder, *pending)]
            break
        except OSError as error:
            tree.unread.append(Unread(shown(folder) or ".", _reason(error)))
            continue
        for entry in found:
            path = os.path.join(folder, entry.name)
            below = _sort(entry, path, root, tree)
            if below:
                pending.append(path)
    tree.sources.sort(key=lambda source: source.path)
    return tree


def _checked(entries: Iterator[os.DirEntry[str]], clock: Clock) -> Iterator[os.DirEntry[str]]:
    for number, entry in enumerate(entries):
        if number % 1000 == 0:
            clock.check()
        yield entry


def _sort(entry: os.DirEntry[str], path: str, root: Path, tree: Tree) -> bool:
    """Put *entry* where it belongs; true: it is a folder to look into."""
    suffix = os.path.splitext(entry.name)[1].lower()
    try:
        if entry.is_symlink():
            if suffix in LANGUAGES or entry.is_dir():
                tree.unread.append(Unread(shown(path), _link(root / path, root)))
            else:
                tree.other += 1
            return False
        if entry.is_dir(follow_symlinks=False):
            why = _NOT_THE_PLUGIN.get(entry.name)
            if why:
                tree.unread.append(Unread(shown(path), f"{why}, not the plugin's source"))
            return why is None
        if suffix not in LANGUAGES:
            tree.other += 1
        elif not entry.is_file(follow_symlinks=False):
            tree.unread.append(Unread(shown(path), "no regular file"))
        else:
            tree.sources.append(SourceFile(shown(path), os.path.join(root, path), LANGUAGES[suffix]))
    except OSError as error:
        tree.unread.append(Unread(shown(path), _reason(error)))
    return False


def _link(link: Path, root: Path) -> str:
    # A link is never followed: what it leads to inside the folder is read there, and the rest is not the plugin.
    try:
        target = link.resolve(strict=True)
    except (OSError, RuntimeError):
        return "a link that leads nowhere, or to itself"
    return "a link within the folder, not followed" if target.is_relative_to(root) else "a link out of the folder"


def load(source: SourceFile, limits: Limits) -> bytes | Unread:
    """Read one file, if it is what it was when it was listed."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(source.full, flags)
        with open(handle, "rb", buffering=0) as file:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                return Unread(source.path, "no regular file")
            if status.st_size > limits.file_bytes:
                return Unread(source.path, f"larger than {limits.file_bytes} bytes")
            data = file.read(limits.file_bytes + 1)
    except OSError as error:
        return Unread(source.path, _reason(error))
    if len(data) > limits.file_bytes:
        return Unread(source.path, f"larger than {limits.file_bytes} bytes")
    if b"\0" in data:
        return Unread(source.path, "binary, or in an encoding with null bytes such as UTF-16")
    return data


def _reason(error: OSError) -> str:
    return f"cannot be read: {error.strerror or type(error).__name__}"
