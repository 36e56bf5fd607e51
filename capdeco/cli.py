"""The command line: `capdeco COMMAND`; each command is a module of `capdeco.commands`, loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Final

import click

from capdeco.errors import CapdecoError

COMMANDS: Final = {
    "analyze": "What a plugin's source puts in front of the model; reads, never runs.",
    "check": "mypy with capdeco's plugin switched on.",
    "demo": "Type-check, load and run the example plugin on a real PDF.",
    "explain": "Explain a diagnostic code, with a failing and a mended example.",
    "lab": "Run the experiments on what a narrow surface changes.",
    "list": "The plugins of a profile, and what each adds to the model's view.",
    "stubs": "Write typed stubs of a module's tools.",
    "verify": "Install and load a plugin package, alone, in a throwaway profile.",
}


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = getattr(import_module(f"capdeco.commands.{cmd_name}"), "command")  # noqa: B009 - one name in all
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # Help shows the summaries above, so that asking for it loads no command.
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except CapdecoError as error:
            click.echo(str(error), err=True)
            ctx.exit(1)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="capdeco")
def main() -> None:
    """Narrow, proved tool surfaces for AI agents."""
