"""The three kinds of tool in the pool, as hints to clients."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

READ: Final[Mapping[str, bool]] = MappingProxyType({"read_only": True, "idempotent": True})
WRITE: Final[Mapping[str, bool]] = MappingProxyType({"read_only": False})
DESTROY: Final[Mapping[str, bool]] = MappingProxyType({"read_only": False, "destructive": True})
