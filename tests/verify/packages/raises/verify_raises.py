"""Needs a variable that no clean machine has; what raises is the standard library, what is at fault is this file."""

import os


def setup(binder: object, options: object) -> None:
    """Read the token."""
    read_token()


def read_token() -> str:
    """Raise on a clean machine."""
    return os.environ["VERIFY_TOKEN"]
