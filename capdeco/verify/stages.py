"""The stages in their order: install, compose, types, boot."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import attrs

from capdeco.verify.boot import boot
from capdeco.verify.compose import compose
from capdeco.verify.install import install
from capdeco.verify.report import Report, Stage
from capdeco.verify.throwaway import Failed, throwaway
from capdeco.verify.types import check_types

T = TypeVar("T")


@attrs.frozen
class Plan:
    """What to verify, and how far."""

    path: Path
    smoke: bool
    types: bool
    keep: bool
    timeout: float
    """Seconds, for everything."""
    build: bool


@attrs.define
class _Told:
    """Stages that have ended, each told at once."""

    tell: Callable[[Stage], None]
    stages: list[Stage] = attrs.field(factory=list)

    def stage(self, name: str, work: Callable[[], T]) -> T | None:
        began = time.monotonic()
        value: T | None = None
        lines: tuple[str, ...] = ()
        try:
            value = work()
            what = str(value)
        except Failed as failed:
            what, lines = failed.what, failed.lines
        stage = Stage(name, round(time.monotonic() - began, 2), value is not None, what, lines)
        self.stages.append(stage)
        self.tell(stage)
        return value


def verify(plan: Plan, tell: Callable[[Stage], None]) -> Report:
    """Run the stages of *plan*; types and boot do not wait for each other's verdict.

    Raises:
        Interrupted: a signal ended it; nothing is left.
    """
    told = _Told(tell)
    composed = booted = None
    with throwaway(plan.timeout, keep=plan.keep) as profile:
        package = told.stage("install", lambda: install(profile, plan.path, types=plan.types, build=plan.build))
        if package is not None:
            composed = told.stage("compose", lambda: compose(profile, package))
        if composed is not None and plan.types:
            told.stage("types", lambda: check_types(profile, composed))
        if composed is not None and plan.smoke:
            booted = told.stage("boot", lambda: boot(profile, composed))
    return Report(
        path=plan.path,
        stages=tuple(told.stages),
        plugins=tuple(row.name for row in composed.rows) if composed else (),
        rows=booted.rows if booted else (),
        kept=profile.root if plan.keep else None,
    )
