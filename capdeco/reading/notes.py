"""What `Annotated` says beside the type: descriptions, and checks that a library knows how to make."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any, get_args

import msgspec
import typing_extensions


def read_notes(annotation: Any) -> tuple[str, tuple[Callable[[Any], object], ...]]:
    """Give the description in an `Annotated` type, the last one said, and what checks its values."""
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


def _checks(annotation: Any, notes: list[Any]) -> Iterator[Callable[[Any], object]]:
    return iter(())


def _is(value: object, module: str, name: str) -> bool:
    """Tell whether *value* is of a type of a library that may not be installed: then nobody can have made one."""
    kind = getattr(sys.modules.get(module), name, None)
    return isinstance(kind, type) and isinstance(value, kind)
