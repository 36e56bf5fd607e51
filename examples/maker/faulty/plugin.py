"""A plugin with something wrong in most ways that matter; the maker's tools read it, and nobody imports it."""

from capdeco import Step, capability, operation, tool


@tool(expose=False)
def note_find(word: str, limit: int = 10) -> list[str]:
    """Find the notes that hold a word."""
    return [word][:limit]


@tool
def note_count(word: str) -> int:
    """Count the notes that hold a word."""
    return len(word)


@tool
def note_remove(word: str) -> int:
    return len(word)


@capability(id="notes", description="The keeper's notes.")
class Notes:
    @operation(steps=[Step(note_find), Step(note_count)])
    def review(self, word: str, limit: int, folder: str) -> None:
        """Find the notes on a subject, and count them."""

    @operation(steps=[Step(note_find, from_="search")])
    def search(self, serach: dict[str, str]) -> None:
        """Search the notes."""
