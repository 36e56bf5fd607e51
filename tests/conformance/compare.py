"""Comparing what was observed with what is expected, and the two decisions that concern texts alone (D4, D17)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tests.conformance.replay import compact

MARKER = "…[+truncated]"
LIMITS = (2000, 600)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")


class Comparison:
    """Collects the differences, and the decisions by which something that differs is right."""

    def __init__(self) -> None:
        self.differences: list[str] = []
        self.decisions: set[str] = set()

    def result(self, expected: Mapping[str, Any], observed: Mapping[str, Any], path: str) -> None:
        """Compare the result of a call, without its trace."""
        for key in ("is_error", "value", "error", "contexts", "concludes_turn"):
            self.presence(key, expected, observed, path)
        content = expected.get("content")
        first = content[0] if isinstance(content, list) and content else content
        if first == "json_of_value":
            # Free texts are compared with `value`; here the text must be that value's JSON, its keys in order.
            more = content[1:] if isinstance(content, list) else []
            content = [{"type": "text", "text": compact(observed.get("value"))}, *more]
            self.order(expected.get("value"), observed.get("value"), f"{path}.value")
        elif content == "error_text":
            content = [{"type": "text", "text": f"Error: {observed.get('error', {}).get('message')}"}]
        self.value(content, observed["content"], f"{path}.content")

    def presence(self, key: str, expected: Mapping[str, Any], observed: Mapping[str, Any], path: str) -> None:
        """Compare one key that may be absent, and then must be."""
        if (key in expected) != (key in observed):
            have = "is missing" if key in expected else f"is there: {observed[key]!r}"
            self.differences.append(f"{path}.{key} {have}")
        elif key in expected:
            self.value(expected[key], observed[key], f"{path}.{key}")

    def value(self, expected: Any, observed: Any, path: str) -> None:
        """Compare JSON values; numbers by value, texts as the decisions allow."""
        if isinstance(expected, Mapping) and set(expected) == {"$message"}:
            self.message(expected["$message"], observed, path)
        elif isinstance(expected, Mapping) and isinstance(observed, Mapping):
            for key in {**expected, **observed}:
                if isinstance(expected.get(key), Mapping) and set(expected[key]) == {"$json_of"}:
                    self.text(compact(observed.get(expected[key]["$json_of"])), observed.get(key), f"{path}.{key}")
                else:
                    self.presence(key, expected, observed, path)
        elif isinstance(expected, list) and isinstance(observed, list) and len(expected) == len(observed):
            for index, (one, other) in enumerate(zip(expected, observed, strict=True)):
                self.value(one, other, f"{path}[{index}]")
        elif isinstance(expected, str) and isinstance(observed, str):
            self.text(expected, observed, path)
        elif expected != observed or isinstance(expected, bool) != isinstance(observed, bool):
            self.differences.append(f"{path} is {shown(observed)}, not {shown(expected)}")

    def message(self, names: list[str], observed: Any, path: str) -> None:
        """Compare a text of free wording."""
        if not isinstance(observed, str) or not observed.strip():
            self.differences.append(f"{path} says nothing: {observed!r}")
            return
        for name in names:
            if name not in observed:
                self.differences.append(f"{path} does not mention {name!r}: {shown(observed)}")

    def text(self, expected: str, observed: Any, path: str) -> None:
        """Compare texts word for word, but for the budget's unit and the spelling of numbers."""
        if expected == observed:
            return
        if isinstance(observed, str) and _cut_by_code_points(expected, observed):
            self.decisions.add("D4")
        elif isinstance(observed, str) and _numbers(expected) == _numbers(observed):
            self.decisions.add("D17")
        else:
            self.differences.append(f"{path} is {shown(observed)}, not {shown(expected)}")

    def order(self, expected: Any, observed: Any, path: str) -> None:
        """Compare the order of keys, which only matters where a value is rendered as text."""
        if isinstance(expected, Mapping) and isinstance(observed, Mapping):
            if not {"$message", "$json_of"} & set(expected) and list(expected) != list(observed):
                self.differences.append(f"the keys of {path} are {list(observed)}, not {list(expected)}")
            for key in expected:
                self.order(expected[key], observed.get(key), f"{path}.{key}")
        elif isinstance(expected, list) and isinstance(observed, list):
            for index, (one, other) in enumerate(zip(expected, observed, strict=False)):
                self.order(one, other, f"{path}[{index}]")


def _cut_by_code_points(expected: str, observed: str) -> bool:
    """D4: the recorded host counts UTF-16 units and may leave half a pair; we count characters."""
    if not expected.endswith(MARKER):
        return False
    kept = expected.removesuffix(MARKER)
    if len(kept.encode("utf-16-le", "surrogatepass")) // 2 not in LIMITS:
        return False
    kept = kept[:-1] if kept and "\ud800" <= kept[-1] <= "\udfff" else kept
    if not observed.startswith(kept) or not any(ord(each) > 0xFFFF for each in observed):
        return False
    if observed.endswith(MARKER):
        return len(observed) - len(MARKER) in LIMITS
    return len(observed) <= max(LIMITS)


def _numbers(text: str) -> str:
    """D17: the number is compared, not its spelling."""
    return NUMBER.sub(lambda found: repr(float(found[0])), text)


def shown(value: Any) -> str:
    text = ascii(value)
    return text if len(text) <= 400 else f"{text[:400]}…"
