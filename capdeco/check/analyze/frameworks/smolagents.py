"""smolagents: `@tool`, and `Tool` subclasses with `name`, `description` and `inputs`."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Final

from capdeco.check.analyze.frameworks.site import Framework, Site
from capdeco.check.analyze.python.signature import takes_of
from capdeco.check.analyze.records import Dynamic, FoundTool
from capdeco.check.analyze.schemas import input_of_schema
from capdeco.declare.shape import Unknown
from capdeco.declare.wiring import Input


def _decorated(site: Site) -> Iterable[FoundTool]:
    function = site.target or site.function(at=0)
    if function is not None and not isinstance(function.node, ast.ClassDef):
        yield site.of_function(function)


def _subclass(site: Site) -> Iterable[FoundTool]:
    name = site.class_text("name")
    method = site.method("forward")
    if name is None and method is None:
        return  # a base class of other tools
    takes: Input | None = None
    inputs = site.class_value("inputs")
    if inputs is not None:
        takes = _inputs(site.shapes.project.value(*inputs))
    elif method is not None:
        takes = takes_of(site.shapes, method, site.framework.injects)
    yield site.tool(name, site.class_text("description"), takes or Unknown("it has no inputs"))


def _inputs(value: object) -> Input:
    """A map from input to `{"type", "description", "nullable"}`; what is nullable may be left out."""
    if not isinstance(value, dict):
        return Unknown(
            f"its inputs are computed: {value.source}" if isinstance(value, Dynamic) else "its inputs are no map"
        )
    required = [name for name, node in value.items() if not (isinstance(node, dict) and node.get("nullable") is True)]
    return input_of_schema({"type": "object", "properties": value, "required": required, "additionalProperties": False})


SMOLAGENTS: Final = Framework(
    name="smolagents",
    homes=("smolagents",),
    decorators={"tool": _decorated},
    bases={"Tool": _subclass},
)
