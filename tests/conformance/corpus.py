"""The corpus: its files, and the values that JSON cannot spell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

DEFAULT = Path(__file__).parents[2].parent / "shared" / "conformance"


def load(folder: Path) -> dict[str, dict[str, Any]]:
    """Read all scenarios of *folder*: id -> scenario, as written."""
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob("*.json")):
        file = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(file, dict) or "scenarios" not in file:
            continue
        assert file["format"] == 1, f"{path.name} has format {file['format']}"
        for scenario in file["scenarios"]:
            assert scenario["id"] not in found, f"{scenario['id']} is there twice"
            found[scenario["id"]] = scenario
    return found


def decode(value: Any) -> Any:
    """Replace the spellings of values that JSON cannot spell by the values; what only `expect` knows stays."""
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        key, inner = next(iter(value.items()))
        match key:
            case "$repeat":
                text, times = inner
                return text * times
            case "$concat":
                # Halves of a surrogate pair that meet here are one character, as they are in JSON text.
                joined = "".join(decode(part) for part in inner)
                return joined.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
            case "$number":
                return json.loads(inner)
            case "$value":
                return _unspeakable(inner)
    return {key: decode(item) for key, item in value.items()}


def _unspeakable(name: str) -> Any:
    match name:
        case "nan":
            return float("nan")
        case "infinity":
            return float("inf")
        case "negative_zero":
            return -0.0
        case "opaque":
            return object()
        case "nothing":
            return msgspec.UNSET  # Python's None is JSON's null; this is its value for the absence of one
        case "cycle":
            cycle: dict[str, Any] = {}
            cycle["self"] = cycle
            return cycle
    raise AssertionError(f"the corpus has no value {name}")


def has_lone_surrogate(value: Any) -> bool:
    """Say whether a text in *value*, as a scenario spells it, has no UTF-8 form."""
    if isinstance(value, str):
        return any("\ud800" <= each <= "\udfff" for each in value)
    if isinstance(value, list):
        return any(map(has_lone_surrogate, value))
    if isinstance(value, dict):
        if set(value) & {"$repeat", "$concat"}:
            return has_lone_surrogate(decode(value))
        return any(has_lone_surrogate(item) for pair in value.items() for item in pair)
    return False
