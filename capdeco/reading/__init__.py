"""Runtime annotations -> Shape, in one place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from capdeco.codes import DECLARATION
from capdeco.declare.shape import Shape
from capdeco.errors import DeclarationError, Diagnostic
from capdeco.reading.annotations import names_of_module, resolve
from capdeco.reading.functions import FunctionShape, Parameter, Signature, read_function
from capdeco.reading.refusal import Refusal
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
    except Refusal as refusal:
        raise DeclarationError(_diagnostic(refusal)) from None
    shape = reader.shape(resolved)
    refusals = reader.finish()
    if refusals:
        raise DeclarationError(*map(_diagnostic, refusals))
    return shape


def _diagnostic(refusal: Refusal) -> Diagnostic:
    return Diagnostic(DECLARATION, str(refusal), refusal.fix, rule=refusal.rule)


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
