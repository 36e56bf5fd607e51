"""The keeper's notes: every internal function is a tool that the model sees."""

from capdeco import tool

NOTES = {"2024-01-08": "buy ink", "2024-02-11": "wind the clock on Monday", "2024-02-19": "oil the clock"}


@tool
def note_find(word: str) -> list[str]:
    """Find the notes that hold a word."""
    return [note for note in NOTES.values() if word in note]


@tool
def note_count(word: str, minimum: int = 1) -> bool:
    """Tell whether at least so many notes hold a word."""
    return len(note_find(word)) >= minimum


@tool
def note_dates(word: str, latest_first: bool = True) -> list[str]:
    """List the dates of the notes that hold a word."""
    return sorted((date for date, note in NOTES.items() if word in note), reverse=latest_first)


@tool
def note_discard(date: str) -> bool:
    """Discard the note of a date, and tell whether there was one."""
    return NOTES.pop(date, None) is not None
