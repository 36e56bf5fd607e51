"""`capdeco verify PATH`: will this plugin load, alone, on a clean machine?"""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import click

from capdeco.verify.report import NOTICE, Stage
from capdeco.verify.stages import Plan, verify
from capdeco.verify.throwaway import Interrupted


@click.command("verify")
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option("--smoke", is_flag=True, help="Boot: load it for real in a child process, and make a call.")
@click.option("--types", is_flag=True, help="Check the installed package with mypy and capdeco's plugin.")
@click.option("--keep", is_flag=True, help="Leave the throwaway profile where it is, and say where.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=300.0,
    show_default=True,
    help="Seconds within which the command ends. Loading gets at most 30 of them, or a tenth.",
)
@click.option("--no-build", is_flag=True, help="Take wheels only, so that no code of a package runs at install.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def command(path: Path, smoke: bool, types: bool, keep: bool, timeout: float, no_build: bool, as_json: bool) -> None:
    """Verify the plugin package in PATH, a folder or a wheel, in a throwaway profile.

    The stages are install (a fresh venv, pip, your package index), compose (the entry point, nothing imported), with
    --types mypy, and with --smoke boot. Neither this environment nor your profile or HOME is touched, and the
    throwaway profile is removed, also after Ctrl-C.

    This protects from accidents, not from malice. Building a package runs its code and --smoke runs the plugin, with
    your rights; --no-build takes wheels only.

    It promotes nothing: on success it prints the install command and what to back up. Exit codes: 0 verified, 1
    failed, 2 bad arguments.
    """
    if path.is_dir():
        if not any((path / name).is_file() for name in ("pyproject.toml", "setup.py")):
            raise click.BadParameter(f"{path} is no package: it has no pyproject.toml", param_hint="PATH")
        if no_build:
            raise click.BadParameter(f"{path} is a folder, and would be built: give a wheel", param_hint="PATH")
    elif path.suffix != ".whl":
        raise click.BadParameter(f"{path} is neither a folder nor a wheel", param_hint="PATH")

    def tell(stage: Stage) -> None:
        if not as_json:
            click.echo(stage.to_text())

    if not as_json:
        click.echo(NOTICE)
    try:
        report = verify(Plan(path.resolve(), smoke, types, keep, timeout, not no_build), tell)
    except Interrupted as interrupted:
        if keep:
            click.echo(f"kept: {interrupted.root}", err=True)
        # Everything is cleared up; whoever waits for this process sees the signal as if it had not been caught.
        signal.signal(interrupted.number, signal.SIG_DFL)
        os.kill(os.getpid(), interrupted.number)
        raise  # where the signal is blocked
    click.echo(json.dumps(report.to_json(), indent=2) if as_json else report.to_text())
    click.get_current_context().exit(0 if report.ok else 1)
