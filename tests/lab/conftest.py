"""The checkout, and every experiment run once for all tests that look at one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from capdeco.lab import experiment
from capdeco.lab.experiment import Result

ROOT = Path(__file__).parents[2]


def without_times(line: str) -> dict[str, Any]:
    """Read a line of the audit, without what differs from run to run."""
    return {key: value for key, value in json.loads(line).items() if key not in ("time", "duration_ms")}


@pytest.fixture(autouse=True)
def in_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arguments of the experiments are relative paths."""
    monkeypatch.chdir(ROOT)


@pytest.fixture(scope="session")
def ran() -> Callable[[str], Result]:
    """Run an experiment, or give what it gave."""
    return cache(lambda name: asyncio.run(experiment.run(name, ROOT)))
