"""Two capabilities that want the same id."""

from capdeco import Step, capability, operation, tool


@tool(expose=False)
def note_find(word: str) -> list[str]:
    """Find the notes that hold a word."""
    return [word]


@capability(id="notes", description="The keeper's notes.")
class Notes:
    @operation(steps=[Step(note_find)])
    def review(self, word: str) -> None:
        """Find the notes on a subject."""


@capability(id="notes", description="The keeper's other notes.")
class OtherNotes:
    @operation(steps=[Step(note_find)])
    def search(self, word: str) -> None:
        """Find the notes on a subject."""
