"""Async tests run on anyio; those that hold for trio too say so."""

from __future__ import annotations

import pytest


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
