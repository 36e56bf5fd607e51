"""What went wrong, where, and what to do about it: the one record of a fault, and the exceptions that carry it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

import attrs

from capdeco.codes import Code


@attrs.frozen(order=True)
class Place:
    """A position in source text; line is 1-based, 0 when only the file is known."""

    file: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


@attrs.frozen
class Diagnostic:
    """One fault: its stable code, what is wrong, what to do, and where.

    Programs match on `code`; the wording may improve at any time.
    """

    code: Code
    what: str
    fix: str = ""
    place: Place | None = None
    subject: str = ""
    """The declaration at fault, as in `step 2 of pdf.analyze`; empty when `what` says it all."""
    rule: str = ""
    """Finer than the code and as stable: which rule was broken, as in `step-from`."""

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        subject = f"{self.subject}: " if self.subject else ""
        fix = f"\n  fix: {self.fix}" if self.fix else ""
        return f"{where}{subject}{self.what} [{self.code}]{fix}"

    def sort_key(self) -> tuple[str, int]:
        """Diagnostics are reported by place; those of one place in the order they were found."""
        return (self.place.file, self.place.line) if self.place else ("", 0)


class CapdecoError(Exception):
    """Base of all errors that capdeco raises; `diagnostics` says everything that was found, sorted by place."""

    diagnostics: tuple[Diagnostic, ...]

    def __init__(self, *diagnostics: Diagnostic) -> None:
        self.diagnostics = tuple(sorted(diagnostics, key=Diagnostic.sort_key))
        super().__init__(*self.diagnostics)

    def __str__(self) -> str:
        return "\n".join(map(str, self.diagnostics))


class DeclarationError(CapdecoError):
    """A declaration that is wrong in itself, whatever tools exist."""


class WiringError(CapdecoError):
    """Steps that do not fit the tools they name."""


class BindError(CapdecoError):
    """Declarations that this binder cannot register or load."""


class HostError(CapdecoError):
    """A host refused, or was asked for something that makes no sense."""


class AnalysisError(CapdecoError):
    """Source that cannot be read."""


class ToolError(Exception):
    """Raise it in a tool's body to fail the call with a code of your own.

    `details` are for programs and the audit; the model sees only the message and the code.
    """

    def __init__(self, message: str, code: str | None = None, details: Mapping[str, object] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.details: dict[str, object] | None = dict(details) if details else None


def near_misses(name: str, known: Iterable[str], limit: int = 3) -> list[str]:
    """Give the known names that *name* may have been meant for, closest first."""
    return difflib.get_close_matches(name, list(known), n=limit, cutoff=0.6)


def did_you_mean(name: str, known: Iterable[str], kind: str) -> str:
    """Say what to write instead of *name*: the near misses, else the choices there are."""
    choices = list(known)
    close = near_misses(name, choices)
    if close:
        return "did you mean " + " or ".join(f'"{each}"' for each in close) + "?"
    if not choices:
        return f"there are no {kind}"
    shown = ", ".join(sorted(choices)[:8]) + (f" and {len(choices) - 8} more" if len(choices) > 8 else "")
    return f"{kind}: {shown}"
