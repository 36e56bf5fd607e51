"""`capdeco check PATHS`: mypy with the plugin, for people without a mypy.ini."""

from __future__ import annotations

import click


@click.command(
    "check",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False, "help_option_names": []},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def command(ctx: click.Context, arguments: tuple[str, ...]) -> None:
    """Check PATHS with mypy and capdeco's plugin. Every option of mypy works; exit codes are mypy's."""
    if arguments in (("-h",), ("--help",), ()):
        click.echo("Usage: capdeco check [MYPY OPTIONS] PATHS...\n")
        click.echo("Check PATHS with mypy and capdeco's plugin switched on, beside whatever your mypy")
        click.echo("configuration says. Every option of mypy works (see mypy --help).\n")
        click.echo("Exit codes are mypy's: 0 clean, 1 errors found, 2 it could not check.")
        ctx.exit(0 if arguments else 2)
    try:
        from capdeco.check.run_mypy import run_mypy  # noqa: PLC0415 - mypy is an extra
    except ModuleNotFoundError as error:
        if error.name != "mypy":
            raise
        raise click.ClickException('capdeco check needs mypy: pip install "capdeco[mypy]"') from None
    ctx.exit(run_mypy(arguments))
