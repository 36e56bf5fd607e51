"""How a call ended: `Success` with a value, or `Failure` with a message; and `Content`, what a body may return."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import attrs
import msgspec

Block: TypeAlias = Mapping[str, Any]
"""One content block for the model, in MCP's words: `{"type": "text", "text": ...}`, `image`, `audio`, `resource`."""


@attrs.frozen
class Content:
    """A body's result with content blocks of its own, say an image; they follow the rendering of the value."""

    value: Any
    blocks: Sequence[Block] = ()


def _blocks(blocks: bytes | Iterable[Block] | None) -> bytes | None:
    return blocks if blocks is None or isinstance(blocks, bytes) else msgspec.json.encode(list(blocks))


def _details(details: bytes | Mapping[str, Any] | None) -> bytes | None:
    return details if details is None or isinstance(details, bytes) else msgspec.json.encode(details, enc_hook=repr)


@attrs.frozen(kw_only=True)
class Success:
    """A call that produced a value.

    Value and content are held as canonical JSON, so every viewer decodes a copy of its own and can change no other.
    """

    ok: Literal[True] = attrs.field(default=True, init=False)
    json: bytes
    _content: bytes | None = attrs.field(default=None, converter=_blocks)
    contexts: tuple[str, ...] = ()
    """Messages for the model that were attached to the result, in order."""
    concludes_turn: bool = False
    content_replaced: bool = False
    """Policy replaced the content: whoever hands the result on must not hand on the value."""

    @property
    def value(self) -> Any:
        """A fresh copy, each time."""
        return msgspec.json.decode(self.json)

    @property
    def content(self) -> tuple[Block, ...]:
        """The content blocks, a fresh copy each time: unless something else was said, the value as one text block."""
        if self._content is not None:
            return tuple(msgspec.json.decode(self._content))
        return ({"type": "text", "text": self.text},)

    @property
    def text(self) -> str:
        """The text blocks of the content, line by line."""
        if self._content is not None:
            return _text_of(self._content)
        return msgspec.json.decode(self.json, type=str) if self.json[:1] == b'"' else self.json.decode()


@attrs.frozen(kw_only=True)
class Failure:
    """A call that produced none. Never raised: failures are results."""

    ok: Literal[False] = attrs.field(default=False, init=False)
    message: str
    code: str | None = None
    _details: bytes | None = attrs.field(default=None, converter=_details)
    _content: bytes | None = attrs.field(default=None, converter=_blocks)
    contexts: tuple[str, ...] = ()

    @property
    def details(self) -> Mapping[str, Any] | None:
        """For programs and the audit; never in the content. A fresh copy, each time."""
        return None if self._details is None else msgspec.json.decode(self._details)

    @property
    def content(self) -> tuple[Block, ...]:
        """The content blocks, a fresh copy each time: unless something else was said, the message as one text block."""
        if self._content is not None:
            return tuple(msgspec.json.decode(self._content))
        return ({"type": "text", "text": self.text},)

    @property
    def text(self) -> str:
        """The text blocks of the content, line by line."""
        return f"Error: {self.message}" if self._content is None else _text_of(self._content)


def _text_of(blocks: bytes) -> str:
    return text_of(msgspec.json.decode(blocks))


def text_of(blocks: Iterable[Block]) -> str:
    """Join the text of the text blocks, line by line; blocks of other types are passed over."""
    return "\n".join(
        block["text"] for block in blocks if block.get("type") == "text" and isinstance(block.get("text"), str)
    )
