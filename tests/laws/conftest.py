"""How long the laws are searched for a counterexample: `make fuzz` looks longer."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("laws", deadline=None, max_examples=60, stateful_step_count=20)
settings.register_profile("fuzz", deadline=None, max_examples=3_000, stateful_step_count=60)
settings.load_profile("laws")
