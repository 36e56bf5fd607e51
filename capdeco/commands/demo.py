"""`capdeco demo`: the main job on the example plugin, from the proof to the audit."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import msgspec

from capdeco.bind.binder import Binder
from capdeco.bind.loading import declared_in, import_plugin
from capdeco.errors import CapdecoError
from capdeco.host.policy import ToolCall
from capdeco.host.protocol import Call
from capdeco.host.registry import EmbeddedHost
from capdeco.result import Failure, Success
from capdeco.verify.rows import shown, size_of

PLUGIN = "examples.pdf.plugin"
MISWIRED = "examples.pdf.miswired"
PRIMITIVES = ("pdf_extract", "pdf_layout")


@click.command("demo")
@click.option("--pdf", default="examples/pdf/sample.pdf", show_default=True, help="The PDF to read.")
def command(pdf: str) -> None:
    """Type-check the example plugin, refuse a mis-wired copy of it, load it, and read a PDF in one call."""
    root = _checkout()
    _title("1. mypy proves the plugin before anything runs")
    if _check(root, "examples/pdf/plugin.py") != 0:
        raise click.ClickException("the example plugin must be clean")
    _title("2. The same capability with a parameter that reaches no step")
    if _check(root, "examples/pdf/miswired.py") != 1:
        raise click.ClickException("the mis-wired copy must be refused")
    sys.path.insert(0, str(root))
    asyncio.run(_load_and_call(str(root / pdf) if not Path(pdf).exists() else pdf))


async def _load_and_call(pdf: str) -> None:
    host = EmbeddedHost()
    with Binder(host) as binder:
        _title("3. The binder refuses it too, with the same words, and registers nothing")
        tools, _ = declared_in(import_plugin(PLUGIN), PLUGIN)
        _, miswired = declared_in(import_plugin(MISWIRED), MISWIRED)
        try:
            binder.register(*tools, *miswired)
        except CapdecoError as error:
            click.echo(str(error))
        click.echo(f"registered: {list(host.catalog())}")
        binder.load(PLUGIN)
        _title("4. What the model sees: one tool")
        catalog = host.catalog()
        for spec in catalog.values():
            click.echo(f"{spec.name}\n")
            click.echo(spec.description + "\n")
            click.echo(msgspec.json.format(msgspec.json.encode(spec.input_schema), indent=2).decode())
        everything = [*catalog.values(), *filter(None, map(host.lookup, PRIMITIVES))]
        seen, exposed = size_of(map(shown, catalog.values())), size_of(map(shown, everything))
        click.echo(f"\n{seen} bytes; with the primitives exposed: {exposed} bytes")
        audit: list[str] = []

        @host.observe
        def log(call: ToolCall, outcome: Success | Failure) -> None:
            kind = "nested" if call.nested else "root"
            audit.append(f"{kind:6}  {call.name:12}  {call.call_id:22}  {'ok' if outcome.ok else outcome.message}")

        arguments = {"path": pdf, "layout": {"min_characters": 20}}
        _title(f"5. One call: pdf_analyze({msgspec.json.encode(arguments).decode()})")
        result = await host.invoke(Call("pdf_analyze", arguments, call_id="call-1"))
        click.echo(_shown(result))
        _title("6. The audit: one root call, two nested dispatches")
        click.echo("\n".join(audit))


def _shown(result: Success | Failure) -> str:
    """The report as the model gets it, long texts and lists cut for a person."""
    if not result.ok:
        return f"{result.code}: {result.message}"
    return msgspec.json.format(msgspec.json.encode(_cut(result.value)), indent=2).decode()


def _cut(value: Any) -> Any:
    if isinstance(value, str) and len(value) > 100:
        return value[:100] + f"… ({len(value)} characters)"
    if isinstance(value, list):
        return [*map(_cut, value[:2]), *([f"… {len(value) - 2} more"] if len(value) > 2 else [])]
    if isinstance(value, dict):
        return {key: _cut(each) for key, each in value.items()}
    return value


def _check(root: Path, file: str) -> int:
    arguments = ["check", "--config-file=", "--strict", file]
    click.echo(f"$ capdeco {' '.join(arguments)}")
    sys.stdout.flush()
    done = subprocess.run([sys.executable, "-m", "capdeco", *arguments], cwd=root, check=False)
    return done.returncode


def _checkout() -> Path:
    """Find the examples: they are part of the repository, not of the installed package."""
    for root in (Path.cwd(), Path(__file__).parents[2]):
        if (root / "examples" / "pdf" / "plugin.py").is_file():
            return root
    raise click.ClickException("the demo runs in a checkout of capdeco: its examples are not installed")


def _title(text: str) -> None:
    click.echo(click.style(f"\n{text}\n", bold=True))
