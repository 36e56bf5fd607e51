"""A docstring's parameter section: what it says of each parameter, and the docstring without it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from typing import Final

import attrs


@attrs.frozen
class Docstring:
    """A docstring, taken apart."""

    description: str
    """All but the parameter sections, dedented, otherwise verbatim."""
    parameters: Mapping[str, str] = attrs.field(factory=dict)
    """Name -> description."""


def read_docstring(text: str) -> Docstring:
    """Take the parameter sections out: Google's `Args:`, NumPy's underlined `Parameters`, Sphinx's `:param x:`."""
    lines = inspect.cleandoc(text).splitlines()
    kept: list[str] = []
    parameters: dict[str, str] = {}
    start = 0
    for begin, end, style in _sections(lines):
        found = _parsed(lines[begin:end], style)
        if begin < start or not found:
            continue  # prose under a heading that looks like ours
        kept += lines[start:begin]
        parameters |= found
        start = end
        # The blank lines around a section that goes are one gap.
        while start < len(lines) and not lines[start].strip() and (not kept or not kept[-1].strip()):
            start += 1
    return Docstring("\n".join(kept + lines[start:]).strip("\n"), parameters)


_NAMES: Final = r"(?:Args|Arguments|Params|Parameters|Other Parameters|Keyword Args|Keyword Arguments)"
_GOOGLE: Final = re.compile(_NAMES + r":\s*")
_NUMPY: Final = re.compile(_NAMES)
_UNDERLINE: Final = re.compile(r"-{3,}\s*|={3,}\s*")
_SPHINX: Final = re.compile(r":(param|parameter|arg|argument|key|keyword|type)\s+[^:]+:")


def _sections(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """Find what may be sections: first line, line after the last, style."""
    number = -1
    while (number := number + 1) < len(lines):
        line = lines[number]
        if _GOOGLE.fullmatch(line):
            yield number, _indented_until(lines, number + 1), "google"
        elif _NUMPY.fullmatch(line.rstrip()) and number + 1 < len(lines) and _UNDERLINE.fullmatch(lines[number + 1]):
            yield number, _next_heading(lines, number + 2), "numpy"
        elif _SPHINX.match(line):
            end = _indented_until(lines, number + 1)
            while end < len(lines) and _SPHINX.match(lines[end]):
                end = _indented_until(lines, end + 1)
            yield number, end, "sphinx"
            number = end - 1


def _indented_until(lines: list[str], number: int) -> int:
    """The block goes on while lines are indented or blank; blank ones at its end are not part of it."""
    end = number
    while number < len(lines) and (not lines[number].strip() or lines[number][0].isspace()):
        number += 1
        if lines[number - 1].strip():
            end = number
    return end


def _next_heading(lines: list[str], number: int) -> int:
    while number < len(lines) and not (number + 1 < len(lines) and _UNDERLINE.fullmatch(lines[number + 1])):
        number += 1
    return number


def _parsed(lines: list[str], style: str) -> dict[str, str]:
    from docstring_parser import DocstringStyle, ParseError, parse  # noqa: PLC0415 - only where there is a section

    heading, known = {
        "google": (["Args:"], DocstringStyle.GOOGLE),
        "numpy": (["Parameters"], DocstringStyle.NUMPYDOC),
        "sphinx": (lines[:1], DocstringStyle.REST),
    }[style]
    try:
        # A summary first: the parser takes the indentation of the second line for that of the whole text.
        found = parse("\n".join(["Summary.", "", *heading, *lines[1:]]), style=known)
    except ParseError:
        return {}
    return {
        name.strip().lstrip("*"): (each.description or "").strip()
        for each in found.params
        for name in each.arg_name.split(",")  # NumPy's `x, y : int`
    }
