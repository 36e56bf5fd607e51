"""The audit: one whole line for every finished dispatch, and no more than was asked for."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any, TextIO

import pytest

from capdeco.errors import HostError
from capdeco.host.audit import LineFile
from capdeco.host.policy import ToolCall
from capdeco.host.protocol import Call, Context
from capdeco.host.registry import EmbeddedHost
from capdeco.host.signal import Signal
from capdeco.result import Failure, Success
from tests.unit.hosting import call, declare, host_with, tool

pytestmark = pytest.mark.anyio


def records(lines: list[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines]


async def test_a_line_says_who_called_what_and_how_it_ended() -> None:
    host = host_with("a")
    ann = host.scope("ann")
    host.register(tool("own"), scope=ann)
    lines: list[str] = []
    host.audit(lines.append)
    await host.invoke(Call(name="a", arguments={"x": 1}, call_id="c1", scope=ann))
    await host.invoke(Call(name="own", call_id="c2", root_id="r", scope=ann))
    await host.invoke(Call(name="ghost", call_id="c3"))
    first, second, third = records(lines)
    assert list(first) == [
        *("time", "tool", "layer", "call", "root", "nested", "scope", "outcome", "code"),
        *("duration_ms", "argument_bytes", "result_bytes"),
    ]
    assert first["time"].endswith("+00:00")
    assert (first["tool"], first["layer"], first["scope"], first["outcome"]) == ("a", "global", "ann", "success")
    assert (first["argument_bytes"], first["result_bytes"]) == (len('{"x":1}'), len('{"echo":{"x":1}}'))
    assert first["duration_ms"] >= 0
    assert (second["layer"], second["call"], second["root"]) == ("ann", "c2", "r")
    assert (third["layer"], third["outcome"], third["code"]) == (None, "failure", "UNKNOWN_TOOL")


async def test_arguments_are_written_only_on_request_and_through_the_redactor() -> None:
    host = host_with("a")
    plain: list[str] = []
    full: list[str] = []
    redacted: list[str] = []
    broken: list[str] = []
    host.audit(plain.append)
    host.audit(full.append, arguments=True)
    host.audit(redacted.append, arguments=True, redact=lambda call, arguments: {**arguments, "password": "***"})
    host.audit(broken.append, arguments=True, redact=lambda call, arguments: arguments["no such key"])
    await call(host, "a", password="hunter2")
    assert "hunter2" not in "".join([*plain, *redacted, *broken])
    assert records(full)[0]["arguments"] == {"password": "hunter2"}
    assert records(redacted)[0]["arguments"] == {"password": "***"}


async def test_an_aborted_operation_says_which_steps_were_done_but_not_what_they_gave() -> None:
    stop = Signal()

    async def body(arguments: dict[str, Any], context: Context) -> Any:
        stop.set()
        return {"secret": 1}

    host = host_with("a")
    host.register(tool("b", body))
    declare(host, "a", "b")
    lines: list[str] = []
    host.audit(lines.append)
    await call(host, "run_all", signal=stop)
    assert records(lines)[-1]["steps"] == [{"tool": "a", "ok": True}, {"tool": "b", "ok": False}]
    assert "secret" not in "".join(lines)


async def test_a_scopes_audit_hears_that_scope_only_and_ends_with_it() -> None:
    host = host_with("a")
    ann = host.scope("ann")
    lines: list[str] = []
    host.audit(lines.append, scope=ann)
    await call(host, "a")
    await call(host, "a", ann)
    ann.close()
    await call(host, "a", ann)
    assert len(lines) == 1


async def test_a_file_is_appended_to_is_private_and_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    path.write_text('{"torn', encoding="utf-8")
    host = host_with("a")
    with host.audit(path):
        await call(host, "a")
        await call(host, "a")
    await call(host, "a")
    torn, first, second, last = path.read_text(encoding="utf-8").split("\n")
    # What a full disk or a killed process cut short is a whole line again, with nothing lost.
    assert (json.loads(torn), last) == ({"torn": '{"torn'}, "")
    assert [record["tool"] for record in records([first, second])] == ["a", "a"]
    fresh = tmp_path / "fresh.jsonl"
    host.audit(fresh).close()
    assert fresh.stat().st_mode & 0o077 == 0


async def test_a_closed_audit_writes_to_no_file_that_somebody_opens_next(tmp_path: Path) -> None:
    host = host_with("a")
    opened: list[TextIO] = []

    @host.observe
    def hands_over(call: ToolCall, outcome: Success | Failure) -> None:
        audit.close()  # its file's number is free
        opened.append((tmp_path / "mine.txt").open("w"))

    audit = host.audit(tmp_path / "audit.jsonl")
    await call(host, "a")
    opened[0].close()
    audit.close()
    assert (tmp_path / "mine.txt").read_text() == ""


def test_a_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    host = EmbeddedHost()
    with pytest.raises(HostError):
        host.audit(tmp_path / "no" / "such" / "folder")
    with pytest.raises(HostError):
        host.audit(lambda line: None, redact=lambda call, arguments: arguments)


def test_a_killed_process_leaves_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    script = textwrap.dedent(
        """
        import asyncio, sys
        from capdeco.host.protocol import Call, ToolSpec
        from capdeco.host.registry import EmbeddedHost

        async def echo(arguments, context):
            return arguments

        async def main():
            host = EmbeddedHost()
            host.register(ToolSpec(name="a", description="d", input_schema={"type": "object"}, body=echo))
            host.audit(sys.argv[1], arguments=True)
            print("ready", flush=True)
            while True:
                await asyncio.gather(*(host.invoke(Call(name="a", arguments={"n": "x" * 300})) for _ in range(20)))

        asyncio.run(main())
        """
    )
    for _ in range(4):
        process = subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.readline()
        before = path.stat().st_size
        while path.stat().st_size < before + 50_000:
            assert process.poll() is None, "it ended before it was killed"
            time.sleep(0.001)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
    LineFile(path).close()  # whoever opens the file next makes a line that was cut short a whole one
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) > 100
    assert all(record.get("tool") == "a" or "torn" in record for record in records(lines))
