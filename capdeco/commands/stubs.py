"""`capdeco stubs --module M`: typed stubs of a module's tools."""

from __future__ import annotations

import keyword
import sys
from pathlib import Path

import click

from capdeco.bind.loading import declared_in, import_plugin
from capdeco.bind.tooling import tool_spec
from capdeco.stubgen import stub_of


@click.command("stubs")
@click.option("--module", required=True, help="The module or package whose tools to write; it is imported.")
@click.option("--name", help="The stub package's name; by default the module's last parts, and _tools.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("stubs"), show_default=True)
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if what is there differs.")
def command(module: str, name: str | None, out: Path, check: bool) -> None:
    """Write a stub package with one typed function per tool of MODULE.

    Name it in tool_modules, put OUT on mypy_path, and steps that name these tools by string are proved too.
    """
    # As `python -m` has it, and the checkers: modules of the working directory are found.
    sys.path.insert(0, "")
    tools, _ = declared_in(import_plugin(module), module)
    if not tools:
        raise click.ClickException(f"{module} declares no tools of its own")
    parts = [part for part in module.split(".") if part not in ("plugin", "tools")]
    package = name if name is not None else f"{parts[-1] if parts else module}_tools"
    if not package.isidentifier() or keyword.iskeyword(package):
        # A dotted name would need packages around it, which may be somebody else's.
        raise click.ClickException(
            f'no program can import a package "{package}"; give one name that Python can spell, as in --name my_tools'
        )
    target = out / package / "__init__.pyi"
    if target.with_name("__init__.py").exists():
        raise click.ClickException(
            f"{target.parent} is a package itself, which a stub there would hide; give another --name or --out"
        )
    text = stub_of(map(tool_spec, tools), origin=f"--module {module}")
    old = target.read_text(encoding="utf-8") if target.is_file() else None
    if check:
        if old != text:
            raise click.ClickException(f"{target} is not what {module} declares; run capdeco stubs --module {module}")
        return
    if old != text:
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        except OSError as error:
            raise click.ClickException(f"{target} cannot be written: {error.strerror}; give another --out") from None
    click.echo(f"{target}: {len(tools)} tools")
