"""How a call ended: `Success` with a value, or `Failure` with a message; and `Content`, what a body may return."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import attrs
import msgspec

Block: TypeAlias = Mapping[str, Any]
"""One content block for the model, in MCP's words: `{"type": "text", "text": ...}`, `image`, `audio`, `resource_link`."""


@attrs.frozen
class Content:
    """A body's result with content blocks of its own beside the value, say an image."""

    value: Any
    blocks: Sequence[Block] = ()


@attrs.frozen(kw_only=True)
class Success:
    """A call that produced a value.

    The value is held as its canonical JSON, so every viewer decodes a copy of its own.
    """

    ok: Literal[True] = attrs.field(default=True, init=False)
    json: bytes
    content: tuple[Block, ...] = ()
    contexts: tuple[str, ...] = ()
    """Messages for the model that were attached to the result, in order."""
    concludes_turn: bool = False
    content_replaced: bool = False
    """Policy replaced the content: whoever hands the result on must not hand on the value."""

    @property
    def value(self) -> Any:
        """A fresh copy, each time."""
        return msgspec.json.decode(self.json)


@attrs.frozen(kw_only=True)
class Failure:
    """A call that produced none. Never raised: failures are results."""

    ok: Literal[False] = attrs.field(default=False, init=False)
    message: str
    code: str | None = None
    details: Mapping[str, Any] | None = None
    """For programs and the audit; never in the content."""
    content: tuple[Block, ...] = ()
    contexts: tuple[str, ...] = ()
