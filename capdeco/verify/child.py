"""The child process of the boot stage: `python -I -m capdeco.verify.child PROFILE EVENTS STACKS UNTIL`.

It starts the embedded host, loads base and plugins for real, makes one call through a nested dispatch and the
profile's probes, and tells of each step. It runs in the throwaway venv.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import sys
import time
from pathlib import Path
from typing import Final

import attrs

from capdeco import Binder, Call, EmbeddedHost, Step, capability, operation, tool
from capdeco.bind.profile import Wanted, choose, installed_plugins, read_profile
from capdeco.dispatch import failed_step
from capdeco.errors import CapdecoError
from capdeco.result import Failure, Success
from capdeco.verify.compose import locate
from capdeco.verify.rows import row_of
from capdeco.verify.witness import Witness

ANSWER: Final = "VERIFY-OK"
QUESTION: Final = "capdeco_verify_answer"


@tool(name="capdeco_verify_echo", expose=False)
def echo() -> str:
    """Answer that the host dispatches."""
    return ANSWER


@capability(id="capdeco_verify", description="The base that every plugin is loaded beside.")
class Base:
    """One operation with one step: whoever calls it goes through the whole host, twice."""

    @operation(steps=[Step(echo)])
    def answer(self) -> None:
        """Answer through a nested dispatch."""


def main(profile: Path, witness: Witness) -> None:
    """Load what *profile* names and call it; what goes wrong is told, and ends it."""
    host = EmbeddedHost()
    binder = Binder(host)
    binder.register(echo, Base)
    wanted = choose(read_profile(profile), installed_plugins())
    # As `Binder.load_installed` does, with a word before each: one that takes the process down is known by name.
    rows = []
    for plugin, entry in wanted:
        witness.tell("doing", what=f'loading "{plugin.name}"')
        found = locate(entry.module, sys.path)
        witness.home = "" if isinstance(found, str) else found.top
        loaded = binder.load_plugin(plugin, entry)
        if loaded.error is not None:
            raise loaded.error
        rows.append(row_of(loaded, host))
    witness.tell("loaded", rows=[attrs.asdict(row) for row in rows])
    witness.tell("doing", what="answering a call through a nested dispatch")
    witness.tell("answered", text=answer_of(host.call_sync(Call(QUESTION))))
    for plugin, _ in wanted:
        if plugin.probe is not None:
            _probe(host, plugin, witness)
    witness.tell("done")


def answer_of(outcome: Success | Failure) -> object:
    """Give what the base's one step answered, or what came in place of its report."""
    match outcome.value if outcome.ok else None:
        case {"steps": [{"value": answer}]}:
            return answer
    return outcome.text


def _probe(host: EmbeddedHost, plugin: Wanted, witness: Witness) -> None:
    assert plugin.probe is not None
    name = plugin.probe["tool"]
    witness.tell("doing", what=f'answering the probe of "{plugin.name}"')
    outcome = host.call_sync(Call(name, plugin.probe.get("arguments", {})))
    ok = outcome.ok and failed_step(outcome, host.lookup(name)) is None
    witness.tell("probed", plugin=plugin.name, tool=name, ok=ok, text=outcome.text)


if __name__ == "__main__":
    _, _profile, _events, _stacks, _until = sys.argv
    _witness = Witness(os.open(_events, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600))
    _end, _out = os._exit, sys.stdout.buffer
    with Path(_stacks).open("w") as _file:
        faulthandler.enable(_file)
        # Shortly before the parent loses its patience: where is it?
        faulthandler.dump_traceback_later(max(0.1, float(_until) - time.monotonic()), file=_file)
        _witness.watch()
        try:
            main(Path(_profile), _witness)
        except CapdecoError as _error:
            if _error.__cause__ is not None and not isinstance(_error.__cause__, CapdecoError):
                _witness.fault(_error.__cause__)
            else:
                _witness.tell("refused", lines=str(_error).splitlines())
        except BaseException as _error:  # noqa: BLE001 - whatever a plugin raises is what is asked for here
            _witness.fault(_error)
        with contextlib.suppress(OSError, ValueError):  # a plugin may have closed it
            _out.flush()
        # Threads that a plugin left running do not hold up the answer.
        _end(0)
