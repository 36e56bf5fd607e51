"""The wiring trap: what each reader says of the mis-wired `git_inspect`, and what it answers with the check off."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import attrs

from capdeco import Binder, Call, CapdecoError, EmbeddedHost
from examples.scale import pool
from examples.scale.store import Store

MISWIRED = "examples.scale.miswired"
FILES = ("examples/scale/operations.py", "examples/scale/miswired.py")


@attrs.frozen
class Refusal:
    """A diagnostic, without its words: those may improve."""

    reader: str
    place: str
    code: str


def by_mypy() -> list[Refusal]:
    """Check the fifteen operations and the mis-wired one, and give every error."""
    # Without a cache: one that other options filled would be thrown away.
    options = ["--config-file=", "--strict", f"--cache-dir={os.devnull}"]
    command = [sys.executable, "-m", "capdeco", "check", *options, *FILES]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.findall(r"^([\w./]+:\d+): error: .*\[([\w-]+)\]$", done.stdout, re.MULTILINE)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"mypy could not check: {done.stdout}{done.stderr}")
    return [Refusal("mypy", place, code) for place, code in found]


def by_the_binder(store: Store) -> list[Refusal]:
    """Load the mis-wired capability with the check on."""
    host = EmbeddedHost(store)
    binder = Binder(host)
    binder.register(*pool.tools(expose=False))
    try:
        binder.load(MISWIRED)
    except CapdecoError as error:
        return [Refusal("binder", _relative(str(each.place)), each.code) for each in error.diagnostics]
    return []


async def with_the_check_off(store: Store, repo: str) -> Any:
    """Register it all the same, ask about *repo*, and give the status that it reports."""
    host = EmbeddedHost(store)
    binder = Binder(host, check_wiring=False)
    binder.register(*pool.tools(expose=False))
    binder.load(MISWIRED)
    outcome = await host.invoke(Call("git_inspect", {"repo": repo}))
    assert outcome.ok
    return outcome.value["steps"][0]["value"]


def _relative(place: str) -> str:
    file, _, line = place.rpartition(":")
    return f"{Path(file).resolve().relative_to(Path.cwd().resolve()).as_posix()}:{line}"
