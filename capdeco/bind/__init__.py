"""Binding: declarations become tools, join a host, all or nothing, and leave it exactly as it was."""
