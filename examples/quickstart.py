"""Two internal tools, one operation: the model sees `notes_review` and nothing else."""

import asyncio

from capdeco import Binder, Call, EmbeddedHost, Step, capability, operation, tool

NOTES = ["buy ink", "wind the clock on Monday", "flush the pipe"]


@tool(expose=False)
async def note_find(word: str) -> list[str]:
    """Find the notes that hold a word."""
    return [note for note in NOTES if word in note]


@tool(expose=False)
async def note_count(word: str, minimum: int = 1) -> bool:
    """Tell whether at least so many notes hold a word."""
    return sum(word in note for note in NOTES) >= minimum


@capability(id="notes", description="The keeper's notes.")
class Notes:
    @operation(steps=[Step(note_find), Step(note_count)])
    def review(self, word: str, minimum: int = 1) -> None:
        """Find the notes on a subject, and say whether there are enough."""


async def main() -> None:
    host = EmbeddedHost()
    with Binder(host) as binder:
        binder.register(note_find, note_count, Notes)
        print(*host.catalog())
        result = await host.invoke(Call("notes_review", {"word": "the"}))
        print(result.value if result.ok else result.message)


if __name__ == "__main__":
    asyncio.run(main())
