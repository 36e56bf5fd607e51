"""`capdeco analyze PATH`: what a plugin's source puts in front of the model; reads, never runs."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click


@click.command("analyze")
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--listing", type=click.Path(path_type=Path), help="Read the JSON of a tools/list instead of a folder.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON; its schema ships with capdeco.")
@click.option("--propose", is_flag=True, help="Print a starter declaration for each group of tools, as Python.")
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    default=60.0,
    show_default=True,
    help="Seconds; what was not read by then is listed.",
)
@click.option(
    "--max-file-size",
    type=click.IntRange(min=1),
    default=2_000_000,
    show_default=True,
    help="Bytes; larger files are listed, not read.",
)
@click.option("--schema", is_flag=True, help="Print the JSON Schema of --json, and nothing else.")
def command(
    path: Path | None,
    listing: Path | None,
    as_json: bool,
    propose: bool,
    time_limit: float,
    max_file_size: int,
    schema: bool,
) -> None:
    """Report the tools that the plugin in PATH registers, and what it declares with capdeco.

    Nothing in PATH is imported, run or written. Exit codes: 0 a report was printed, whatever it says; 1 there is
    nothing to report on (no such folder, no listing); 2 the command line is wrong.
    """
    from capdeco.check.analyze.analysis import analyze_folder  # noqa: PLC0415 - --help loads no reader
    from capdeco.check.analyze.as_json import report_schema, to_json  # noqa: PLC0415
    from capdeco.check.analyze.as_text import to_text  # noqa: PLC0415
    from capdeco.check.analyze.files import Limits  # noqa: PLC0415
    from capdeco.check.analyze.listing import analyze_listing  # noqa: PLC0415
    from capdeco.check.analyze.propose import propose as proposal_for  # noqa: PLC0415

    if schema:
        _print(json.dumps(report_schema(), indent=2) + "\n")
        return
    if (path is None) == (listing is None):
        raise click.UsageError("give a PATH to read, or --listing FILE; not both")
    if listing is not None:
        found = analyze_listing(listing)
    else:
        assert path is not None
        found = analyze_folder(path, Limits(seconds=time_limit, file_bytes=max_file_size))
    if as_json:
        _print(json.dumps(to_json(found, with_proposal=propose), indent=2, ensure_ascii=True) + "\n")
    elif propose:
        _print(proposal_for(found))
    else:
        _print_report(to_text(found))


def _print(text: str) -> None:
    # As UTF-8 whatever the locale, so that the same plugin gives the same bytes everywhere.
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))


def _print_report(text: str) -> None:
    """Print the report; on a terminal with its headings set off, piped as it is."""
    if not sys.stdout.isatty():
        _print(text)
        return
    from rich.console import Console  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    console = Console(soft_wrap=True, highlight=False, markup=False, emoji=False)
    for line in text.splitlines():
        style = "bold" if line.startswith("#") else "yellow" if line.startswith("dynamic") else ""
        console.print(Text(line, style=style))
