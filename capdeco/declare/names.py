"""What may be called what: the naming rules, for every reader."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_IDENTIFIER: Final = re.compile(r"[a-z][a-z0-9_]*")
_TOOL_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
RESERVED: Final = "run_code"
"""Hosts that run generated code keep this name for themselves."""


def identifier_fault(name: object, what: str) -> str | None:
    """Say why *name* cannot be a capability id or an operation name; `None` if it can. *what* names it."""
    if isinstance(name, str) and _IDENTIFIER.fullmatch(name):
        return None
    return f"{what} must match [a-z][a-z0-9_]* (ASCII, the whole string), not {quoted(name)}"


def tool_name_fault(name: object) -> str | None:
    """Say why *name* cannot be a tool's; `None` if it can."""
    if not isinstance(name, str) or not _TOOL_NAME.fullmatch(name):
        return f"a tool name is 1 to 64 of [A-Za-z0-9_-] (ASCII, the whole string), not {quoted(name)}"
    if name == RESERVED:
        return f'the tool name "{RESERVED}" is reserved by hosts'
    return None


def quoted(name: object) -> str:
    """Quote a name as it is, so that a person and a program find it again in the message."""
    return f'"{name}"' if isinstance(name, str) else repr(name)


def generated_name(capability: str, operation: str) -> str:
    """Give the name of the tool that an operation becomes."""
    return f"{capability}_{operation}"


def is_blank(text: object) -> bool:
    """Tell whether *text* is no text, or has no character that a reader would see."""
    return not isinstance(text, str) or not any(_visible(character) for character in text)


_BLANK_LETTERS: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and symbols by category that nobody can see."""


def _visible(character: str) -> bool:
    # Categories: Z separators, C control, format, surrogate, private use and unassigned.
    return unicodedata.category(character)[0] not in "ZC" and character not in _BLANK_LETTERS
