"""Runtime annotations -> Shape, in one place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from capdeco.declare.faults import Refused
from capdeco.declare.shape import Shape
from capdeco.errors import DeclarationError
from capdeco.reading.annotations import names_of_module, resolve
from capdeco.reading.functions import FunctionShape, Parameter, Signature, read_function
from capdeco.reading.shapes import ShapeReader
from capdeco.reading.values import NoJson, to_json


def read_type(
    annotation: Any,
    *,
    module: str | None = None,
    types: Mapping[str, object] | None = None,
    results: bool = False,
) -> Shape:
    """Read one type.

    Args:
        annotation: a type, or text that names one.
        module: where its names are looked up.
        types: names that no module has.
        results: read it as what a function gives back, not as what it takes.

    Raises:
        DeclarationError: it, or a part of it, has no JSON form.
    """
    reader = ShapeReader(types or {}, results=results)
    try:
        resolved = resolve(annotation, names_of_module(module, types or {}))
    except Refused as refused:
        raise refused.flaw.error() from None
    shape = reader.shape(resolved)
    flaws = reader.finish()
    if flaws:
        raise DeclarationError(*(each.diagnostic() for each in flaws))
    return shape


__all__ = [
    "FunctionShape",
    "NoJson",
    "Parameter",
    "ShapeReader",
    "Signature",
    "read_function",
    "read_type",
    "to_json",
]
