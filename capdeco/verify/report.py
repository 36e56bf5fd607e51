"""What `capdeco verify` found: its stages, in words and as JSON, and what to do next."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import attrs

from capdeco.verify.rows import Row

NOTICE: Final = (
    "This protects from accidents, not from malice: what is built and loaded here runs with your rights "
    "(--no-build takes wheels only)."
)


@attrs.frozen
class Stage:
    """One stage and its verdict."""

    name: str
    seconds: float
    ok: bool
    what: str
    lines: Sequence[str] = ()

    def to_text(self) -> str:
        """Give one line, and below it what shows it."""
        first, *more = self.what.split("\n")
        shown = "ok    " if self.ok else "FAILED"
        return "\n".join(
            [
                f"{self.name:8} {self.seconds:6.1f} s  {shown}  {first}",
                *(f"    {each}" for each in (*more, *self.lines)),
            ]
        )


@attrs.frozen
class Report:
    """All stages of one package."""

    path: Path
    stages: tuple[Stage, ...]
    plugins: tuple[str, ...]
    rows: tuple[Row, ...]
    kept: Path | None

    @property
    def ok(self) -> bool:
        """Whether every stage that was asked for ended well."""
        return all(stage.ok for stage in self.stages)

    def to_text(self) -> str:
        """Give the verdict and what to do next; the stages were told as they ended."""
        kept = [f"kept: {self.kept}"] if self.kept else []
        if not self.ok:
            failed = ", ".join(stage.name for stage in self.stages if not stage.ok)
            return "\n".join([f"not verified: {failed}", *kept])
        steps = [f"{label:8} {each}" for label, each in (*_backups(), ("install", self.install_command))]
        names = ", ".join(f'"{name}"' for name in self.plugins)
        steps.append(f"enable   add {names} to the plugins of your profile")
        loaded = any(stage.name == "boot" for stage in self.stages)
        verdict = "verified" if loaded else "verified, but not loaded: --smoke does"
        return "\n".join([verdict, "Nothing was installed here. To take it over:", *steps, *kept])

    @property
    def install_command(self) -> str:
        """Install it where this command runs."""
        return shlex.join([sys.executable, "-m", "pip", "install", str(self.path)])

    def to_json(self) -> dict[str, Any]:
        """Give the report as a JSON value; `install` and `back_up` are null when it is not verified."""
        return {
            "verified": self.ok,
            "path": str(self.path),
            "stages": [attrs.asdict(stage) for stage in self.stages],
            "plugins": [attrs.asdict(row) for row in self.rows],
            "install": self.install_command if self.ok else None,
            "back_up": [each for _, each in _backups()] if self.ok else None,
            "kept": str(self.kept) if self.kept else None,
            "notice": NOTICE,
        }


def _backups() -> list[tuple[str, str]]:
    """What an install changes, and pip cannot bring back by itself."""
    return [
        ("back up", shlex.join([sys.executable, "-m", "pip", "freeze"]) + " > before.txt"),
        ("back up", "your profile: capdeco.toml, or pyproject.toml with [tool.capdeco]"),
    ]
