"""The audit: one JSON line for every finished dispatch, to a file or to a function."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias

import attrs
import msgspec

from capdeco.host.lossless import readable
from capdeco.host.policy import Outcome, ToolCall

Redactor: TypeAlias = Callable[[ToolCall, Any], Any]
"""The call and a copy of its arguments -> what of them may be written down, as JSON."""

Sink: TypeAlias = Callable[[str], object]

_CLOSED: Final = -1
_UNREDACTED: Final = "[the redactor failed]"


@attrs.frozen(eq=False)
class Audit:
    """An observer that writes one line per call. Without *arguments* it writes how large they were, and no more."""

    sink: Sink
    arguments: bool
    redact: Redactor | None

    def __call__(self, call: ToolCall, outcome: Outcome) -> None:
        """Write the line of one finished call."""
        self.sink(msgspec.json.encode(self._record(call, outcome), enc_hook=repr).decode())

    def _record(self, call: ToolCall, outcome: Outcome) -> dict[str, Any]:
        # Names come from models and codes from tools: one without a UTF-8 form must not cost the line.
        record: dict[str, Any] = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "tool": readable(call.name),
            "layer": None if call.layer is None else readable(call.layer),
            "call": readable(call.call_id),
            "root": readable(call.root_id),
            "nested": call.nested,
            "scope": None if call.scope is None else readable(call.scope.name),
            "outcome": "success" if outcome.ok else "failure",
            "code": None if outcome.ok or outcome.code is None else readable(outcome.code),
            "duration_ms": round((call.elapsed or 0.0) * 1000, 3),
            "argument_bytes": len(call.arguments_json),
            "result_bytes": len(outcome.json) if outcome.ok else 0,
        }
        if not outcome.ok and outcome.details is not None and "steps" in outcome.details:
            # What a cancelled operation had done; what its steps returned is not the audit's to keep.
            record["steps"] = [{"tool": step["tool"], "ok": step["ok"]} for step in outcome.details["steps"]]
        if self.arguments:
            record["arguments"] = self._shown(call)
        return record

    def _shown(self, call: ToolCall) -> Any:
        if self.redact is None:
            return call.arguments
        try:
            return msgspec.Raw(msgspec.json.encode(self.redact(call, call.arguments), enc_hook=repr))
        except Exception:  # noqa: BLE001 - whatever broke, what it should have hidden is not written down
            return _UNREDACTED


class LineFile:
    """Appends whole lines: one write each, so that no concurrent writer can come between.

    A process that is killed in the middle of a long write, or a full disk, can still cut the last line short. Whoever
    opens the file next and is alone with it makes that fragment a whole line again, `{"torn": "..."}`.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._lock = threading.Lock()
        self._file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            # Others write: what looks torn may be a line that is being written.
            if not self._ends_whole():
                os.write(self._file, b"\n")
        else:
            self._mend()
        fcntl.flock(self._file, fcntl.LOCK_SH)

    def _ends_whole(self) -> bool:
        size = os.fstat(self._file).st_size
        return not size or os.pread(self._file, 1, size - 1) == b"\n"

    def _mend(self) -> None:
        if self._ends_whole():
            return
        end = os.fstat(self._file).st_size
        start, tail = end, b""
        while start and b"\n" not in tail:
            step = min(start, 65536)
            start -= step
            tail = os.pread(self._file, step, start) + tail
        fragment = tail.rpartition(b"\n")[2]
        os.ftruncate(self._file, end - len(fragment))
        os.write(self._file, msgspec.json.encode({"torn": fragment.decode(errors="replace")}) + b"\n")

    def __call__(self, line: str) -> None:
        """Append *line*, unless the file was closed while the call was told to those who observe it."""
        data = line.encode() + b"\n"
        with self._lock:
            while data and self._file != _CLOSED:  # else somebody else's file may have this number by now
                data = data[os.write(self._file, data) :]

    def close(self) -> None:
        """Close the file; more than once is fine."""
        with self._lock:
            file, self._file = self._file, _CLOSED
        if file != _CLOSED:
            os.close(file)
