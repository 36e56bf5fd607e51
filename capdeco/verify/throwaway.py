"""The throwaway profile: a folder that everything happens in, and the processes that run in it, gone afterwards."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Final

import attrs

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_CLEARING: Final = 1.5
"""Seconds of the timeout that are kept for killing and removing."""
_LOG_BYTES: Final = 16_000_000
_TAIL: Final = 64_000


class Failed(Exception):
    """A stage's verdict: what is wrong in one sentence, and the lines that show it."""

    def __init__(self, what: str, lines: Sequence[str] = ()) -> None:
        super().__init__(what)
        self.what = what
        self.lines = tuple(lines)


class Interrupted(Exception):
    """A signal asked the command to end; it was cleared up before this is raised out of `throwaway`."""

    def __init__(self, number: int, root: Path) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number
        self.root = root


@attrs.frozen
class Ended:
    """How a process ended; `status` is None if it had to be killed, and minus the signal if another one killed it."""

    status: int | None
    out: str
    err: str
    flooded: bool
    """It was killed because it printed without end."""


@attrs.define
class Throwaway:
    """A folder with its own HOME, TMPDIR and venv; its processes share one deadline."""

    root: Path
    timeout: float
    """In seconds, as it was asked for."""
    deadline: float
    """In seconds of `time.monotonic`."""
    _signals: list[int] = attrs.field(factory=list)

    @property
    def python(self) -> Path:
        """The venv's."""
        return self.root / "venv" / "bin" / "python"

    @property
    def source(self) -> Path:
        """The copy of the plugin's folder: it is built here, and what runs is started here."""
        return self.root / "source"

    @property
    def remaining(self) -> float:
        """Seconds until the deadline."""
        return max(0.0, self.deadline - time.monotonic())

    def environment(self) -> dict[str, str]:
        """PATH and LANG are the caller's; nothing else of its environment comes in."""
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        return {**kept, "HOME": str(self.root / "home"), "TMPDIR": str(self.root / "tmp")}

    def heed_signals(self) -> None:
        """End here if a signal has asked for it.

        Raises:
            Interrupted: it has.
        """
        if self._signals:
            raise Interrupted(self._signals[0], self.root)

    def run(
        self,
        command: Sequence[str | Path],
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        limit: float | None = None,
    ) -> Ended:
        """Run *command* to its end or the deadline's, alone in its session; what it started is killed with it.

        Args:
            command: the program and its arguments.
            cwd: by default the copy of the plugin's folder.
            env: beside `environment()`.
            limit: seconds, where the deadline leaves more.

        Raises:
            Interrupted: a signal asked for it.
        """
        until = self.deadline if limit is None else min(self.deadline, time.monotonic() + limit)
        log = self.root / "log" / secrets.token_hex(4)
        # Files, not pipes: a grandchild that keeps a pipe open would keep the reader waiting.
        with log.with_suffix(".out").open("wb") as out, log.with_suffix(".err").open("wb") as err:
            process = subprocess.Popen(
                list(map(str, command)),
                cwd=cwd or self.source,
                env={**self.environment(), **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
            try:
                status = self._wait(process, until, (Path(out.name), Path(err.name)))
            finally:
                _kill_group(process)
        out_path, err_path = Path(out.name), Path(err.name)
        return Ended(status, _tail(out_path), _tail(err_path), _flooded(out_path, err_path))

    def _wait(self, process: subprocess.Popen[bytes], until: float, logs: Sequence[Path]) -> int | None:
        while True:
            self.heed_signals()
            left = until - time.monotonic()
            try:
                return process.wait(timeout=min(0.1, max(0.0, left)))
            except subprocess.TimeoutExpired:
                if left <= 0 or _flooded(*logs):
                    return None


@contextmanager
def throwaway(timeout: float, *, keep: bool) -> Iterator[Throwaway]:
    """Make the folder, and remove it whatever happens, a signal included, unless it is to be kept.

    Args:
        timeout: seconds until nothing runs any more and the folder is gone.
        keep: leave the folder where it is.
    """
    root = Path(tempfile.gettempdir()).resolve() / f"capdeco-verify-{secrets.token_hex(6)}"
    profile = Throwaway(root, timeout, time.monotonic() + max(0.0, timeout - _CLEARING))

    # A handler that only takes notes cannot interrupt a process's start halfway, and leave it unknown.
    def note(number: int, frame: FrameType | None) -> None:
        profile._signals.append(number)

    # What the caller ignores, as under nohup, stays ignored.
    heeded = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, note) for number in heeded}
    try:
        root.mkdir(mode=0o700)
        for name in ("home", "tmp", "log", "source"):
            (root / name).mkdir()
        yield profile
        profile.heed_signals()
    finally:
        if not keep:
            _remove(root)
        for number, handler in before.items():
            signal.signal(number, handler)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):  # nobody is left in it; macOS says so with the second
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _remove(root: Path) -> None:
    shutil.rmtree(root, ignore_errors=True)
    # Folders that were made read-only in here are no reason to leave them.
    for folder, names, _ in os.walk(root):
        for path in (Path(folder), *(Path(folder, name) for name in names)):
            if not path.is_symlink():
                path.chmod(0o700)
    shutil.rmtree(root, ignore_errors=True)


def _flooded(*logs: Path) -> bool:
    return any(path.stat().st_size > _LOG_BYTES for path in logs)


def _tail(path: Path) -> str:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _TAIL))
        return file.read().decode("utf-8", "replace")
