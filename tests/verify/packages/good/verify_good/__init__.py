"""A plugin in a package."""
