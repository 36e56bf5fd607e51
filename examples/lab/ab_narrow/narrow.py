"""The maker as a plugin with one tool: what `maker_check` declares as steps, written as one function."""

from __future__ import annotations

import attrs

from capdeco import tool
from examples.maker.plugin import Checked, Folder, plugin_check, plugin_vet
from examples.maker.review import Finding


@attrs.frozen
class Reviewed:
    """Whether a plugin conforms, and how to mend each thing that is wrong."""

    checked: Checked
    findings: list[Finding]


@tool(annotations={"read_only": True, "idempotent": True})
def maker_check(path: Folder) -> Reviewed:
    """Check a plugin, and say for everything that is wrong how to mend it."""
    return Reviewed(plugin_check(path), plugin_vet(path))
