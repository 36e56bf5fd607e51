"""A host of one's own: the four methods that capdeco asks for, over a dictionary, with one guard as its policy."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Mapping
from typing import Any

import attrs
import msgspec

from capdeco import Binder, Call, Failure, Host, Step, Success, capability, operation, tool
from capdeco.host.protocol import Registration, Scope, ToolSpec
from capdeco.host.registration import Undo
from capdeco.host.signal import Signal


class DictHost:
    """One layer, no scopes; whoever is not on the list is denied, directly or as a step."""

    def __init__(self, *, allowed: set[str]) -> None:
        self._tools: dict[str, ToolSpec] = {}
        self._allowed = allowed

    def register(self, *tools: ToolSpec, scope: Scope | None = None) -> Registration:
        self._tools |= {tool.name: tool for tool in tools}
        return Undo(lambda: [self._tools.pop(tool.name, None) for tool in tools])

    def lookup(self, name: str, scope: Scope | None = None) -> ToolSpec | None:
        return self._tools.get(name)

    def catalog(self, scope: Scope | None = None) -> Mapping[str, ToolSpec]:
        return {name: tool for name, tool in self._tools.items() if tool.expose}

    async def invoke(self, call: Call, parent: DictContext | None = None) -> Success | Failure:
        spec = self._tools.get(call.name)
        if spec is None or (not spec.expose and parent is None):
            return Failure(message=f"there is no tool {call.name}", code="UNKNOWN_TOOL")
        if call.name not in self._allowed:
            return Failure(message=f"{call.name} is not allowed here")
        context = DictContext(self, call.call_id or call.name, parent)
        try:
            found = spec.body(dict(call.arguments), context)
            value = await found if inspect.isawaitable(found) else found
        except Exception as error:  # noqa: BLE001 - a tool may raise anything; a host answers with a failure
            return Failure(message=str(error))
        json = msgspec.json.encode(value)
        return Success(json=json, content=({"type": "text", "text": json.decode()},))


@attrs.define
class DictContext:
    """What a running body gets; nested dispatch goes through the same `invoke`."""

    _host: DictHost
    call_id: str
    _parent: DictContext | None = None
    scope: Scope | None = None
    signal: Signal = attrs.field(factory=Signal)
    state: Any = None

    @property
    def root_id(self) -> str:
        return self._parent.root_id if self._parent else self.call_id

    @property
    def nested(self) -> bool:
        return self._parent is not None

    @property
    def cancelled(self) -> bool:
        return self.signal.is_set

    async def call(self, name: str, /, **arguments: Any) -> Success | Failure:
        return await self.dispatch(name, arguments)

    async def dispatch(
        self, name: str, arguments: Mapping[str, Any] | bytes, *, call_id: str | None = None
    ) -> Success | Failure:
        decoded = msgspec.json.decode(arguments) if isinstance(arguments, bytes) else arguments
        return await self._host.invoke(Call(name, decoded, call_id=call_id), self)

    def progress(self, done: float, total: float | None = None, message: str | None = None) -> None: ...

    def defer(self, text: str) -> None: ...

    def conclude(self) -> None: ...


@tool(expose=False)
def note_find(word: str) -> list[str]:
    """Find the notes that hold a word."""
    return [f"a note on {word}"]


@capability(id="notes", description="The keeper's notes.")
@operation(steps=[Step(note_find)])
def review(word: str) -> None:
    """Find the notes on a subject."""


async def main() -> None:
    host: Host = DictHost(allowed={"notes_review"})
    with Binder(host) as binder:
        binder.register(note_find, review)
        result = await host.invoke(Call("notes_review", {"word": "tide"}))
        # The operation may run, its step may not: an operation adds no authority.
        print(result.value["error"] if result.ok else result.message)


if __name__ == "__main__":
    asyncio.run(main())
