"""`capdeco list`: the plugins of a profile, and what each adds to the model's view."""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stdout
from pathlib import Path

import attrs
import click

from capdeco.bind.binder import Binder
from capdeco.host.registry import EmbeddedHost
from capdeco.verify.rows import row_of, table


@click.command("list")
@click.option(
    "--profile",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A capdeco.toml or pyproject.toml; by default the one in the working directory.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def command(profile: Path | None, as_json: bool) -> None:
    """Load the plugins of a profile as a host would, and print a row for each.

    The bytes are those of name, description and input schema of each tool that the model sees, as compact JSON.
    Without a profile nothing is loaded, and what is installed is named. Exit codes: 0 all were loaded, 1 one failed or
    the profile is wrong, 2 bad arguments.
    """
    host = EmbeddedHost()
    with Binder(host) as binder:
        # What a plugin prints at load is no row.
        with redirect_stdout(sys.stderr):
            plugins = binder.load_installed(profile)
        rows = [row_of(plugin, host) for plugin in plugins.loaded]
    if as_json:
        click.echo(
            json.dumps({"plugins": [attrs.asdict(row) for row in rows], "installed": plugins.installed}, indent=2)
        )
    elif rows:
        click.echo("\n".join(table(rows)))
        total = sum(row.bytes for row in rows)
        click.echo(f"{total} bytes in the model's view")
    else:
        click.echo(f"no profile names a plugin; installed: {', '.join(plugins.installed) or 'none'}")
    failed = [row for row in rows if row.error]
    for row in failed:
        click.echo(row.error, err=True)
    click.get_current_context().exit(1 if failed else 0)
