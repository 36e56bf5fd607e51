"""The tools that public MCP servers list, as they list them, with bodies that only say that they were called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import attrs
import msgspec

from capdeco import Context
from capdeco.host.protocol import ToolSpec

DATA: Final = Path(__file__).with_name("data")

OPERATIONS: Final[tuple[Mapping[str, Any], ...]] = (
    {
        "id": "repo",
        "description": "A local repository.",
        "operations": [
            {
                "name": "review",
                "description": "Show what is not committed yet: status, unstaged and staged changes.",
                "parameters": {"repo_path": {"type": "string", "required": True}},
                "steps": [{"tool": "git_status"}, {"tool": "git_diff_unstaged"}, {"tool": "git_diff_staged"}],
            },
            {
                "name": "record",
                "description": "Stage files and commit them.",
                "parameters": {
                    "repo_path": {"type": "string", "required": True},
                    "files": {"type": "array", "items": {"type": "string"}, "required": True},
                    "message": {"type": "string", "required": True},
                },
                "steps": [{"tool": "git_add"}, {"tool": "git_commit"}],
            },
        ],
    },
    {
        "id": "files",
        "description": "Files in the allowed directories.",
        "operations": [
            {
                "name": "preview",
                "description": "Say what a file is, and read it.",
                "parameters": {"path": {"type": "string", "required": True}, "head": {"type": "number"}},
                "steps": [{"tool": "get_file_info"}, {"tool": "read_text_file"}],
            },
            {
                "name": "survey",
                "description": "Say what is in a directory, with sizes and with everything below it.",
                "parameters": {"path": {"type": "string", "required": True}},
                "steps": [{"tool": "list_directory_with_sizes"}, {"tool": "directory_tree"}],
            },
        ],
    },
    {
        "id": "project",
        "description": "A GitLab project.",
        "operations": [
            {
                "name": "propose",
                "description": "Open a branch and a merge request from it; the branch is named twice, as the API does.",
                "parameters": {
                    "project_id": {"type": "string", "required": True},
                    "branch": {"type": "string", "required": True},
                    "source_branch": {"type": "string", "required": True},
                    "target_branch": {"type": "string", "required": True},
                    "title": {"type": "string", "required": True},
                },
                "steps": [{"tool": "create_branch"}, {"tool": "create_merge_request"}],
            },
        ],
    },
)
"""Five operations over these tools, as data: what one might declare over servers that one does not own."""

QUERIES: Final = (
    ("what changed in the working tree but is not staged", "git_diff_unstaged"),
    ("history of commits", "git_log"),
    ("undo staging of all files", "git_reset"),
    ("switch to another branch", "git_checkout"),
    ("list branches that contain a commit", "git_branch"),
    ("download a web page", "fetch"),
    ("what time is it in Tokyo", "get_current_time"),
    ("translate a meeting time to another time zone", "convert_time"),
    ("last lines of a text file", "read_text_file"),
    ("show an image", "read_media_file"),
    ("read many files at once", "read_multiple_files"),
    ("rename a file", "move_file"),
    ("find files whose name matches", "search_files"),
    ("how large is a file and when was it modified", "get_file_info"),
    ("make a new folder", "create_directory"),
    ("open a merge request", "create_merge_request"),
    ("report a bug in a project", "create_issue"),
    ("copy a project into my namespace", "fork_repository"),
    ("remember a fact about a person", "add_observations"),
    ("forget a person", "delete_entities"),
    ("what do I know about this person", "search_nodes"),
    ("think through a problem step by step", "sequentialthinking"),
    ("add two numbers", "get-sum"),
    ("environment variables of the server", "get-env"),
)
"""What somebody wants who has not read the listings, and the tool that it is; written before any was searched for."""


@attrs.frozen
class Server:
    name: str
    version: str
    tools: tuple[ToolSpec, ...]
    older: int
    """How many of them say that their schema is in another dialect than 2020-12."""


def servers() -> list[Server]:
    """Read the listings that are kept in `data`."""
    return [_server(msgspec.json.decode(file.read_bytes())) for file in sorted(DATA.glob("*.json"))]


def _server(listing: dict[str, Any]) -> Server:
    older = sum("$schema" in each["inputSchema"] for each in listing["tools"])
    return Server(listing["server"], listing["version"], tuple(map(_tool, listing["tools"])), older)


def _tool(entry: dict[str, Any]) -> ToolSpec:
    # draft-07 is said of schemas that mean the same in both dialects; the host takes 2020-12 only.
    schema = {key: value for key, value in entry["inputSchema"].items() if key != "$schema"}
    return ToolSpec(
        name=entry["name"],
        description=entry["description"],
        input_schema=schema,
        body=_stand_in(entry["name"]),
    )


def _stand_in(name: str) -> Callable[[dict[str, Any], Context], Any]:
    async def body(arguments: dict[str, Any], context: Context) -> Any:
        return {"called": name}

    return body
