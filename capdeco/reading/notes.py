"""What `Annotated` says beside the type: descriptions, and checks that a library knows how to make."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Annotated, Any, get_args

import msgspec
import typing_extensions

from capdeco.reading.foreign import foreign_check
from capdeco.reading.problems import Problems, said_by


def read_notes(annotation: Any) -> tuple[str, tuple[Callable[[Any], Any], ...]]:
    """Give the description in an `Annotated` type, the last one said, and what its values go through."""
    _, *notes = get_args(annotation)
    docs = [doc for note in notes for doc in _docs(note)]
    return docs[-1] if docs else "", tuple(_checks(annotation, notes))


def _docs(note: Any) -> Iterator[str]:
    if isinstance(note, str):
        yield note
    elif isinstance(note, typing_extensions.Doc) or _is(note, "annotated_doc", "Doc"):
        yield note.documentation
    elif (isinstance(note, msgspec.Meta) or _is(note, "pydantic.fields", "FieldInfo")) and note.description:
        yield note.description


def _checks(annotation: Any, notes: list[Any]) -> Iterator[Callable[[Any], Any]]:
    """Bounds are no part of a shape, so they are checked when the value is there."""
    yield from (_bounds(note) for note in notes if isinstance(note, msgspec.Meta))
    if any(map(_is_foreign, notes)):
        check = foreign_check(annotation)
        if check is not None:
            yield check


def _bounds(meta: msgspec.Meta) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if value is None:
            return value
        try:
            return msgspec.convert(value, Annotated[type(value), meta])
        except msgspec.ValidationError as error:
            raise Problems(("", said_by(error).replace("Expected", "is not", 1))) from None

    return check


def _is_foreign(note: Any) -> bool:
    if _is(note, "pydantic.fields", "FieldInfo"):
        return bool(note.metadata) or note.discriminator is not None
    return "pydantic" in sys.modules and type(note).__module__.partition(".")[0] in ("pydantic", "annotated_types")


def _is(value: object, module: str, name: str) -> bool:
    """Tell whether *value* is of a type of a library that may not be installed: then nobody can have made one."""
    kind = getattr(sys.modules.get(module), name, None)
    return isinstance(kind, type) and isinstance(value, kind)
