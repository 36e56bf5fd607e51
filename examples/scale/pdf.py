"""Twenty tools on PDF documents."""

from __future__ import annotations

from typing import Annotated, Literal

import attrs

from capdeco import Context, Doc, ToolError, tool
from examples.scale.hints import DESTROY, READ, WRITE
from examples.scale.store import store
from examples.scale.world import Document

DocumentId = Annotated[str, Doc("Id of the document.")]
PageNumber = Annotated[int, Doc("Page, from 1.")]


@attrs.frozen
class PageCount:
    document: str
    pages: int


@attrs.frozen
class Metadata:
    title: str
    author: str
    encrypted: bool


@attrs.frozen
class Hit:
    page: int
    text: str


async def _document(context: Context, document: str) -> Document:
    return await store(context).get(Document, document)


async def _save(context: Context, document: Document) -> PageCount:
    await store(context).put(document)
    return PageCount(document.id, len(document.pages))


def _checked(document: Document, page: int) -> int:
    if not 1 <= page <= len(document.pages):
        raise ToolError(f"{document.id} has pages 1 to {len(document.pages)}", code="NOT_FOUND")
    return page - 1


@tool(annotations=READ)
async def pdf_list(context: Context) -> list[str]:
    """List the documents."""
    return [each.id for each in await store(context).all(Document)]


@tool(annotations=READ)
async def pdf_pages(context: Context, document: DocumentId) -> PageCount:
    """Count the pages of a document."""
    return PageCount(document, len((await _document(context, document)).pages))


@tool(annotations=READ)
async def pdf_text(
    context: Context, document: DocumentId, limit: Annotated[int, Doc("At most so many characters.")] = 1000
) -> str:
    """Extract the text of a document."""
    return "\n\n".join((await _document(context, document)).pages)[:limit]


@tool(annotations=READ)
async def pdf_page_text(context: Context, document: DocumentId, page: PageNumber) -> str:
    """Extract the text of one page."""
    found = await _document(context, document)
    return found.pages[_checked(found, page)]


@tool(annotations=READ)
async def pdf_search(
    context: Context, document: DocumentId, query: str, limit: Annotated[int, Doc("At most so many hits.")] = 10
) -> list[Hit]:
    """Find the pages of a document that hold a text."""
    pages = enumerate((await _document(context, document)).pages, start=1)
    return [Hit(number, text[:80]) for number, text in pages if query.lower() in text.lower()][:limit]


@tool(annotations=READ)
async def pdf_metadata(context: Context, document: DocumentId) -> Metadata:
    """Read the title, the author and whether a document is encrypted."""
    found = await _document(context, document)
    return Metadata(found.title, found.author, found.encrypted)


@tool(annotations=WRITE)
async def pdf_metadata_set(
    context: Context, document: DocumentId, title: str | None = None, author: str | None = None
) -> Metadata:
    """Change the title or the author of a document."""
    found = await _document(context, document)
    changed = attrs.evolve(found, title=title or found.title, author=author or found.author)
    await _save(context, changed)
    return Metadata(changed.title, changed.author, changed.encrypted)


@tool(annotations=READ)
async def pdf_outline(context: Context, document: DocumentId) -> list[str]:
    """Read the table of contents."""
    return (await _document(context, document)).outline


@tool(annotations=READ)
async def pdf_links(context: Context, document: DocumentId) -> list[str]:
    """List the links out of a document."""
    return (await _document(context, document)).links


@tool(annotations=READ)
async def pdf_fonts(context: Context, document: DocumentId) -> list[str]:
    """List the fonts that a document uses."""
    return (await _document(context, document)).fonts


@tool(annotations=READ)
async def pdf_tables(context: Context, document: DocumentId, page: PageNumber | None = None) -> list[list[str]]:
    """Extract the tables of a document, row by row."""
    found = await _document(context, document)
    return found.tables if page is None or _checked(found, page) == 0 else []


@tool(annotations=READ)
async def pdf_form_fields(context: Context, document: DocumentId) -> dict[str, str]:
    """List the form fields of a document with what they hold."""
    return (await _document(context, document)).form


@tool(annotations=WRITE)
async def pdf_form_fill(context: Context, document: DocumentId, values: dict[str, str]) -> dict[str, str]:
    """Fill in form fields."""
    found = await _document(context, document)
    form = {name: values.get(name, held) for name, held in found.form.items()}
    await _save(context, attrs.evolve(found, form=form))
    return form


@tool(annotations=READ)
async def pdf_notes(context: Context, document: DocumentId) -> list[str]:
    """List the notes that readers left in a document."""
    return (await _document(context, document)).notes


@tool(annotations=WRITE)
async def pdf_note_add(context: Context, document: DocumentId, page: PageNumber, text: str) -> list[str]:
    """Leave a note on a page."""
    found = await _document(context, document)
    notes = [*found.notes, f"{_checked(found, page) + 1}: {text}"]
    await _save(context, attrs.evolve(found, notes=notes))
    return notes


@tool(annotations=READ)
async def pdf_attachments(context: Context, document: DocumentId) -> list[str]:
    """List the files attached to a document."""
    return (await _document(context, document)).attachments


@tool(annotations=WRITE)
async def pdf_merge(
    context: Context, document: DocumentId, other: Annotated[str, Doc("Document whose pages are appended.")]
) -> PageCount:
    """Append the pages of another document."""
    found, more = await _document(context, document), await _document(context, other)
    return await _save(context, attrs.evolve(found, pages=[*found.pages, *more.pages]))


@tool(annotations=DESTROY)
async def pdf_remove_pages(context: Context, document: DocumentId, first: PageNumber, last: PageNumber) -> PageCount:
    """Remove a range of pages."""
    found = await _document(context, document)
    kept = found.pages[: _checked(found, first)] + found.pages[_checked(found, last) + 1 :]
    return await _save(context, attrs.evolve(found, pages=kept))


@tool(annotations=WRITE)
async def pdf_rotate(context: Context, document: DocumentId, degrees: Literal[90, 180, 270]) -> int:
    """Turn all pages, and give the rotation after it."""
    found = await _document(context, document)
    rotation = (found.rotation + degrees) % 360
    await _save(context, attrs.evolve(found, rotation=rotation))
    return rotation


@tool(annotations=DESTROY)
async def pdf_encrypt(context: Context, document: DocumentId, password: str) -> Metadata:
    """Protect a document with a password."""
    found = attrs.evolve(await _document(context, document), encrypted=bool(password))
    await _save(context, found)
    return Metadata(found.title, found.author, found.encrypted)
