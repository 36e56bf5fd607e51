"""Twenty tools on repositories."""

from __future__ import annotations

from typing import Annotated, Literal

import attrs

from capdeco import Context, Doc, ToolError, tool
from examples.scale.hints import DESTROY, READ, WRITE
from examples.scale.store import store
from examples.scale.world import WORKSPACE_REPO, Change, Commit, Repository

Repo = Annotated[str | None, Doc("Id of the repository; the workspace's own if left out.")]


@attrs.frozen
class Status:
    repo: str
    branch: str
    ahead: int
    behind: int
    diverged: bool
    changes: list[Change]


@attrs.frozen
class Blamed:
    line: int
    author: str
    commit: str


@attrs.frozen
class Branch:
    name: str
    current: bool


async def _repo(context: Context, repo: str | None) -> Repository:
    return await store(context).get(Repository, repo if repo is not None else WORKSPACE_REPO)


async def _save(context: Context, repo: Repository) -> Status:
    await store(context).put(repo)
    return _status(repo)


def _status(repo: Repository) -> Status:
    return Status(repo.id, repo.branch, repo.ahead, repo.behind, bool(repo.ahead and repo.behind), repo.changes)


def _known(name: str, names: list[str]) -> str:
    if name not in names:
        raise ToolError(f"there is no {name}; there are {', '.join(names)}", code="NOT_FOUND")
    return name


@tool(annotations=READ)
async def git_status(context: Context, repo: Repo = None) -> Status:
    """Show the current branch, how far it is ahead of and behind its upstream, and what was changed."""
    return _status(await _repo(context, repo))


@tool(annotations=READ)
async def git_log(
    context: Context,
    repo: Repo = None,
    limit: Annotated[int, Doc("How many commits, newest first.")] = 10,
    author: Annotated[str | None, Doc("Only commits of this author.")] = None,
) -> list[Commit]:
    """List the commits of the current branch."""
    commits = (await _repo(context, repo)).commits
    return [each for each in commits if author is None or each.author == author][:limit]


@tool(annotations=READ)
async def git_show(context: Context, commit: Annotated[str, Doc("Hash of the commit.")], repo: Repo = None) -> Commit:
    """Show one commit with the files that it touches."""
    found = [each for each in (await _repo(context, repo)).commits if each.hash.startswith(commit)]
    if not found:
        raise ToolError(f"there is no commit {commit}", code="NOT_FOUND")
    return found[0]


@tool(annotations=READ)
async def git_diff(
    context: Context,
    repo: Repo = None,
    staged: Annotated[bool, Doc("Compare what is staged, not the working tree.")] = False,
) -> list[Change]:
    """Show the changes that are not committed yet."""
    return [each for each in (await _repo(context, repo)).changes if each.staged == staged]


@tool(annotations=READ)
async def git_blame(
    context: Context, path: Annotated[str, Doc("File in the repository.")], repo: Repo = None
) -> list[Blamed]:
    """Say for a file who last changed each of its lines."""
    commits = [each for each in (await _repo(context, repo)).commits if path in each.files]
    return [Blamed(line, each.author, each.hash) for line, each in enumerate(commits, start=1)]


@tool(annotations=READ)
async def git_branches(
    context: Context, repo: Repo = None, pattern: Annotated[str, Doc("Part of the branch's name.")] = ""
) -> list[Branch]:
    """List the local branches."""
    found = await _repo(context, repo)
    return [Branch(name, name == found.branch) for name in found.branches if pattern in name]


@tool(annotations=WRITE)
async def git_branch_create(context: Context, name: str, repo: Repo = None) -> Status:
    """Create a branch at the current commit; it is not switched to."""
    found = await _repo(context, repo)
    return await _save(context, attrs.evolve(found, branches=[*found.branches, name]))


@tool(annotations=DESTROY)
async def git_branch_delete(context: Context, name: str, repo: Repo = None) -> Status:
    """Delete a branch that is not the current one."""
    found = await _repo(context, repo)
    others = [each for each in found.branches if each not in (name, found.branch)]
    return await _save(context, attrs.evolve(found, branches=[found.branch, *others]))


@tool(annotations=WRITE)
async def git_checkout(context: Context, branch: str, repo: Repo = None) -> Status:
    """Switch to another branch."""
    found = await _repo(context, repo)
    return await _save(context, attrs.evolve(found, branch=_known(branch, found.branches)))


