"""The service behind the pool: records by kind and id, over loopback TCP. No tool has another way to the data."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any, Final, Protocol, TypeVar

import attrs
import msgspec

from capdeco import Context, ToolError

HOST: Final = "127.0.0.1"
LINE_LIMIT: Final = 1 << 20  # bytes of one request or reply


class Record(Protocol):
    """One thing in the world. Its id says what it is, and nothing of where it is: `D-204` is no path."""

    @property
    def id(self) -> str: ...


R = TypeVar("R", bound=Record)


@attrs.frozen
class Request:
    verb: str
    kind: str
    id: str = ""
    value: Any = None


@attrs.frozen
class Store:
    """The client: a connection per request, since nothing here is in a hurry."""

    port: int

    async def get(self, kind: type[R], id: str) -> R:
        """Fetch one record.

        Raises:
            ToolError: there is none, code NOT_FOUND.
        """
        found = await self._ask(Request("get", kind.__name__, id))
        if found == b"null":
            raise ToolError(f"there is no {kind.__name__.lower()} {id}", code="NOT_FOUND")
        return msgspec.json.decode(found, type=kind)

    async def all(self, kind: type[R]) -> list[R]:
        """Fetch every record of a kind, in order of id."""
        return msgspec.json.decode(await self._ask(Request("all", kind.__name__)), type=list[kind])  # type: ignore[valid-type]  # a runtime type

    async def put(self, record: Record) -> None:
        """Store a record in place of the one with its id."""
        await self._ask(Request("put", type(record).__name__, record.id, record))

    async def drop(self, record: Record) -> None:
        await self._ask(Request("drop", type(record).__name__, record.id))

    async def _ask(self, request: Request) -> bytes:
        reader, writer = await asyncio.open_connection(HOST, self.port, limit=LINE_LIMIT)
        try:
            writer.write(msgspec.json.encode(request) + b"\n")
            return (await reader.readline()).rstrip(b"\n")
        finally:
            writer.close()
            await writer.wait_closed()


@asynccontextmanager
async def serving(records: Iterable[Record]) -> AsyncIterator[Store]:
    """Serve *records* on a free port; what tools write is gone when it ends."""
    kinds: dict[str, dict[str, Any]] = {}
    for record in records:
        kinds.setdefault(type(record).__name__, {})[record.id] = msgspec.to_builtins(record)

    def answer(request: Request) -> object:
        table = kinds.setdefault(request.kind, {})
        match request.verb:
            case "get":
                return table.get(request.id)
            case "all":
                return [table[id] for id in sorted(table)]
            case "put":
                table[request.id] = request.value
            case "drop":
                table.pop(request.id, None)
        return None

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = msgspec.json.decode(await reader.readline(), type=Request)
        writer.write(msgspec.json.encode(answer(request)) + b"\n")
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(serve, HOST, 0, limit=LINE_LIMIT)
    async with server:
        yield Store(server.sockets[0].getsockname()[1])


def store(context: Context) -> Store:
    """The store that a tool's host was given as its state."""
    found = context.state
    assert isinstance(found, Store), "run the pool on a host whose state is a Store"
    return found
