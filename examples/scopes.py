"""A scope is a layer over the global one, in practice one agent's: with tools and masks that end with it."""

import asyncio

from capdeco import Binder, Call, EmbeddedHost, Step, capability, operation, tool


@tool
async def note_find(word: str) -> list[str]:
    """Find the notes that hold a word."""
    return [f"a note on {word}"]


@tool
async def note_burn(word: str) -> bool:
    """Burn the notes that hold a word."""
    return True


@capability(id="notes", description="The keeper's notes.")
@operation(steps=[Step(note_find)])
def review(word: str) -> None:
    """Find the notes on a subject."""


async def main() -> None:
    host = EmbeddedHost()
    with Binder(host) as binder:
        binder.register(note_find, note_burn)
        async with host.scope("guest") as guest:
            host.restrict(scope=guest, deny=["note_burn"])
            binder.register(review, scope=guest)
            print("guest sees:   ", *host.catalog(guest))
            print("everybody sees:", *host.catalog())
            denied = await host.invoke(Call("note_burn", {"word": "tide"}, scope=guest))
            print("guest burns:  ", denied.message if not denied.ok else denied.value)
        print("bound after the scope has ended:", list(binder.list()))


if __name__ == "__main__":
    asyncio.run(main())
