"""Checking before anything runs: the mypy plugin, and the analyzer of source."""
