"""Lossless JSON: what has a JSON form that decodes to the same again, and the canonical bytes of it."""

from __future__ import annotations

import math
import re
import reprlib
import sys
from typing import Any, Final

import msgspec

_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder().decode
_NEGATIVE_ZERO: Final = re.compile(rb"-0(?:\.0+)?(?:[eE]|[^0-9.]|$)")


class NotLossless(Exception):
    """A value without a lossless JSON form; the message says where, and what is there."""


def to_json(value: Any, *, parts: bool = False) -> tuple[bytes, Any]:
    """Encode *value*, and give the bytes with a copy decoded from them.

    With *parts*, the value may hold `msgspec.Raw`: JSON that was checked and encoded before, and is not encoded again.

    Raises:
        NotLossless: somewhere in *value* is what JSON cannot say.
    """
    try:
        json = _encode(value)
        copy = _decode(json)
        # One comparison in C finds nearly everything: NaN becomes null, a tuple a list, bytes text, a key text.
        if b"-0.0" not in json and (_plain_around_parts(value) if parts else copy == value):
            return json, copy
    except Exception as error:  # noqa: BLE001 - foreign objects run their own code here, and may raise anything
        raise NotLossless(_fault(value, parts=parts) or f"has no JSON form ({type(error).__name__})") from None
    fault = _fault(value, parts=parts)
    if fault is None and parts and b"-0.0" in json:
        fault = _fault(copy)
    if fault is not None:
        raise NotLossless(fault)
    return json, copy


def from_json(json: bytes) -> Any:
    """Decode JSON that somebody else wrote.

    Raises:
        NotLossless: it is no JSON, or holds a number that has no lossless form.
    """
    try:
        value = _decode(json)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise NotLossless(f"is no JSON: {error}") from None
    if _NEGATIVE_ZERO.search(json):
        fault = _fault(value)
        if fault is not None:
            raise NotLossless(fault)
    return value


_LEAVES: Final = frozenset({str, int, bool, type(None), msgspec.Raw})


def _plain_around_parts(value: Any) -> bool:
    """Say whether *value*, which could be encoded, is plain JSON around its parts; `False` only asks to look closer."""
    pending = [value]
    for each in pending:
        if type(each) is dict:
            if not all(type(key) is str for key in each):
                return False
            pending += [item for item in each.values() if type(item) not in _LEAVES]
        elif type(each) is list:
            pending += [item for item in each if type(item) not in _LEAVES]
        elif type(each) not in _LEAVES:
            return False
    return True


def _fault(value: Any, *, parts: bool = False) -> str | None:
    """Find the first thing in *value* that JSON cannot say, and say where it is."""
    try:
        return _fault_at(value, "", set(), parts)
    except RecursionError:
        return "is nested too deeply"


def _fault_at(value: Any, path: str, above: set[int], parts: bool) -> str | None:
    at = f"{path[1:]}: " if path.startswith(".") else f"{path}: " if path else ""
    if value is None or value is True or value is False:
        return None
    if isinstance(value, str):
        return None if _has_utf8(value) else f"{at}half a surrogate pair has no UTF-8 form"
    if isinstance(value, float):
        if not math.isfinite(value):
            return f"{at}{value} is no JSON number"
        return f"{at}negative zero is no JSON number" if value == 0 and math.copysign(1, value) < 0 else None
    if isinstance(value, int):
        return None if _has_digits(value) else f"{at}an integer of more than {sys.get_int_max_str_digits()} digits"
    if isinstance(value, msgspec.Raw) and parts:
        return None
    if not isinstance(value, dict | list):
        return f"{at}{type(value).__name__} has no JSON form"
    if id(value) in above:
        return f"{at}an object that contains itself has no JSON form"
    above.add(id(value))
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(key, str):
            if not _has_utf8(key):
                return f"{at}half a surrogate pair in a key has no UTF-8 form"
        elif isinstance(value, dict):
            return f"{at}the key {reprlib.repr(key)} is no text"
        fault = _fault_at(item, f"{path}.{clipped(key)}" if isinstance(key, str) else f"{path}[{key}]", above, parts)
        if fault is not None:
            return fault
    above.discard(id(value))
    return None


def _has_digits(number: int) -> bool:
    """Python turns no integer into text that is longer than its limit, since that takes quadratic time."""
    try:
        str(number)
    except ValueError:
        return False
    return True


def _has_utf8(text: str) -> bool:
    try:
        text.isascii() or text.encode()
    except UnicodeEncodeError:
        return False
    return True


_LONGEST: Final = 100


def clipped(name: str) -> str:
    """Give a name as a message may say it: what it was given for a name can be of any length."""
    return name if len(name) <= _LONGEST else f"{name[:_LONGEST]}…"


def readable(text: str) -> str:
    """Give *text* with what has no UTF-8 form escaped, so that any exception's message can be handed on."""
    return text if _has_utf8(text) else text.encode("utf-8", "backslashreplace").decode()
