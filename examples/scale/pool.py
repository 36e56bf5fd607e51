"""The pool as a whole: its tools in order of domain, with or without being shown to the model."""

from __future__ import annotations

from typing import Final

import attrs

from capdeco import Tool
from capdeco.bind.loading import declared_in, import_plugin
from capdeco.declare.capabilities import Capability

DOMAINS: Final = ("git", "browser", "db", "pdf", "image", "net", "cloud", "fs")


def tools(*, expose: bool) -> list[Tool]:
    """Give the 157 tools."""
    return [attrs.evolve(tool, expose=expose) for domain in DOMAINS for tool in _declared(domain)[0]]


def operations() -> list[Capability]:
    """Give the eight capabilities with their fifteen operations."""
    return _declared("operations")[1]


def builtins() -> list[Tool]:
    """Give the 25 stand-ins for what an agent brings along."""
    return _declared("builtins")[0]


def _declared(module: str) -> tuple[list[Tool], list[Capability]]:
    name = f"examples.scale.{module}"
    return declared_in(import_plugin(name), name)
