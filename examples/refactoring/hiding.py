"""Why a tool is declared internal and not hidden by the host: one resolver answers the model and the steps alike."""

import asyncio

from capdeco import Binder, Call, EmbeddedHost, Step, Tool, capability, operation


def find(word: str) -> list[str]:
    """Find the notes that hold a word."""
    return [f"a note on {word}"]


@capability(id="notes", description="The keeper's notes.")
@operation(steps=[Step("note_find")])
def review(word: str) -> None:
    """Find the notes on a subject."""


async def show(host: EmbeddedHost, title: str) -> None:
    async with host.scope("agent") as agent:
        if title == "hidden":
            host.restrict(scope=agent, deny=["note_find"])
        print(f"{title}: the model sees", *host.catalog(agent))
        for name in ("note_find", "notes_review"):
            result = await host.invoke(Call(name, {"word": "tide"}, scope=agent))
            print(f"  {name}:", result.value if result.ok else f"{result.code}: {result.message}")


async def main() -> None:
    for title, expose in (("hidden", True), ("internal", False)):
        host = EmbeddedHost()
        with Binder(host) as binder:
            binder.register(Tool.of(find, name="note_find", expose=expose), review)
            await show(host, title)


if __name__ == "__main__":
    asyncio.run(main())
