"""The keeper's notes: the model sees one way to review them, and one to discard one."""

from typing import Annotated

from capdeco import Doc, Step, capability, operation, tool

NOTES = {"2024-01-08": "buy ink", "2024-02-11": "wind the clock on Monday", "2024-02-19": "oil the clock"}


@tool(expose=False)
def note_find(word: str) -> list[str]:
    """Find the notes that hold a word."""
    return [note for note in NOTES.values() if word in note]


@tool(expose=False)
def note_count(word: str, minimum: int = 1) -> bool:
    """Tell whether at least so many notes hold a word."""
    return len(note_find(word)) >= minimum


@tool(expose=False)
def note_dates(word: str, latest_first: bool = True) -> list[str]:
    """List the dates of the notes that hold a word."""
    return sorted((date for date, note in NOTES.items() if word in note), reverse=latest_first)


@tool
def note_discard(date: str) -> bool:
    """Discard the note of a date, and tell whether there was one."""
    return NOTES.pop(date, None) is not None


@capability(id="notes", description="The keeper's notes.")
class Notes:
    @operation(steps=[Step(note_find), Step(note_count), Step(note_dates)])
    def review(
        self,
        word: Annotated[str, Doc("What the notes are about.")],
        minimum: Annotated[int, Doc("How many notes are enough.")] = 1,
        latest_first: Annotated[bool, Doc("Order of the dates.")] = True,
    ) -> None:
        """Find the notes on a subject, say whether there are enough, and of when they are."""
