"""The `lab` extra: what to say when it is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from capdeco.codes import HOST
from capdeco.errors import CapdecoError, Diagnostic


@contextmanager
def needs_extra(module: str) -> Iterator[None]:
    """Import *module* inside of this, and a missing one is refused with the command that installs it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise CapdecoError(
            Diagnostic(HOST, f"capdeco.lab needs {module}", 'pip install "capdeco[lab]"', rule="extra")
        ) from None
