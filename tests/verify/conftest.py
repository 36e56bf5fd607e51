"""The real command on real packages: all runs are started together, and each test waits for its own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import pytest

PACKAGES = Path(__file__).parent / "packages"

RUNS = {
    # First the one that nobody answers.
    "hangs": ("--smoke", "--keep"),
    "good": ("--smoke", "--types", "--keep"),
    "miswired": ("--smoke", "--types"),
    **dict.fromkeys(("raises", "exits", "prints", "kills", "asks", "twice", "unmet", "no_entry"), ("--smoke",)),
}


@attrs.frozen
class Run:
    """How one run ended, and the folder that it had for temporary files."""

    status: int
    report: dict[str, Any]
    err: str
    temporary: Path

    def stage(self, name: str) -> dict[str, Any]:
        """Give the verdict of one stage."""
        (found,) = (each for each in self.report["stages"] if each["name"] == name)
        assert isinstance(found, dict)
        return found

    @property
    def kept(self) -> Path:
        """The throwaway profile of a run with --keep."""
        return Path(self.report["kept"])


@attrs.frozen
class Machine:
    """A user's account: a HOME, with a package client that is configured there and nowhere else."""

    root: Path

    @property
    def home(self) -> Path:
        return self.root / "home"

    def environment(self, temporary: str) -> dict[str, str]:
        """What a shell of this user has; the token is no part of a clean machine."""
        folder = self.root / temporary
        folder.mkdir(exist_ok=True)
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        return {**kept, "HOME": str(self.home), "TMPDIR": str(folder), "VERIFY_TOKEN": "secret"}

    def start(self, temporary: str, *arguments: str | Path) -> subprocess.Popen[str]:
        """Start `capdeco verify` with *arguments*."""
        return subprocess.Popen(
            [sys.executable, "-m", "capdeco", "verify", *map(str, arguments)],
            cwd=self.root,
            env=self.environment(temporary),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # A shell starts its background jobs with Ctrl-C ignored, and what is ignored is inherited.
            preexec_fn=_heed_interrupts,
        )

    def verify(self, temporary: str, *arguments: str | Path) -> Run:
        """Run `capdeco verify --json` with *arguments* to its end."""
        process = self.start(temporary, "--json", *arguments)
        out, err = process.communicate()
        assert out, err
        return Run(process.returncode, json.loads(out), err, self.root / temporary)


@pytest.fixture(scope="session")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """An account whose pip takes packages from one folder: what capdeco and the test packages need, fetched once."""
    root = tmp_path_factory.mktemp("machine").resolve()
    wheels, config = root / "wheels", root / "home" / ".config" / "pip"
    config.mkdir(parents=True)
    good = shutil.copytree(PACKAGES / "good", root / "good")
    needs = [f"{Path(__file__).parents[2]}[mypy]", "flit_core>=3.11", str(good)]
    fetch = [sys.executable, "-m", "pip", "wheel", "--quiet", "--wheel-dir", str(wheels), *needs]
    subprocess.run(fetch, check=True, stdout=subprocess.PIPE)
    # The target is where pip would write if that were let through.
    text = f"[global]\nno-index = true\nfind-links = {wheels}\n[install]\ntarget = {root / 'home' / 'target'}\n"
    (config / "pip.conf").write_text(text)
    return Machine(root)


Snapshot = dict[str, tuple[int, int]]


def snapshot(folder: Path) -> Snapshot:
    """Give size and time of every file below *folder*, but for the byte code that running Python leaves."""
    return {
        str(path): (path.lstat().st_size, path.lstat().st_mtime_ns)
        for path in folder.rglob("*")
        if "__pycache__" not in path.parts and not path.is_dir()
    }


@attrs.frozen
class Runs:
    """All runs of RUNS, and what the folders that they must not touch were like before."""

    futures: dict[str, Future[Run]]
    before: dict[Path, Snapshot]

    def __call__(self, name: str) -> Run:
        return self.futures[name].result()


@pytest.fixture(scope="session")
def run_of(machine: Machine) -> Iterator[Callable[[str], Run]]:
    """Give the run of one package. Two work at a time, as a hanging plugin needs no core."""
    untouched = (machine.home, PACKAGES, Path(sys.prefix))
    with ThreadPoolExecutor(3) as pool:
        work = {
            name: partial(machine.verify, f"tmp-{name}", PACKAGES / name, *arguments)
            for name, arguments in RUNS.items()
        }
        before = {folder: snapshot(folder) for folder in untouched}
        yield Runs({name: pool.submit(each) for name, each in work.items()}, before)
        pool.shutdown(cancel_futures=True)


def _heed_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
