"""How msgspec names the fields of a Struct on the wire, for both readers of source."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final


def _camel(name: str) -> str:
    # Underscores before the name stay, inner ones go.
    first, *rest = [part for part in name.split("_") if part] or [name]
    return _lead(name) + first + "".join(part.title() for part in rest)


def _pascal(name: str) -> str:
    return _lead(name) + "".join(part.title() for part in name.split("_"))


def _lead(name: str) -> str:
    return name[: len(name) - len(name.lstrip("_"))]


def _kebab(name: str) -> str:
    return re.sub(r"(?<=[^_])_+(?=[^_])", "-", name).strip("_")


RENAMES: Final[Mapping[str, Callable[[str], str]]] = {
    "lower": str.lower,
    "upper": str.upper,
    "camel": _camel,
    "pascal": _pascal,
    "kebab": _kebab,
}
"""What `rename=` says -> what it does to the name of a field."""
