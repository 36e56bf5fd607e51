"""What is declared over the two plugins, by somebody who does not touch them."""

from __future__ import annotations

from typing import Annotated

from capdeco import Doc, Step, capability, operation
from examples.maker.plugin import Folder, plugin_check, plugin_vet
from examples.trajectory.plugin import AuditFile, Query, audit_find, audit_window


@capability(id="maker", description="Make a plugin that conforms.")
class Maker:
    @operation(steps=[Step(plugin_check), Step(plugin_vet)])
    def check(self, path: Folder) -> None:
        """Check a plugin, and say for everything that is wrong how to mend it."""


@capability(id="trajectory", description="What was called, and how it went.")
class Trajectory:
    @operation(steps=[Step(audit_find), Step(audit_window)])
    def locate(
        self,
        path: AuditFile,
        query: Query,
        before: Annotated[int, Doc("Lines before the first match.")] = 2,
        after: Annotated[int, Doc("Lines after it.")] = 2,
    ) -> None:
        """Find what an audit says about something, with the lines around the first match."""
