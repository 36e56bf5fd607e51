"""A type or default that cannot cross the wire: raised where it is found, a diagnostic once its place is known."""

from __future__ import annotations

import attrs


@attrs.define
class Refusal(Exception):
    """Which rule, what is wrong, what to do, and at which part of a type (`columns`, `rows[]`)."""

    rule: str
    what: str
    fix: str
    path: str = ""

    def __str__(self) -> str:
        return f"{self.path}: {self.what}" if self.path else self.what
