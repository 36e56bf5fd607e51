"""`capdeco explain CODE`: one page on one code."""

from __future__ import annotations

from textwrap import indent
from typing import Final

import click

from capdeco.check.explain import EXPLANATIONS, explain
from capdeco.codes import HOST
from capdeco.errors import did_you_mean

_HOST_SAYS: Final = "a host, a binder or a profile was asked for something that makes no sense"


@click.command("explain")
@click.argument("code", required=False)
def command(code: str | None) -> None:
    """Explain CODE: why it is reported, an example that fails, and the same example mended."""
    if code is None:
        for each in EXPLANATIONS:
            click.echo(f"{each.code:20} {each.says}")
        click.echo(f"{HOST:20} {_HOST_SAYS}")
        return
    if code in ("host", HOST):
        click.echo(f"{HOST}: {_HOST_SAYS}.\n")
        click.echo("Nothing that a checker could see: the message itself says what, where and what to do.")
        return
    found = explain(code)
    if found is None:
        hint = did_you_mean(code, [*(each.code for each in EXPLANATIONS), HOST], "codes")
        raise click.BadParameter(f"there is no code {code!r}; {hint}")
    click.echo(f"{found.code}: {found.says}\n")
    click.echo(f"{found.why}\n")
    click.echo("This fails:\n")
    click.echo(indent(found.failing, "    "))
    click.echo("This is clean:\n")
    click.echo(indent(found.mended, "    "), nl=False)
