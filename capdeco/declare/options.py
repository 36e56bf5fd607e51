"""What the options of a tool may be; asked at run time, and for options that are written out by mypy and analyzer."""

from __future__ import annotations

import math
from typing import Final

from capdeco.declare.faults import Flaw
from capdeco.errors import did_you_mean

HINTS: Final = ("title", "read_only", "destructive", "idempotent", "open_world")


def timeout_fault(timeout: object) -> Flaw | None:
    """Say why *timeout* cannot be one; `None` if it can."""
    if isinstance(timeout, int | float) and not isinstance(timeout, bool) and 0 < timeout < math.inf:
        return None
    return Flaw("bad-timeout", f"timeout is a positive number of seconds, not {timeout!r}", "give one")


def concurrency_fault(concurrency: object) -> Flaw | None:
    """Say why *concurrency* cannot be what tells whether calls may overlap."""
    if concurrency is None or isinstance(concurrency, bool) or callable(concurrency):
        return None
    what = f"concurrency is True, False or a function of the arguments, not {concurrency!r}"
    return Flaw("concurrency", what, "give one of them")


def hint_fault(key: object) -> Flaw | None:
    """Say why there is no hint *key*, and what to write instead."""
    if key in HINTS:
        return None
    return Flaw("annotations", f"there is no hint {key!r}", did_you_mean(str(key), HINTS, "hints"))


def hint_value_fault(key: str, value: object) -> Flaw | None:
    """Say why *value* cannot be that of the hint *key*, and what to do."""
    if isinstance(value, str if key == "title" else bool):
        return None
    wanted = "text" if key == "title" else "True or False"
    return Flaw("annotations", f"the hint {key} is {wanted}, not {value!r}", "correct it")
