"""Declare capabilities: a few model-visible operations over many tools, proved before they run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Doc

    from capdeco.bind.binder import Binder
    from capdeco.declare.capabilities import capability
    from capdeco.declare.operations import operation
    from capdeco.declare.steps import Step
    from capdeco.declare.tools import Tool, tool
    from capdeco.errors import CapdecoError, ToolError
    from capdeco.host.protocol import Call, Context, Host
    from capdeco.host.registry import EmbeddedHost
    from capdeco.result import Content, Failure, Success

__all__ = [
    "Binder",
    "Call",
    "CapdecoError",
    "Content",
    "Context",
    "Doc",
    "EmbeddedHost",
    "Failure",
    "Host",
    "Step",
    "Success",
    "Tool",
    "ToolError",
    "capability",
    "operation",
    "tool",
]


if not TYPE_CHECKING:  # a checker that saw this would take a misspelt name for one of anything

    def __getattr__(name: str) -> Any:
        # Declaring must stay cheap: what a plugin does not use is not imported (PEP 562).
        home = _home(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module  # noqa: PLC0415 - part of being lazy

        value = getattr(import_module(home), name)
        globals()[name] = value
        return value


def _home(name: str) -> str | None:
    match name:
        case "capability":
            return "capdeco.declare.capabilities"
        case "operation":
            return "capdeco.declare.operations"
        case "tool" | "Tool":
            return "capdeco.declare.tools"
        case "Step":
            return "capdeco.declare.steps"
        case "Doc":
            return "typing_extensions"
        case "Binder":
            return "capdeco.bind.binder"
        case "EmbeddedHost":
            return "capdeco.host.registry"
        case "Call" | "Context" | "Host":
            return "capdeco.host.protocol"
        case "Content" | "Failure" | "Success":
            return "capdeco.result"
        case "CapdecoError" | "ToolError":
            return "capdeco.errors"
        case _:
            return None


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
