"""Needs a file that no clean machine has; and json is what raises, not this file."""

import json

SETTINGS = "{"


def setup(binder: object, options: object) -> None:
    """Read the settings."""
    read_settings()


def read_settings() -> object:
    """Raise, two frames below the line at fault."""
    return json.loads(SETTINGS)
