"""Depends on what nobody offers."""
