"""What the options of a tool may be; asked at run time, and by the mypy plugin for options that are written out."""

from __future__ import annotations

import math
from typing import Final

from capdeco.errors import did_you_mean

HINTS: Final = ("title", "read_only", "destructive", "idempotent", "open_world")


def timeout_fault(timeout: object) -> str | None:
    """Say why *timeout* cannot be one; `None` if it can."""
    if isinstance(timeout, int | float) and not isinstance(timeout, bool) and 0 < timeout < math.inf:
        return None
    return f"timeout is a positive number of seconds, not {timeout!r}"


def hint_fault(key: object) -> tuple[str, str] | None:
    """Say why there is no hint *key*, and what to write instead."""
    return None if key in HINTS else (f"there is no hint {key!r}", did_you_mean(str(key), HINTS, "hints"))


def hint_value_fault(key: str, value: object) -> tuple[str, str] | None:
    """Say why *value* cannot be that of the hint *key*, and what to do."""
    if isinstance(value, str if key == "title" else bool):
        return None
    return f"the hint {key} is {'text' if key == 'title' else 'True or False'}, not {value!r}", "correct it"