@tool(annotations=WRITE)
async def git_stage(
    context: Context, paths: Annotated[list[str], Doc("Files to stage; all of them if empty.")], repo: Repo = None
) -> Status:
    """Stage changes for the next commit."""
    found = await _repo(context, repo)
    changes = [attrs.evolve(each, staged=each.staged or not paths or each.path in paths) for each in found.changes]
    return await _save(context, attrs.evolve(found, changes=changes))


@tool(annotations=WRITE)
async def git_commit(context: Context, message: str, repo: Repo = None) -> Status:
    """Commit what is staged."""
    found = await _repo(context, repo)
    files = [each.path for each in found.changes if each.staged]
    if not files:
        raise ToolError("nothing is staged", code="NOTHING_STAGED")
    commit = Commit(f"{len(found.commits):07x}", "agent", found.commits[0].day + 1, message, files)
    rest = [each for each in found.changes if not each.staged]
    return await _save(
        context, attrs.evolve(found, commits=[commit, *found.commits], changes=rest, ahead=found.ahead + 1)
    )


@tool(annotations=WRITE)
async def git_fetch(context: Context, repo: Repo = None, remote: str = "origin") -> Status:
    """Ask a remote for its new commits, without merging them."""
    found = await _repo(context, repo)
    _known(remote, list(found.remotes))
    return _status(found)


@tool(annotations=WRITE)
async def git_pull(context: Context, repo: Repo = None, remote: str = "origin") -> Status:
    """Fetch from a remote and merge into the current branch."""
    found = await _repo(context, repo)
    _known(remote, list(found.remotes))
    return await _save(context, attrs.evolve(found, behind=0))


@tool(annotations=WRITE)
async def git_push(
    context: Context,
    repo: Repo = None,
    remote: str = "origin",
    force: Annotated[bool, Doc("Overwrite what the remote has.")] = False,
) -> Status:
    """Send the current branch's commits to a remote."""
    found = await _repo(context, repo)
    _known(remote, list(found.remotes))
    if found.behind and not force:
        raise ToolError(f"rejected: {remote} is {found.behind} commits further", code="NOT_FAST_FORWARD")
    return await _save(context, attrs.evolve(found, ahead=0, behind=0))


@tool(annotations=WRITE)
async def git_merge(context: Context, branch: str, repo: Repo = None) -> Status:
    """Merge a branch into the current one."""
    found = await _repo(context, repo)
    _known(branch, found.branches)
    return await _save(context, attrs.evolve(found, ahead=found.ahead + 1))


@tool(annotations=DESTROY)
async def git_rebase(
    context: Context, onto: Annotated[str, Doc("Branch to replay the commits on.")], repo: Repo = None
) -> Status:
    """Replay the current branch's own commits on another branch."""
    found = await _repo(context, repo)
    _known(onto, found.branches)
    return await _save(context, attrs.evolve(found, behind=0))


@tool(annotations=WRITE)
async def git_stash(context: Context, repo: Repo = None, message: str = "work in progress") -> Status:
    """Put the uncommitted changes aside."""
    found = await _repo(context, repo)
    return await _save(context, attrs.evolve(found, stashes=[message, *found.stashes], changes=[]))


@tool(annotations=WRITE)
async def git_reset(
    context: Context,
    commit: Annotated[str, Doc("Commit to go back to.")],
    mode: Literal["hard", "mixed", "soft"] = "mixed",
    repo: Repo = None,
) -> Status:
    """Move the current branch to another commit."""
    found = await _repo(context, repo)
    hashes = [each.hash for each in found.commits]
    kept = found.commits[hashes.index(_known(commit, hashes)) :]
    changes = [] if mode == "hard" else found.changes
    return await _save(context, attrs.evolve(found, commits=kept, changes=changes))


@tool(annotations=READ)
async def git_tags(context: Context, repo: Repo = None) -> list[str]:
    """List the tags, newest first."""
    return (await _repo(context, repo)).tags[::-1]


@tool(annotations=READ)
async def git_remotes(context: Context, repo: Repo = None) -> dict[str, str]:
    """List the remotes with their addresses."""
    return (await _repo(context, repo)).remotes
