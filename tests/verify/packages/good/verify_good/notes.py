"""A plugin that does what it says."""

from capdeco import Step, capability, operation, tool

NOTES = ["buy ink", "wind the clock on Monday", "flush the pipe"]


@tool(expose=False)
def note_find(word: str) -> list[str]:
    """Find the notes that hold a word."""
    return [note for note in NOTES if word in note]


@tool(expose=False)
def note_count(word: str, minimum: int = 1) -> bool:
    """Tell whether at least so many notes hold a word."""
    return len(note_find(word)) >= minimum


@capability(id="notes", description="The keeper's notes.")
class Notes:
    @operation(steps=[Step(note_find), Step(note_count)])
    def review(self, word: str, minimum: int = 1) -> None:
        """Find the notes on a subject, and say whether there are enough."""
