"""A mypy plugin for a test: `show(function)` notes what the plugin's reader makes of the parameters of *function*."""

from __future__ import annotations

import json
from collections.abc import Callable

from mypy.plugin import FunctionContext, Plugin
from mypy.types import CallableType, Type, get_proper_type

from capdeco.check.mypy.types import TypeReader
from capdeco.declare.json_schema import render
from capdeco.declare.shape import Unknown


def _show(context: FunctionContext) -> Type:
    function = get_proper_type(context.arg_types[0][0])
    assert isinstance(function, CallableType)
    read = TypeReader().signature(function)
    takes = "unknown" if isinstance(read.takes, Unknown) else json.dumps(render(read.takes), sort_keys=True)
    context.api.msg.note(f"SHAPE {len(read.flaws)} {takes}", context.context)
    return context.default_return_type


class ShowShapes(Plugin):
    def get_function_hook(self, fullname: str) -> Callable[[FunctionContext], Type] | None:
        return _show if fullname.endswith(".show") else None


def plugin(version: str) -> type[Plugin]:
    return ShowShapes
