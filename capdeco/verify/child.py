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
from capdeco.errors import CapdecoError
from capdeco.profile import Wanted, choose, installed_plugins, read_profile
from capdeco.verify.compose import locate
from capdeco.verify.rows import Row, size_of
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
    # Like `Binder.load_installed`, with a word before each: one that takes the process down is known by name.
    rows = []
    for plugin, entry in wanted:
        witness.tell("doing", what=f'loading "{plugin.name}"')
        found = locate(entry.module, sys.path)
        witness.home = "" if isinstance(found, str) else found.top
        tools, capabilities = set(host.catalog()), {each.id for each in binder.list()}
        if entry.attr:
            entry.load()(binder, dict(plugin.options))
        else:
            binder.load(entry.module)
        added = [tool for name, tool in host.catalog().items() if name not in tools]
        rows.append(
            Row(
                plugin=plugin.name,
                version=entry.dist.version if entry.dist else "",
                tools=[tool.name for tool in added],
                capabilities=[each.id for each in binder.list() if each.id not in capabilities],
                bytes=size_of(added),
            )
        )
    witness.tell("loaded", rows=[attrs.asdict(row) for row in rows])
    witness.tell("doing", what="answering a call through a nested dispatch")
    outcome = host.call_sync(Call(QUESTION))
    said = outcome.value["steps"][0]["value"] if outcome.ok and outcome.value["ok"] else outcome.text
    witness.tell("answered", text=said)
    for plugin, _ in wanted:
        if plugin.probe is not None:
            _probe(host, plugin, witness)
    witness.tell("done")


def _probe(host: EmbeddedHost, plugin: Wanted, witness: Witness) -> None:
    assert plugin.probe is not None
    name = plugin.probe["tool"]
    witness.tell("doing", what=f'answering the probe of "{plugin.name}"')
    outcome = host.call_sync(Call(name, plugin.probe.get("arguments", {})))
    spec = host.lookup(name)
    ok = outcome.ok and not (spec is not None and spec.operation and outcome.value["ok"] is not True)
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
