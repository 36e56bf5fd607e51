"""Twenty tools on files."""

from __future__ import annotations

import hashlib
from typing import Annotated, Literal

import attrs

from capdeco import Context, Doc, tool
from examples.scale.hints import DESTROY, READ, WRITE
from examples.scale.store import store
from examples.scale.world import File

FileId = Annotated[str, Doc("Id of the file.")]
NewId = Annotated[str, Doc("Id that the new file gets.")]


@attrs.frozen
class FileInfo:
    file: str
    name: str
    folder: str
    bytes: int
    owner: str
    mode: str


@attrs.frozen
class Line:
    number: int
    text: str


async def _file(context: Context, file: str) -> File:
    return await store(context).get(File, file)


async def _save(context: Context, file: File) -> FileInfo:
    await store(context).put(file)
    return _info(file)


def _size(file: File) -> int:
    return sum(len(line.encode()) + 1 for line in file.lines)


def _info(file: File) -> FileInfo:
    return FileInfo(file.id, file.name, file.folder, _size(file), file.owner, file.mode)


@tool(annotations=READ)
async def fs_list(
    context: Context, folder: Annotated[str | None, Doc("Only files in this folder.")] = None
) -> list[FileInfo]:
    """List the files."""
    return [_info(each) for each in await store(context).all(File) if folder in (None, each.folder)]


@tool(annotations=READ)
async def fs_stat(context: Context, file: FileId) -> FileInfo:
    """Describe a file: its name, folder, size, owner and mode."""
    return _info(await _file(context, file))


@tool(annotations=READ)
async def fs_read(context: Context, file: FileId) -> list[str]:
    """Read a file, line by line."""
    return (await _file(context, file)).lines


@tool(annotations=READ)
async def fs_head(context: Context, file: FileId, lines: Annotated[int, Doc("How many.")] = 10) -> list[str]:
    """Read the first lines of a file."""
    return (await _file(context, file)).lines[:lines]


@tool(annotations=READ)
async def fs_tail(context: Context, file: FileId, lines: Annotated[int, Doc("How many.")] = 10) -> list[str]:
    """Read the last lines of a file."""
    return (await _file(context, file)).lines[-lines:]


@tool(annotations=READ)
async def fs_range(
    context: Context,
    file: FileId,
    first: Annotated[int, Doc("First line, from 1.")],
    last: Annotated[int, Doc("Last line, included.")],
) -> list[Line]:
    """Read a range of lines of a file."""
    found = (await _file(context, file)).lines
    return [Line(number, text) for number, text in enumerate(found, start=1) if first <= number <= last]


@tool(annotations=READ)
async def fs_search(
    context: Context,
    file: FileId,
    text: Annotated[str, Doc("What a line must hold.")],
    limit: Annotated[int, Doc("At most so many lines.")] = 50,
) -> list[Line]:
    """Find the lines of a file that hold a text."""
    lines = enumerate((await _file(context, file)).lines, start=1)
    return [Line(number, line) for number, line in lines if text in line][:limit]


@tool(annotations=READ)
async def fs_count(
    context: Context, file: FileId, text: Annotated[str, Doc("Count only lines that hold this.")] = ""
) -> int:
    """Count the lines of a file."""
    return sum(text in line for line in (await _file(context, file)).lines)


@tool(annotations=READ)
async def fs_find(context: Context, name: Annotated[str, Doc("Part of the file's name.")]) -> list[FileInfo]:
    """Find files by name."""
    return [_info(each) for each in await store(context).all(File) if name in each.name]


@tool(annotations=READ)
async def fs_usage(context: Context, folder: str | None = None) -> int:
    """Add up the bytes of the files in a folder, or of all."""
    return sum(_size(each) for each in await store(context).all(File) if folder in (None, each.folder))


@tool(annotations=READ)
async def fs_hash(context: Context, file: FileId, algorithm: Literal["sha1", "sha256"] = "sha256") -> str:
    """Compute the hash of a file."""
    return hashlib.new(algorithm, "\n".join((await _file(context, file)).lines).encode()).hexdigest()


@tool(annotations=WRITE)
async def fs_write(context: Context, file: NewId, name: str, lines: list[str]) -> FileInfo:
    """Write a new file."""
    return await _save(context, File(file, name, "daily", lines, "agent"))


@tool(annotations=WRITE)
async def fs_append(context: Context, file: FileId, lines: list[str]) -> FileInfo:
    """Append lines to a file."""
    found = await _file(context, file)
    return await _save(context, attrs.evolve(found, lines=[*found.lines, *lines]))


@tool(annotations=WRITE)
async def fs_copy(context: Context, file: FileId, to: NewId) -> FileInfo:
    """Copy a file."""
    return await _save(context, attrs.evolve(await _file(context, file), id=to))


@tool(annotations=WRITE)
async def fs_move(
    context: Context, file: FileId, folder: str, name: Annotated[str | None, Doc("New name.")] = None
) -> FileInfo:
    """Move a file to another folder, or rename it."""
    found = await _file(context, file)
    return await _save(context, attrs.evolve(found, folder=folder, name=name or found.name))


@tool(annotations=DESTROY)
async def fs_delete(context: Context, file: FileId) -> FileInfo:
    """Delete a file."""
    found = await _file(context, file)
    await store(context).drop(found)
    return _info(found)


@tool(annotations=WRITE)
async def fs_mode(context: Context, file: FileId, mode: Annotated[str, Doc("As rw-r-----.")]) -> FileInfo:
    """Change who may do what with a file."""
    return await _save(context, attrs.evolve(await _file(context, file), mode=mode))


@tool(annotations=WRITE)
async def fs_owner(context: Context, file: FileId, owner: str) -> FileInfo:
    """Give a file to somebody else."""
    return await _save(context, attrs.evolve(await _file(context, file), owner=owner))


@tool(annotations=READ)
async def fs_compare(
    context: Context, file: FileId, other: Annotated[str, Doc("Id of the file to compare with.")]
) -> list[Line]:
    """List the lines of a file that another does not have."""
    one, two = await _file(context, file), await _file(context, other)
    known = set(two.lines)
    return [Line(number, line) for number, line in enumerate(one.lines, start=1) if line not in known]


@tool(annotations=WRITE)
async def fs_replace(
    context: Context, file: FileId, old: str, new: str, dry_run: Annotated[bool, Doc("Only count.")] = False
) -> int:
    """Replace a text in a file, and say in how many lines."""
    found = await _file(context, file)
    if not dry_run:
        await store(context).put(attrs.evolve(found, lines=[line.replace(old, new) for line in found.lines]))
    return sum(old in line for line in found.lines)
