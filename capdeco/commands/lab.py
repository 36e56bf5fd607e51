"""`capdeco lab run NAME|all`: the experiments on what a narrow surface changes."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import click

from capdeco.lab import experiment


@click.group("lab")
def command() -> None:
    """Run the experiments on what a narrow surface changes; they are in the examples/lab of a checkout."""


@command.command("list")
def list_() -> None:
    """List the experiments."""
    for name in experiment.names(experiment.checkout()):
        click.echo(name)


@command.command("run")
@click.argument("name")
@click.option("--seed", default=1, show_default=True, help="What the made-up data are drawn from.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("lab-results"),
    show_default=True,
    help="Where to write; examples/lab replaces the reports that are committed.",
)
def run(name: str, seed: int, out: Path) -> None:
    """Run the experiment NAME, or all of them; write REPORT.md, plots and the audit to a folder each."""
    root = experiment.checkout()
    for each in experiment.names(root) if name == "all" else [name.replace("-", "_")]:
        began = time.perf_counter()
        result = asyncio.run(experiment.run(each, root, seed=seed))
        target = result.write(out)
        click.echo(f"{target}: {len(result.trail.lines)} dispatches, {time.perf_counter() - began:.1f} s")
