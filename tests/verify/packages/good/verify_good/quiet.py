"""A plugin that declares nothing, and so adds nothing to the model's view."""

from collections.abc import Mapping


def setup(binder: object, options: Mapping[str, object]) -> None:
    """Take no options."""
    if options:
        raise ValueError(f"quiet takes no options, and was given {options}")
