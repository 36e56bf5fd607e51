"""capdeco itself: `@tool` and `Tool.of`; capabilities are read by `python.capabilities`."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Final

import attrs

from capdeco.check.analyze.declared import Declarations
from capdeco.check.analyze.frameworks.site import Framework, Site
from capdeco.check.analyze.python.marks import Marked
from capdeco.check.analyze.python.parameters import ParameterReader
from capdeco.check.analyze.python.shapes import Shapes
from capdeco.check.analyze.python.tools import ToolReader
from capdeco.check.analyze.records import FoundTool
from capdeco.declare.shape import Unknown


def _quietly(site: Site) -> tuple[Shapes, Declarations]:
    # What is refused is noted where declarations are read.
    return attrs.evolve(site.shapes, strict=True), Declarations()


def _decorated(site: Site) -> Iterable[FoundTool]:
    if site.target is None:
        return
    found = ToolReader(*_quietly(site)).tool(site.target, Marked("tool", site.call, site.scope))
    if found is not None:
        name, description, takes, exposed = found
        yield site.tool(name, description, takes, exposed=exposed)
    elif site.call is not None:
        yield site.of_function(site.target, name=site.text("name"), description=site.text("description"))


def _tool_of(site: Site) -> Iterable[FoundTool]:
    function = site.function(at=0)
    name, description, expose = site.text("name"), site.text("description"), site.argument("expose")
    if function is not None:
        takes, _ = ParameterReader(*_quietly(site)).takes(function, is_tool=True)
        made = site.of_function(function, name=name, description=description, takes=takes)
    else:
        made = site.tool(name, description, Unknown("its function is not in the folder"))
    internal = isinstance(expose, ast.Constant) and expose.value is False
    yield attrs.evolve(made, exposed=not internal)


CAPDECO: Final = Framework(
    name="capdeco",
    homes=("capdeco",),
    decorators={"tool": _decorated},
    calls={"Tool.of": _tool_of},
    injected=frozenset({"Context"}),
)
