"""Experiments: found in a checkout's examples/lab, run one by one, written to a folder each."""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import attrs

from capdeco.codes import HOST
from capdeco.errors import CapdecoError, Diagnostic, did_you_mean
from capdeco.lab.driver import Driver, Scripted
from capdeco.lab.measure import Trail
from capdeco.lab.report import Report

HOME = Path("examples") / "lab"


@attrs.frozen
class Lab:
    """What an experiment is given."""

    seed: int = 1
    driver: Driver = attrs.field(factory=Scripted)
    trail: Trail = attrs.field(factory=Trail)
    """The audit, to which every arm of the experiment writes."""


Experiment = Callable[[Lab], Awaitable[Report]]


@attrs.frozen
class Result:
    """What one experiment gave: the report with its plots, and the audit that it stands on."""

    name: str
    report: Report
    trail: Trail

    def write(self, folder: Path) -> Path:
        """Write it into a folder of its own below *folder*, and say where."""
        target = folder / self.name
        target.mkdir(parents=True, exist_ok=True)
        (target / "REPORT.md").write_text(self.report.to_markdown(), encoding="utf-8")
        (target / "audit.jsonl").write_text("".join(f"{line}\n" for line in self.trail.lines), encoding="utf-8")
        for file, svg in self.report.plots.items():
            (target / file).write_text(svg, encoding="utf-8")
        return target


def checkout() -> Path:
    """Find the checkout that holds the experiments: the working directory, or the one that capdeco runs from.

    Raises:
        CapdecoError: neither does. Experiments are part of the repository, not of the installed package.
    """
    for root in (Path.cwd(), Path(__file__).parents[2]):
        if (root / HOME).is_dir():
            return root
    raise CapdecoError(
        Diagnostic(HOST, f"there is no {HOME} here", "run capdeco lab in a checkout of capdeco", rule="checkout")
    )


def names(root: Path) -> list[str]:
    """Give the names of the experiments in the checkout *root*."""
    return sorted(file.parent.name for file in (root / HOME).glob("*/experiment.py"))


async def run(name: str, root: Path, *, seed: int = 1, driver: Driver | None = None) -> Result:
    """Run one experiment.

    Raises:
        CapdecoError: there is none of that name.
    """
    if name not in names(root):
        raise CapdecoError(
            Diagnostic(HOST, f'there is no experiment "{name}"', did_you_mean(name, names(root), "experiments"))
        )
    lab = Lab(seed, driver or Scripted())
    with _inside(root):
        experiment: Experiment = importlib.import_module(f"examples.lab.{name}.experiment").run
        return Result(name, await experiment(lab), lab.trail)


@contextlib.contextmanager
def _inside(root: Path) -> Iterator[None]:
    # Paths in arguments are relative, so that their bytes are the same on every machine.
    with contextlib.chdir(root):
        if str(root) not in sys.path:
            sys.path.insert(0, str(root))
        yield
