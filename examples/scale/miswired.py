"""`git_inspect` as one mis-wires it: `repo` is declared, and reaches no step, since the steps read `options`."""

from __future__ import annotations

import attrs

from capdeco import Step, capability, operation
from examples.scale.git import git_log, git_status
from examples.scale.operations import RepoId


@attrs.frozen
class InspectOptions:
    limit: int = 5


@capability(id="git", description="Repositories: look at one, or bring it to its remote.")
class Git:
    @operation(steps=[Step(git_status, from_="options"), Step(git_log, from_="options")])
    def inspect(self, repo: RepoId, options: InspectOptions = InspectOptions()) -> None:
        """Show where a repository stands: status against its upstream, last commits."""
