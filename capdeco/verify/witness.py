"""What the child process tells its parent: line by line into a file, so that it survives the process."""

from __future__ import annotations

import importlib
import io
import os
import signal
import sys
import traceback
from collections.abc import Iterable
from types import FrameType
from typing import Any, Final

import attrs
import msgspec
from typing_extensions import Buffer

import capdeco

_NOT_THEIRS: Final = ("<frozen", *(f"{each.__path__[0]}{os.sep}" for each in (capdeco, importlib)))
_LINES: Final = 8


class StdinRead(Exception):
    """The plugin waits for somebody to type."""


@attrs.define
class Witness:
    """Tells what happens, and at which line of the plugin."""

    _file: int
    home: str = ""
    """Where the files of the plugin are that is being loaded."""
    _process: int = attrs.field(factory=os.getpid)

    def tell(self, event: str, **more: Any) -> None:
        """Write one event; one that happens in a forked copy of this process is not the plugin's loading."""
        if os.getpid() == self._process:
            os.write(self._file, msgspec.json.encode({"event": event, **more}) + b"\n")

    def tell_from(self, event: str, frame: FrameType | None, **more: Any) -> None:
        """Write one event, with where the code is that caused it."""
        self._tell_stack(event, traceback.walk_stack(frame), **more)

    def fault(self, error: BaseException) -> None:
        """Write that the plugin failed by *error*: its traceback's last lines, and the line of the plugin."""
        walked = list(traceback.walk_tb(error.__traceback__))[::-1]
        kind = {StdinRead: "stdin", SystemExit: "exit"}.get(type(error), "raise")
        what = traceback.format_exception_only(error)[-1].strip()
        if isinstance(error, SyntaxError):
            # The line that is at fault was never run.
            lines = [line.rstrip() for line in traceback.format_exception_only(error)]
            self.tell(kind, what=what, place=f"{error.filename}:{error.lineno}", lines=lines)
            return
        self._tell_stack(kind, walked, what=what)

    def _tell_stack(self, event: str, walked: Iterable[tuple[FrameType, int]], **more: Any) -> None:
        """*walked*: frames and lines, the innermost first."""
        theirs = [each for each in walked if not each[0].f_code.co_filename.startswith(_NOT_THEIRS)]
        own = [each for each in theirs if self._is_own(each[0].f_code.co_filename)]
        at = next(iter(own or theirs), None)
        place = f"{at[0].f_code.co_filename}:{at[1]}" if at else ""
        stack = traceback.StackSummary.extract(reversed(theirs))
        lines = [line for entry in stack.format() for line in entry.rstrip().split("\n")]
        self.tell(event, place=place, lines=lines[-_LINES:], **more)

    def _is_own(self, file: str) -> bool:
        return file == self.home or file.startswith(f"{self.home}{os.sep}")

    def watch(self) -> None:
        """From now on, tell of what a plugin should not do at load: reading stdin, printing, ending the process."""
        sys.stdin = io.TextIOWrapper(io.BufferedReader(_Nobody(self)))
        sys.stdout = _Told(self, sys.stdout.buffer)
        sys.addaudithook(self._audit)
        leave = os._exit

        def told_exit(status: int) -> Any:
            self.tell_from("left", sys._getframe(1), how=f"os._exit({status})")
            leave(status)

        os._exit = told_exit

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        how = ""
        if event == "os.kill" and arguments[0] in (0, self._process, -self._process) and arguments[1]:
            how = f"os.kill(…, {_name(arguments[1])})"
        elif event == "os.exec":
            how = f"os.exec({str(arguments[0])!r})"
        if how:
            # Before it happens: nothing can be said once SIGKILL has arrived.
            self.tell_from("left", sys._getframe(1), how=how)


class _Nobody(io.RawIOBase):
    """Stdin with nobody there: reading fails at once, where a closed one might be waited for."""

    def __init__(self, witness: Witness) -> None:
        self._witness = witness

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer, /) -> int:
        self._witness.tell_from("asked", sys._getframe(1))
        raise StdinRead("stdin is closed, nobody is there to answer")


class _Told(io.TextIOWrapper):
    """Stdout that tells once who wrote to it."""

    def __init__(self, witness: Witness, buffer: Any) -> None:
        super().__init__(buffer, encoding="utf-8", errors="replace", write_through=True)
        self._witness: Witness | None = witness

    def write(self, text: str, /) -> int:
        witness, self._witness = self._witness, None
        if witness is not None:
            witness.tell_from("printed", sys._getframe(1))
        return super().write(text)


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
