"""Stage four, on request: a child process loads the plugin for real; here it is started, and its end is judged."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import attrs

from capdeco.bind.profile import VARIABLE
from capdeco.verify.child import ANSWER
from capdeco.verify.compose import Composed
from capdeco.verify.rows import Row, table
from capdeco.verify.throwaway import Ended, Failed, Throwaway

PATIENCE: Final = 30.0
"""Seconds that plugins may take to load and answer, where the timeout leaves more; or a tenth of a longer timeout."""
_FRAME: Final = re.compile(r'^  File "(.+)", line (\d+)')


@attrs.frozen
class Booted:
    """What the model would see of the plugins, and the calls that were answered."""

    rows: tuple[Row, ...]
    probes: tuple[str, ...]

    def __str__(self) -> str:
        calls = "".join(f", probe {name} answered" for name in self.probes)
        return "\n".join([f"loaded; {ANSWER} through a nested dispatch{calls}", *table(self.rows)])


def boot(profile: Throwaway, composed: Composed) -> Booted:
    """Load the plugins of *composed* in a child process, and call them.

    Raises:
        Failed: it did not come to its end, or did what a plugin does not do at load.
    """
    events, stacks = profile.root / "events.jsonl", profile.root / "stacks.txt"
    limit = min(max(PATIENCE, profile.timeout / 10), profile.remaining)
    command: list[str | Path] = [profile.python, "-I", "-m", "capdeco.verify.child", composed.profile, events, stacks]
    # What the profile asks for by name is the one thing that comes in from the caller's environment.
    named = VARIABLE.findall(composed.profile.read_text(encoding="utf-8"))
    env = {name: os.environ[name] for name in named if name in os.environ and name not in profile.environment()}
    ended = profile.run([*command, str(time.monotonic() + limit - 1.0)], env=env, limit=limit)
    told = [json.loads(line) for line in _text(events).splitlines()]
    homes = [row.files.top for row in composed.rows]
    try:
        return _judge(told, ended, limit, _stack(_text(stacks), homes))
    except Failed as failed:
        # The folder is gone when this is read.
        what, *lines = (line.replace(str(profile.root), "…") for line in (failed.what, *failed.lines))
        raise Failed(what, lines) from None


def _judge(told: Sequence[dict[str, Any]], ended: Ended, limit: float, stack: Sequence[str]) -> Booted:
    by_event = {each["event"]: each for each in told}
    doing = by_event.get("doing", {}).get("what", "starting the host")
    if found := by_event.get("stdin"):
        raise Failed(f"it reads stdin while {doing}: nobody is there to answer", _seen(found))
    if found := by_event.get("exit"):
        raise Failed(f"it exits while {doing}: {found['what']}", _seen(found))
    if found := by_event.get("raise"):
        raise Failed(f"it raises while {doing}: {found['what']}", _seen(found))
    if found := by_event.get("refused"):
        raise Failed(f"it was refused while {doing}", found["lines"])
    if ended.flooded:
        raise Failed(
            f"it prints without end while {doing}", _seen(by_event["printed"]) if "printed" in by_event else []
        )
    if ended.status is None:
        raise Failed(f"it hangs: {doing} took longer than {limit:.0f} s", stack)
    if "done" not in by_event:
        lines = _seen(by_event["left"]) if "left" in by_event else stack or ended.err.splitlines()[-8:]
        how = f" by {by_event['left']['how']}" if "left" in by_event else ""
        if ended.status < 0:
            raise Failed(f"it was killed while {doing}: {signal.Signals(-ended.status).name}{how}", lines)
        raise Failed(f"it ended the process while {doing}: exit code {ended.status}{how}", lines)
    if ended.out or "printed" in by_event:
        first = ended.out.strip().split("\n")[0][:80]
        lines = _seen(by_event["printed"]) if "printed" in by_event else []
        raise Failed(f"it prints to stdout, which may be a protocol's: {first!r}", lines)
    if found := by_event.get("asked"):
        raise Failed("it reads stdin, and goes on without an answer", _seen(found))
    answer = by_event["answered"]["text"]
    if answer != ANSWER:
        raise Failed(f"a call through a nested dispatch answered {answer!r}, not {ANSWER}")
    probes = [each for each in told if each["event"] == "probed"]
    for each in probes:
        if not each["ok"]:
            raise Failed(f'the probe of "{each["plugin"]}" failed: {each["tool"]}', each["text"].splitlines()[:12])
    rows = tuple(Row(**row) for row in by_event["loaded"]["rows"])
    return Booted(rows, tuple(each["tool"] for each in probes))


def _seen(event: dict[str, Any]) -> list[str]:
    return [f"at {event['place']}", *event["lines"]]


def _stack(text: str, homes: Iterable[str]) -> list[str]:
    """Turn what faulthandler wrote, innermost frame first, into the plugin's line and a traceback as Python has it."""
    frames = [match for line in text.splitlines() if (match := _FRAME.match(line))]
    own = [match for match in frames if match[1].startswith(tuple(homes))]
    shown = [match.string for match in frames if "importlib" not in match[1] and "/capdeco/" not in match[1]]
    return [f"at {match[1]}:{match[2]}" for match in own[:1]] + shown[:8][::-1]


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
